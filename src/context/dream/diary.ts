import { appendFileSync, chmodSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { DiaryEntry } from "../../protocol/dream.ts";
import { DISK } from "../disk.ts";
import { entriesIn, keptOf, nextCursor, objectsIn } from "./diary-lines.ts";

/** What is to be written down. */
export interface DiaryDraft extends Omit<DiaryEntry, "cursor" | "timestamp"> {
  /** A summary by a model: it may be longer than what was said. */
  readonly summary?: true;
}

export interface Diary {
  /** In the order they were written; what is no entry is passed over. */
  read(): readonly DiaryEntry[];
  /** Writes down, all at once. `seen`: up to where a dream has read, which may be dropped when there is too much. */
  append(drafts: readonly DiaryDraft[], seen: number): Promise<void>;
}

interface DiaryPorts {
  readonly folder: string;
  /** Lets one at a time work, in whatever process. */
  readonly locked: <T>(path: string, work: () => T) => Promise<T>;
  /** Takes secrets and thoughts out of a text. */
  readonly clean: (text: string) => string;
  /** ms since the epoch */
  readonly now: () => number;
}

/** Characters of one entry, whatever it is, and of a summary (nanobot.md §5.1). */
const MOST_CHARS = 64_000;
const SUMMARY_CHARS = 8_000;

/** nanobot.md §5.1 */
const MOST_ENTRIES = 1_000;

const FILE = "diary.jsonl";
const COUNTER = "diary.cursor";

/** The diary of one profile: whoever dies while writing leaves at most half a line, which nobody reads. */
export function diaryIn({ folder, locked, clean, now }: DiaryPorts): Diary {
  const path = join(folder, FILE);
  const counterPath = join(folder, COUNTER);
  const write = (drafts: readonly DiaryDraft[], seen: number): void => {
    const before = textAt(path) ?? "";
    const first = nextCursor(before, textAt(counterPath));
    const timestamp = localMinute(now());
    const lines = drafts.map((draft, at) => {
      const { summary, ...entry } = draft;
      const content = withinChars(clean(draft.content).trimEnd(), summary === true ? SUMMARY_CHARS : MOST_CHARS);
      return `${JSON.stringify({ cursor: first + at, timestamp, ...entry, content })}\n`;
    });
    const gap = before === "" || before.endsWith("\n") ? "" : "\n";
    appendFileSync(path, gap + lines.join(""), { mode: 0o600, flush: true });
    chmodSync(path, 0o600);
    DISK.replace(counterPath, `${first + lines.length - 1}\n`);
    const objects = objectsIn(before + gap + lines.join(""));
    const kept = keptOf(objects, MOST_ENTRIES, seen);
    if (kept.length < objects.length) DISK.replace(path, kept.map((object) => `${JSON.stringify(object)}\n`).join(""));
  };
  return {
    read: () => entriesIn(objectsIn(textAt(path) ?? "")),
    append: async (drafts, seen) => {
      if (drafts.length === 0) return;
      DISK.makeFolder(folder);
      await locked(join(folder, "diary.lock"), () => write(drafts, seen));
    },
  };
}

/** The text of a file; undefined: there is none. */
export function textAt(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}

/** The beginning of a text; no character is cut in two. */
export const withinChars = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most - 1).replace(/[\uD800-\uDBFF]$/u, "")}…`;

/** `YYYY-MM-DD HH:MM` */
export function localMinute(ms: number): string {
  const date = new Date(ms);
  const two = (of: number): string => String(of).padStart(2, "0");
  const day = [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join("-");
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}`;
}
