import { linesOf, usualBreak, type Edit, type Line } from "../text/lines.ts";
import { placeOf, type Placed } from "./place-hunk.ts";
import type { Hunk, HunkLine } from "./parse-patch.ts";
import { indentOf, reindented } from "./reindent.ts";

/** Hunks as edits of a text; or the first one that has no place in it. */
export type Applied =
  | { readonly type: "found"; readonly edits: readonly Edit[]; readonly loose: boolean }
  | { readonly type: "absent"; readonly hunk: Hunk }
  | { readonly type: "several"; readonly hunk: Hunk; readonly lines: readonly number[] };

/**
 * Finds the place of every hunk. Lines that stay keep their bytes, also where they are only alike; lines that come in the
 * place of others take their line breaks, and the indentation of the place.
 */
export function applyHunks(text: string, hunks: readonly Hunk[]): Applied {
  const lines = linesOf(text);
  const placed: Placed[] = [];
  for (const hunk of hunks) {
    const place = placeOf(hunk, lines, placed);
    if (place.type !== "placed") return { ...place, hunk };
    placed.push(place);
  }
  const usual = usualBreak(text);
  const inOrder = placed.toSorted((a, b) => a.from - b.from);
  let done = 0;
  const edits = inOrder
    .flatMap((place) => editsOf(place, { text, lines, usual }))
    .map((edit) => {
      const from = Math.max(edit.from, done);
      done = edit.until;
      return { ...edit, from };
    });
  return { type: "found", edits, loose: placed.some(({ loose }) => loose) };
}

interface File {
  readonly text: string;
  readonly lines: readonly Line[];
  readonly usual: "\n" | "\r\n";
}

interface Block {
  /** The place of its first line in the file. */
  readonly at: number;
  readonly removed: number;
  readonly added: readonly string[];
}

function editsOf({ hunk, from, loose }: Placed, file: File): Edit[] {
  const old = hunk.lines.filter(({ type }) => type !== "add").map((line) => line.text);
  return blocksOf(hunk.lines, from).map((block) => {
    if (!loose) return editOf(block, file);
    const [indent, own] = indentsAt(block.at - from, old, file.lines.slice(from, from + old.length));
    return editOf({ ...block, added: block.added.map((line) => reindented(line, indent, own)) }, file);
  });
}

/** The indentation of the nearest line that both have, as the patch writes it and as the file does. */
function indentsAt(place: number, old: readonly string[], own: readonly Line[]): readonly [string, string] {
  const nearest = [place, ...Array.from({ length: place }, (_, n) => place - 1 - n)];
  const at = nearest.find((n) => (old[n] ?? "").trim() !== "") ?? old.findIndex((line) => line.trim() !== "");
  return [indentOf(old[at] ?? ""), indentOf(own[at]?.text ?? "")];
}

/** Lines that change, those next to each other together. */
function blocksOf(lines: readonly HunkLine[], from: number): Block[] {
  const blocks: Block[] = [];
  let [at, removed]: [number, number] = [from, 0];
  let added: string[] = [];
  const close = (): void => {
    if (removed > 0 || added.length > 0) blocks.push({ at, removed, added });
    [at, removed, added] = [at + removed, 0, []];
  };
  for (const { type, text } of lines) {
    if (type === "remove") removed += 1;
    else if (type === "add") added.push(text);
    else {
      close();
      at += 1;
    }
  }
  close();
  return blocks;
}

function editOf(block: Block, file: File): Edit {
  const { at, removed, added } = block;
  const { text, lines, usual } = file;
  const before = lines[at - 1];
  const last = lines[at + removed - 1];
  const from = removed > 0 ? (lines[at]?.from ?? 0) : endOf(before);
  const until = removed > 0 ? endOf(last) : from;
  const ends = endsOf(block, file);
  if (until < text.length || text === "" || text.endsWith("\n")) return { from, until, text: joined(added, ends) };
  // The last line of a file that has no line break behind it: the one that is the last then has none either.
  if (added.length === 0) return { from: before?.until ?? from, until, text: "" };
  const body = joined(added, [...ends.slice(0, -1), ""]);
  return { from, until, text: removed === 0 ? usual + body : body };
}

const endOf = (line: Line | undefined): number => (line === undefined ? 0 : line.until + line.end.length);

/** The line breaks of lines that come: of those that they come for, of their neighbours, of the file. */
function endsOf({ at, removed, added }: Block, { lines, usual }: File): string[] {
  const gone = lines.slice(at, at + removed);
  const near = [gone.at(-1)?.end, lines[at - 1]?.end, usual];
  return added.map((_, n) => [gone[n]?.end, ...near].find((end) => end !== undefined && end !== "") ?? usual);
}

const joined = (lines: readonly string[], ends: readonly string[]): string =>
  lines.map((line, n) => line + (ends[n] ?? "")).join("");
