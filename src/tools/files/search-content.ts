import { join } from "node:path";
import { setImmediate as breathe } from "node:timers/promises";
import { plural } from "../../protocol/plural.ts";
import { printable, shownPath, whyPrivate } from "../paths.ts";
import { lineMatcher, literalMatcher, type Found, type LineMatcher } from "./line-matcher.ts";
import { FileLoader, MAX_FILE_BYTES } from "./load-files.ts";
import { filesWithMatches, findRipgrep, rustPattern } from "./ripgrep.ts";
import { routeOf, type SearchRequest } from "./search-request.ts";
import { newWalk, walk, type Walked } from "./walk.ts";

/** Texts matched in one piece, by their number and their bytes. */
const AT_ONCE = 64;
const BATCH_BYTES = 1024 * 1024;
/** Decision 0054. */
const MAX_BYTES = 500 * 1024 * 1024;

export interface ContentOptions {
  readonly ignoreCase: boolean;
  /** Lines shown before and after one that matches. */
  readonly beside: number;
  /** Where ripgrep may be found; empty for nowhere. */
  readonly programs: string;
  /** Aborted by the user alone, not by the deadline. */
  readonly stopped: AbortSignal;
}

/**
 * Lines that match, file by file in the order of a listing. ripgrep, where it is, only says which files to look at: each
 * is opened and matched here, so what is found is the same with it and without. At its deadline it shows what it has.
 */
export async function searchContent(search: SearchRequest, options: ContentOptions): Promise<string> {
  const { matcher, ...sought } = openMatcher(search.pattern, options);
  await using closing = matcher;
  const report = new Report(search, { literal: sought.literal, beside: options.beside });
  try {
    const listed = search.rootIsFile ? undefined : await askRipgrep(search, sought, options.programs);
    await matchAll(listed ?? filesOf(search, report.walked), closing, report);
  } catch (error) {
    options.stopped.throwIfAborted();
    if (!search.signal.aborted) throw error;
    const where = report.current === "" ? "" : ` in ${report.current}`;
    report.end = `stopped after ${search.bounds.deadlineMs / 1_000} s${where}: narrow path or glob, or use a simpler pattern`;
  }
  return report.text();
}

interface Sought {
  readonly matcher: LineMatcher;
  readonly ignoreCase: boolean;
  /** The pattern without what says how it is meant. */
  readonly pattern: string;
  readonly literal: boolean;
}

/** A pattern that is no regular expression was most likely meant as it stands. */
function openMatcher(given: string, { ignoreCase: asked, beside }: ContentOptions): Sought {
  const inline = given.startsWith("(?i)");
  const pattern = inline ? given.slice(4) : given;
  const ignoreCase = asked || inline;
  try {
    return { matcher: lineMatcher(pattern, { ignoreCase, beside }), ignoreCase, pattern, literal: false };
  } catch {
    const matcher = literalMatcher(given, { ignoreCase: asked, beside });
    return { matcher, ignoreCase: asked, pattern: given, literal: true };
  }
}

/** Undefined where ripgrep is not, or reads the pattern otherwise. */
async function askRipgrep(
  search: SearchRequest,
  { pattern, ignoreCase, literal }: Omit<Sought, "matcher">,
  programs: string,
): Promise<string[] | undefined> {
  const read = literal ? undefined : rustPattern(pattern, ignoreCase);
  const program = read === undefined ? undefined : findRipgrep(programs, search.place.cwd);
  if (read === undefined || program === undefined) return undefined;
  const wanted = { program, pattern: read, ignoreCase, maxFileBytes: MAX_FILE_BYTES };
  const paths = await filesWithMatches(search, wanted);
  return paths?.filter((path) => search.matchesName(path)).map((path) => join(search.root, path));
}

async function* filesOf(search: SearchRequest, walked: Walked): AsyncGenerator<string> {
  if (search.rootIsFile) {
    yield search.root;
    return;
  }
  for await (const entry of walk(routeOf(search), walked)) {
    if (entry.type === "file" && search.matchesName(entry.path)) yield join(search.root, entry.path);
  }
}

