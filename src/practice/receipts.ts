/** What the tools' texts say, as data. Undefined or an error text means: the tool did not do what was asked. */
export interface FileLine {
  readonly path: string;
  /** Bytes; undefined for a link. */
  readonly size: number | undefined;
  readonly modified: string | undefined;
}

export interface Listing {
  readonly files: readonly FileLine[];
  /** Also those that are not shown. */
  readonly matching: number;
  readonly folders: number;
  readonly bytes: number;
  /** What the listing says about itself: limits that were reached, folders that could not be read. */
  readonly notes: readonly string[];
}

const LISTING_HEAD =
  /^(?:(\d+) of )?(\d+) files?(?: match(?:es)? .*)?, (\d+) folders?, (\d+) bytes? in .* \([a-z ]+\)$/u;
const LISTED = /^(.*) \((?:(\d+) bytes?|link)(?:, (\S+))?\)$/u;

export function readListing(text: string): Listing | undefined {
  const [first = "", ...rest] = text.split("\n");
  const head = LISTING_HEAD.exec(first);
  if (head === null) return undefined;
  const matching = Number(head[1] ?? head[2]);
  const files: FileLine[] = [];
  for (const line of rest) {
    const match = files.length < matching ? LISTED.exec(line) : null;
    if (match?.[1] === undefined) break;
    files.push({ path: match[1], size: match[2] === undefined ? undefined : Number(match[2]), modified: match[3] });
  }
  return {
    files,
    matching,
    folders: Number(head[3]),
    bytes: Number(head[4]),
    notes: notesOf(rest.slice(files.length)),
  };
}

interface FoundLine {
  readonly path: string;
  readonly line: number;
  readonly text: string;
}

export interface Matches {
  readonly found: readonly FoundLine[];
  /** Also those that are not shown. */
  readonly lines: number;
  readonly files: number;
  readonly notes: readonly string[];
}

const MATCHES_HEAD = /^(?:(\d+) lines? in (\d+) files? match(?:es)?|No line matches) .* in .*$/u;

export function readMatches(text: string): Matches | undefined {
  const [first = "", ...rest] = text.split("\n");
  const head = MATCHES_HEAD.exec(first);
  if (head === null) return undefined;
  const lines = Number(head[1] ?? 0);
  const found: FoundLine[] = [];
  for (const line of rest) {
    const match = found.length < lines ? /^(.*?):(\d+): (.*)$/u.exec(line) : null;
    if (match?.[1] === undefined) break;
    found.push({ path: match[1], line: Number(match[2]), text: match[3] ?? "" });
  }
  return { found, lines, files: Number(head[2] ?? 0), notes: notesOf(rest.slice(found.length)) };
}

/** A note about rows that were not asked for says nothing of interest. */
const notesOf = (lines: readonly string[]): string[] =>
  lines.flatMap((line) => (/^\(\d+ more: /u.test(line) ? [] : (/^\((.+)\)$/u.exec(line)?.[1] ?? [])));

export interface Page {
  readonly path: string;
  /** Line number of the first text, from 1. */
  readonly first: number;
  readonly texts: readonly string[];
  /** Undefined when the file is too long to be counted. */
  readonly total: number | undefined;
  readonly bytes: number;
  /** The tool had nothing to remark about its text, such as bytes that are no UTF-8 or other line ends. */
  readonly plain: boolean;
  /** Where to read on; undefined at the end of the file. */
  readonly next: number | undefined;
}

const PAGE_HEAD = /^(.*): lines (\d+)-(\d+) (?:of (\d+)|and more follow), (\d+) bytes/u;

export function readPage(text: string): Page | undefined {
  const empty = /^(.*) is empty \(0 bytes\)\./u.exec(text);
  if (empty?.[1] !== undefined)
    return { path: empty[1], first: 1, texts: [], total: 0, bytes: 0, plain: true, next: undefined };
  const rows = text.split("\n");
  const head = PAGE_HEAD.exec(rows[0] ?? "");
  if (head?.[1] === undefined) return undefined;
  const first = Number(head[2]);
  const count = Number(head[3]) - first + 1;
  const texts = rows.slice(1, count + 1).map((row) => row.slice(row.indexOf("|") + 1));
  const next = /^\(not the end of the file: read on with offset (\d+)\)$/u.exec(rows[count + 1] ?? "")?.[1];
  return {
    path: head[1],
    first,
    texts,
    total: head[4] === undefined ? undefined : Number(head[4]),
    bytes: Number(head[5]),
    plain: rows[0]?.length === head[0].length,
    next: next === undefined ? undefined : Number(next),
  };
}

/** The tool shows only the start of very long lines. */
export const isCutLine = (text: string): boolean => / \[cut: the line has \d+ bytes\]$/u.test(text);

/** A search shows no more of a line than this. */
export const SHOWN_LINE_CHARS = 300;
