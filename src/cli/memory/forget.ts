import type { NoteBook } from "../../protocol/memory.ts";
import { wordsIn } from "../../words/language.ts";
import { forgotten, MEMORY_WORDS, restoreStep } from "../../words/memory.ts";
import { nextSteps } from "../../words/steps.ts";
import type { Asked } from "../context.ts";
import { say, sayJson } from "../io.ts";
import { stepLine } from "../next-steps.ts";
import { indented, mustBeDone, namedNote } from "./notes.ts";
import { here } from "./why.ts";

/** `evander memory forget NOTE`: a person takes it out, and is told how it comes back. */
export async function forgetNote(
  book: NoteBook,
  asked: string,
  { io, json, language, dryRun = false }: Asked & { readonly dryRun?: boolean },
): Promise<void> {
  const { number, file, text } = namedNote(book, asked);
  if (!dryRun) mustBeDone(await book.change({ do: "remove", file, find: text }, { by: "person" }));
  // The newest version of the file is without the note, the one before it has it.
  const [, before] = book.versions().filter((version) => version.file === file);
  const steps = dryRun || before === undefined ? [] : [restoreStep(before.version)];
  const next = nextSteps(steps, undefined, language).map((step) => here(step, io.env));
  if (json) return sayJson(io, { number, file, text, forgotten: !dryRun, next });
  say(io.stdout, `${wordsIn(forgotten(dryRun), language)}: ${indented(text, "  ")}`);
  for (const step of next) say(io.stderr, stepLine(step, io.env));
  if (!dryRun && next.length === 0) say(io.stderr, MEMORY_WORDS.noVersions[language]);
}