interface Loaded {
  readonly path: string;
  readonly text: Buffer;
}

async function matchAll(
  paths: Iterable<string> | AsyncIterable<string>,
  matcher: LineMatcher,
  report: Report,
): Promise<void> {
  const { search } = report;
  using loader = new FileLoader(search.place);
  let batch: Loaded[] = [];
  let bytes = 0;
  const flush = async (): Promise<void> => {
    const texts = batch;
    batch = [];
    bytes = 0;
    await matchBatch(texts, matcher, report);
    await breathe();
    search.signal.throwIfAborted();
  };
  for await (const path of paths) {
    // Who searches one file was asked about it.
    if (!search.rootIsFile && whyPrivate(path, search.place) !== undefined) continue;
    const text = loader.load(path);
    if (text === undefined) continue;
    batch.push({ path, text });
    bytes += text.length;
    report.bytes += text.length;
    if (batch.length >= AT_ONCE || bytes >= BATCH_BYTES) await flush();
    if (report.bytes <= MAX_BYTES) continue;
    report.end = `stopped after ${MAX_BYTES} bytes: narrow path or glob`;
    break;
  }
  await flush();
}

async function matchBatch(batch: readonly Loaded[], matcher: LineMatcher, report: Report): Promise<void> {
  const { search } = report;
  let at = 0;
  report.begin(batch[0]?.path);
  await matcher.match(
    batch.map(({ text }) => text),
    {
      limit: Math.max(0, search.limit - report.shown),
      signal: search.signal,
      onFound: (found) => {
        report.add(found);
        at += 1;
        report.begin(batch[at]?.path);
      },
    },
  );
}

class Report {
  readonly walked: Walked = newWalk();
  readonly search: SearchRequest;
  bytes = 0;
  /** Lines that match and are shown. */
  shown = 0;
  /** The file that is looked at, as it is shown. */
  current = "";
  /** Why the search ended early; empty when it did not. */
  end = "";
  readonly #lines: string[] = [];
  readonly #how: { readonly literal: boolean; readonly beside: number };
  #matchingFiles = 0;
  #matches = 0;

  constructor(search: SearchRequest, how: { readonly literal: boolean; readonly beside: number }) {
    this.search = search;
    this.#how = how;
  }

  begin(path: string | undefined): void {
    if (path !== undefined) this.current = shownPath(path, this.search.place);
  }

  add({ count, lines }: Found): void {
    if (count > 0) this.#matchingFiles += 1;
    this.#matches += count;
    let last: number | undefined;
    for (const { line, text, beside } of lines) {
      const isApart = this.#how.beside > 0 && this.#lines.length > 0 && last !== line - 1;
      if (isApart) this.#lines.push("--");
      this.#lines.push(beside ? `${this.current}-${line}- ${text}` : `${this.current}:${line}: ${text}`);
      if (beside !== true) this.shown += 1;
      last = line;
    }
  }

  text(): string {
    const { search, walked } = this;
    const pattern = printable(search.pattern);
    const head =
      this.#matches === 0
        ? `No line matches ${pattern} in ${search.shownRoot}`
        : `${plural(this.#matches, "line")} in ${plural(this.#matchingFiles, "file")} ${this.#matches === 1 ? "matches" : "match"} ${pattern} in ${search.shownRoot}`;
    const more = this.#matches - this.shown;
    const notes = [
      this.#how.literal ? "the pattern is no regular expression and was searched as plain text" : "",
      more > 0 ? `${more} more: raise limit or narrow the pattern` : "",
      this.end,
      walked.cut ? `stopped after ${search.bounds.maxEntries} entries: narrow path` : "",
      this.#matches === 0 && !search.rootIsFile ? NOT_SEARCHED : "",
    ].filter((note) => note !== "");
    return [head, ...this.#lines, ...notes.map((note) => `(${note})`)].join("\n");
  }
}

/** Told alike whether there are such files: how many of them match would give away what is in them. */
const NOT_SEARCHED = `not searched: binary files, files over ${MAX_FILE_BYTES} bytes, files that usually hold secrets, links, .git, node_modules, and what .gitignore leaves out`;
