import type { NoteBook, NoteVersion } from "../../protocol/memory.ts";
import { wordsIn } from "../../words/language.ts";
import {
  askRestore,
  FILE_NAMES,
  MEMORY_WORDS,
  noSuchVersion,
  NOTE_STEPS,
  olderVersions,
  restored,
  writtenBy,
} from "../../words/memory.ts";
import { spelledOut } from "../../session/plain-text.ts";
import { confirm } from "../confirm.ts";
import type { Asked } from "../context.ts";
import { say, sayJson } from "../io.ts";
import { usageRefusal } from "../refusal.ts";
import { type Difference, difference, differenceLines, minuteOf, mustBeDone } from "./notes.ts";

/** `evander memory restore`: what there was, the newest first. */
export function listVersions(book: NoteBook, { io, json, language }: Asked): void {
  const versions = book.versions();
  const told = versions.map((version, at) => ({ ...version, ...changedBy(version, versions.slice(at + 1)) }));
  if (json) return sayJson(io, told);
  if (told.length === 0) return say(io.stderr, MEMORY_WORDS.noVersions[language]);
  for (const { version, file, written, ...changed } of told.slice(0, SHOWN)) {
    const when = `${minuteOf(written.atMs)}  ${FILE_NAMES[file]}  ${writtenBy(written)[language]}`;
    say(io.stdout, `${String(version).padStart(3)}  ${when}`);
    for (const line of differenceLines(changed, "     ")) say(io.stdout, line);
  }
  if (told.length > SHOWN) say(io.stderr, olderVersions(told.length - SHOWN)[language]);
}

/** So many are shown to people; JSON holds them all. */
const SHOWN = 30;

/** What a version changed, against the one before it of the same file. */
function changedBy({ file, notes }: NoteVersion, older: readonly NoteVersion[]): Difference {
  return difference(older.find((version) => version.file === file)?.notes ?? [], notes);
}

interface Change extends Asked {
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

/** `evander memory restore VERSION`: a file as it was, as a new version: nothing that came later is lost. */
export async function restoreVersion(book: NoteBook, asked: string, change: Change): Promise<void> {
  const { io, json, language } = change;
  const wanted = book.versions().find(({ version }) => String(version) === asked.trim()) ?? gone(asked);
  const { version, file, notes } = wanted;
  const now = book.read(file).notes.map(({ text }) => text);
  const changed = difference(now, notes);
  const isSame = now.join("\0") === notes.join("\0");
  if (!json) for (const line of differenceLines(changed)) say(io.stdout, line);
  const doing = isSame ? "nothing" : await agreed(wanted, change);
  if (doing === "restore") mustBeDone((await book.restore(version, { by: "person" })) ?? gone(asked));
  if (json) return sayJson(io, { version, file, ...changed, restored: doing === "restore" });
  if (doing === undefined) return say(io.stderr, MEMORY_WORDS.nothingRestored[language]);
  say(io.stdout, wordsIn(isSame ? MEMORY_WORDS.unchanged : restored(file, version, doing === "nothing"), language));
}

/** Only at a terminal somebody is asked; undefined: they do not want it. */
async function agreed(
  { version, file }: NoteVersion,
  { io, language, dryRun, yes }: Change,
): Promise<"restore" | "nothing" | undefined> {
  if (dryRun === true) return "nothing";
  return yes === true || (await confirm(io, askRestore(file, version)[language])) ? "restore" : undefined;
}

function gone(asked: string): never {
  throw usageRefusal(noSuchVersion(spelledOut(asked)), { code: "no_such_version", steps: [NOTE_STEPS.versions] });
}
