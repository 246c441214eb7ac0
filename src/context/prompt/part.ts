import type { PromptNote, PromptPart } from "../../protocol/prompt.ts";
import { neutralise } from "../../protocol/steer-marker.ts";
import { clip } from "./clip.ts";
import { readText } from "./read-text.ts";
import { threatsIn } from "./threats.ts";

/** A part with what it says; one that says nothing is there for its note. */
export interface Part extends Omit<PromptPart, "chars"> {
  readonly text: string;
}

/** What is told of a file: its text, ready to be told, and what was done to it. */
export interface Told {
  readonly text: string;
  readonly note?: PromptNote;
}

export interface FileAsked {
  /** As the model and people are told of it. */
  readonly label: string;
  /** Characters. */
  readonly limit: number;
}

/** Undefined: there is no such file, or nothing is in it. Never throws, whatever the file is. */
export function tellFile(path: string, { label, limit }: FileAsked): Told | undefined {
  const read = readText(path);
  if (read.type === "absent") return undefined;
  if (read.type === "unread") return { text: "", note: read };
  const head = withoutFrontMatter(read.head);
  if (head.trim() === "" && read.tail === undefined) return undefined;
  const threats = threatsIn(`${head}\n${read.tail ?? ""}`);
  if (threats.length > 0)
    return { text: `[${label} is left out: ${threats.join(", ")}]`, note: { type: "blocked", threats } };
  const { text, isCut } = clip({ ...read, head }, limit);
  return { text: neutralise(text).trim(), ...(isCut && { note: { type: "cut", bytes: read.bytes } }) };
}

/** What stands between two lines of dashes at the very beginning is for programs. */
const withoutFrontMatter = (text: string): string =>
  text.replace(/^---[ \t]*\n(?:[^\n]*\n){0,200}?---[ \t]*(?:\n|$)/u, "");
