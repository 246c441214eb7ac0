import { plural } from "../../protocol/plural.ts";
import { join } from "node:path";
import { binaryKind } from "./binary.ts";
import { lineMatcher, literalMatcher, type FoundLine, type LineMatcher } from "./line-matcher.ts";
import { openRegularFile } from "./open-file.ts";
import { PathError, printable, shownPath, whyPrivate } from "../paths.ts";
import type { SearchRequest } from "./search-request.ts";
import { newWalk, walk, type Walked } from "./walk.ts";

/** Security §3.4. */
const MAX_BYTES = 50 * 1024 * 1024;
const MAX_FILE_BYTES = 5 * 1024 * 1024;
const AT_ONCE = 8;

type Candidate =
  | { readonly type: "text"; readonly path: string; readonly text: string; readonly bytes: number }
  | { readonly type: "binary" | "huge" | "private" | "unreadable" };

export interface ContentOptions {
  readonly ignoreCase: boolean;
  /** Aborted by the user alone, not by the deadline. */
  readonly stopped: AbortSignal;
}

/** Lines that match, file by file in the order of a listing. At its deadline it shows what it has. */
export async function searchContent(search: SearchRequest, { ignoreCase, stopped }: ContentOptions): Promise<string> {
  const { matcher, literal } = openMatcher(search.pattern, ignoreCase);
  await using closing = matcher;
  const report = new Report(search, literal);
  try {
    for await (const batch of batches(filesOf(search, report.walked), AT_ONCE)) {
      const candidates = await Promise.all(batch.map((path) => load(path, search)));
      for (const candidate of candidates) await look(candidate, closing, report);
      if (report.bytes > MAX_BYTES) {
        report.end = `stopped after ${MAX_BYTES} bytes: narrow path or glob`;
        break;
      }
    }
  } catch (error) {
    stopped.throwIfAborted();
    if (!search.signal.aborted) throw error;
    const where = report.current === "" ? "" : ` in ${report.current}`;
    report.end = `stopped after ${search.bounds.deadlineMs / 1_000} s${where}: narrow path or glob, or use a simpler pattern`;
  }
  return report.text();
}

/** A pattern that is no regular expression was most likely meant as it stands. */
function openMatcher(pattern: string, ignoreCase: boolean): { matcher: LineMatcher; literal: boolean } {
  const inline = pattern.startsWith("(?i)");
  const expression = inline ? pattern.slice(4) : pattern;
  try {
    return { matcher: lineMatcher(expression, { ignoreCase: ignoreCase || inline }), literal: false };
  } catch {
    return { matcher: literalMatcher(pattern, ignoreCase), literal: true };
  }
}

async function* filesOf(search: SearchRequest, walked: Walked): AsyncGenerator<string> {
  if (search.rootIsFile) {
    yield search.root;
    return;
  }
  for await (const entry of walk(search.root, search.bounds.maxEntries, walked, search.signal)) {
    if (entry.type === "file" && search.matchesName(entry.path)) yield join(search.root, entry.path);
  }
}

async function* batches<T>(items: AsyncIterable<T>, size: number): AsyncGenerator<T[]> {
  let batch: T[] = [];
  for await (const item of items) {
    batch.push(item);
    if (batch.length < size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

async function load(path: string, search: SearchRequest): Promise<Candidate> {
  if (!search.rootIsFile && whyPrivate(path, search.place) !== undefined) return { type: "private" };
  try {
    const opened = await openRegularFile(path, path);
    await using file = opened.file;
    if (opened.stats.size > MAX_FILE_BYTES) return { type: "huge" };
    // Not readFile: a file that grows without end would be read without end.
    const buffer = Buffer.allocUnsafe(opened.stats.size);
    const { bytesRead } = await file.read(buffer, 0, buffer.length, 0);
    const bytes = buffer.subarray(0, bytesRead);
    if (binaryKind(bytes) !== undefined) return { type: "binary" };
    return { type: "text", path, text: bytes.toString("utf8"), bytes: bytesRead };
  } catch (error) {
    if (error instanceof PathError) return { type: "unreadable" };
    throw error;
  }
}

async function look(candidate: Candidate, matcher: LineMatcher, report: Report): Promise<void> {
  if (candidate.type !== "text") {
    report.skipped[candidate.type] += 1;
    return;
  }
  report.begin(candidate.path, candidate.bytes);
  const room = Math.max(0, report.search.limit - report.lines.length);
  const found = await matcher.match(candidate.text, room, report.search.signal);
  report.add(found.count, found.lines);
}

class Report {
  readonly walked: Walked = newWalk();
  readonly skipped = { binary: 0, huge: 0, private: 0, unreadable: 0 };
  readonly lines: string[] = [];
  readonly search: SearchRequest;
  bytes = 0;
  /** The file that is looked at, as it is shown. */
  current = "";
  /** Why the search ended early; empty when it did not. */
  end = "";
  readonly #literal: boolean;
  #files = 0;
  #matchingFiles = 0;
  #matches = 0;

  constructor(search: SearchRequest, literal: boolean) {
    this.search = search;
    this.#literal = literal;
  }

  begin(path: string, bytes: number): void {
    this.current = shownPath(path, this.search.place);
    this.#files += 1;
    this.bytes += bytes;
  }

  add(count: number, found: readonly FoundLine[]): void {
    if (count > 0) this.#matchingFiles += 1;
    this.#matches += count;
    for (const { line, text } of found) this.lines.push(`${this.current}:${line}: ${text}`);
  }

  text(): string {
    const { search, skipped, walked } = this;
    const pattern = printable(search.pattern);
    const searched = `${plural(this.#files, "file")} searched in ${search.shownRoot}`;
    const head =
      this.#matches === 0
        ? `No line matches ${pattern} (${searched})`
        : `${plural(this.#matches, "line")} in ${plural(this.#matchingFiles, "file")} ${this.#matches === 1 ? "matches" : "match"} ${pattern} (${searched})`;
    const more = this.#matches - this.lines.length;
    const notes = [
      this.#literal ? "the pattern is no regular expression and was searched as plain text" : "",
      more > 0 ? `${more} more: raise limit or narrow the pattern` : "",
      this.end,
      walked.cut ? `stopped after ${search.bounds.maxEntries} entries: narrow path` : "",
      skippedNote(skipped.binary, "binary file"),
      skippedNote(skipped.huge, `file over ${MAX_FILE_BYTES} bytes`, `files over ${MAX_FILE_BYTES} bytes`),
      skippedNote(skipped.private, "file that usually holds secrets", "files that usually hold secrets"),
      skippedNote(skipped.unreadable + walked.unreadable, "unreadable file or folder", "unreadable files or folders"),
    ].filter((note) => note !== "");
    return [head, ...this.lines, ...notes.map((note) => `(${note})`)].join("\n");
  }
}

const skippedNote = (count: number, one: string, many?: string): string =>
  count === 0 ? "" : `${plural(count, one, many)} skipped`;
