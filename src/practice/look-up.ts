import type { Rank, Target } from "./intents.ts";
import { readListing, readPage, type FileLine, type Listing, type Page } from "./receipts.ts";
import { globOf, scopeGlob, type Scope } from "./scope.ts";
import type { WantedCall } from "./completion.ts";

export interface Receipt {
  readonly text: string;
  /** Its place among the receipts of the turn. */
  readonly at: number;
}

/** What is known when an answer is planned. */
export interface Known {
  /** The receipt of a call that was made in this turn, from this place among its receipts on. */
  readonly receiptOf: (call: WantedCall, since: number) => Receipt | undefined;
  /** What was found out before something was changed says nothing about now. */
  readonly since: number;
  readonly tools: ReadonlySet<string>;
  /** The file that was spoken of last. */
  readonly subject: string | undefined;
  /** What the user wanted to be kept in mind, the oldest first. */
  readonly facts: readonly string[];
}

/**
 * Either there is a value, or calls must be made first, or it cannot be had; `text` then says why. `say` stands in
 * front of the calls.
 */
export type Step<T> =
  | { readonly do: "done"; readonly value: T }
  | { readonly do: "call"; readonly calls: readonly WantedCall[]; readonly say?: string }
  | { readonly do: "fail"; readonly text: string };

export const done = <T>(value: T): Step<T> => ({ do: "done", value });
export const fail = (text: string): { readonly do: "fail"; readonly text: string } => ({ do: "fail", text });

/** Goes on with the value of a step, when there is one. */
export function andThen<T, U>(step: Step<T>, next: (value: T) => Step<U>): Step<U> {
  return step.do === "done" ? next(step.value) : step;
}

/** Both values; the calls of both are made together. */
export function both<A, B>(a: Step<A>, b: Step<B>): Step<readonly [A, B]> {
  if (a.do === "fail") return a;
  if (b.do === "fail") return b;
  if (a.do === "done" && b.do === "done") return done([a.value, b.value]);
  return { do: "call", calls: [...callsOf(a), ...callsOf(b)] };
}

const callsOf = (step: Step<unknown>): readonly WantedCall[] => (step.do === "call" ? step.calls : []);

/** The text of a receipt, or the call for it; what is said before the call is what a person should see first. */
export function receipt(name: string, input: WantedCall["input"], known: Known, say?: string): Step<string> {
  const call = { name, input };
  const found = known.receiptOf(call, known.since);
  if (found !== undefined) return done(found.text);
  return known.tools.has(name)
    ? { do: "call", calls: [call], ...(say !== undefined && { say }) }
    : fail(`I would need the tool ${name} for that, and it is not offered here.`);
}

export interface ListingRequest {
  readonly sort?: "size" | "modified";
  /** The smallest or oldest first. */
  readonly reverse?: boolean;
  readonly limit: number;
}

/** The most a listing or search shows. */
export const MAX_ROWS = 1_000;

export function listing(scope: Scope, { sort, reverse, limit }: ListingRequest, known: Known): Step<Listing> {
  const pattern = scopeGlob(scope);
  const input = {
    mode: "files",
    ...(pattern !== undefined && { pattern, ...(/\p{L}/u.test(pattern) && { ignore_case: true }) }),
    ...(scope.folder !== undefined && { path: scope.folder }),
    ...(sort !== undefined && { sort }),
    ...(reverse === true && { reverse }),
    limit,
  };
  return andThen(receipt("search_files", input, known), (text) => {
    const read = readListing(text);
    return read === undefined ? fail(refusal("list the files", text)) : done(read);
  });
}

export const refusal = (what: string, text: string): string => `I could not ${what}. The tool says: ${text.trim()}`;

export interface Ranked {
  readonly listing: Listing;
  /** In the order asked for; more than asked for when the last ones tie. */
  readonly files: readonly FileLine[];
}

const FIRST_ROWS = 20;

export function ranked(rank: Rank, known: Known): Step<Ranked> {
  const sort = rank.by === "size" ? "size" : "modified";
  const order = { sort, reverse: rank.end === "least" } as const;
  const rows = Math.min(MAX_ROWS, Math.max(FIRST_ROWS, rank.count * 2));
  return andThen(listing(rank.scope, { ...order, limit: rows }, known), (first) => {
    const found = pick(first, rank);
    // Links have no rank, and files that tie with the last one are named too: then there may be more behind.
    const more =
      rows < MAX_ROWS && found.files.length === realFiles(first).length && first.matching > first.files.length;
    if (!more) return done(found);
    return andThen(listing(rank.scope, { ...order, limit: MAX_ROWS }, known), (all) => done(pick(all, rank)));
  });
}

const realFiles = (list: Listing): FileLine[] => list.files.filter((file) => file.size !== undefined);

const measureOf = (file: FileLine | undefined, by: Rank["by"]): number | string | undefined =>
  by === "size" ? file?.size : file?.modified;

function pick(list: Listing, rank: Rank): Ranked {
  const ordered = realFiles(list);
  const last = measureOf(ordered[Math.min(rank.count, ordered.length) - 1], rank.by);
  const files = ordered.filter((file, index) => index < rank.count || measureOf(file, rank.by) === last);
  return { listing: list, files };
}

export interface Resolved {
  readonly path: string;
  /** Other files of that name. */
  readonly others: readonly string[];
}

/** Finds the file that is meant. */
export function resolve(target: Target, known: Known): Step<Resolved> {
  switch (target.type) {
    case "it":
      return known.subject === undefined
        ? fail("I do not know which file you mean: please name it.")
        : done({ path: known.subject, others: [] });
    case "ranked":
      return andThen(ranked(target.rank, known), ({ files: [first] }) => {
        return first === undefined
          ? fail("There is no such file: the listing is empty.")
          : done({ path: first.path, others: [] });
      });
    case "named":
      return byName(target.names, known);
  }
}

function byName(names: readonly string[], known: Known): Step<Resolved> {
  const [name, ...others] = names;
  if (name === undefined) return fail("I do not know which file you mean: please name it.");
  if (/^(?:\/|~\/|\.\.\/)/u.test(name)) return done({ path: name, others: [] });
  return andThen(filesNamed(name, known), (files) => {
    const best = closest(files, name);
    if (best !== undefined) return done(best);
    if (others.length === 0) return fail(`I found no file named ${quoted(name)} here.`);
    const next = byName(others, known);
    return next.do === "fail" ? fail(`I found no file named ${quoted(name)} here.`) : next;
  });
}

/** Names in code marks, as the answers show paths. */
export const quoted = (text: string): string => (text.includes("`") ? `"${text}"` : `\`${text}\``);

/** With any ending when the name has none; a name that is part of others is tried last. */
function filesNamed(name: string, known: Known): Step<readonly FileLine[]> {
  const bare = name.replace(/^\.\//u, "");
  const glob = globOf(bare);
  const exactly = filesLike(`**/${glob}`, known);
  const withEnding = hasEnding(bare) ? done([]) : filesLike(`**/${glob}.*`, known);
  return andThen(both(exactly, withEnding), ([exact, ended]) => {
    const files = [...exact, ...ended];
    return files.length > 0 || bare.includes("/") ? done(files) : filesLike(`*${glob}*`, known);
  });
}

const filesLike = (glob: string, known: Known): Step<readonly FileLine[]> =>
  andThen(listing({ name: glob }, { limit: FIRST_ROWS }, known), (list) => done(list.files));

const hasEnding = (name: string): boolean => /.\.[^./\s]{1,10}$/u.test(name);

function closest(files: readonly FileLine[], name: string): Resolved | undefined {
  const bare = name.replace(/^\.\//u, "");
  const distance = ({ path }: FileLine): number => {
    if (path === bare) return 0;
    const depth = path.split("/").length;
    return path.endsWith(`/${bare}`) ? depth : depth + 0.5;
  };
  const [best, ...others] = [...files].sort((a, b) => distance(a) - distance(b));
  return best && { path: best.path, others: others.map((file) => file.path) };
}

export function page(
  path: string,
  window: { readonly offset?: number; readonly limit: number },
  known: Known,
): Step<Page> {
  // What an earlier turn has read is not at hand.
  return andThen(receipt("read_file", { path, ...window, force: true }, known), (text) => {
    const read = readPage(text);
    return read === undefined ? fail(refusal(`read ${quoted(path)}`, text)) : done(read);
  });
}

const PAGE_LINES = 2_000;
const MAX_PAGES = 20;

export interface WholeText {
  readonly path: string;
  readonly lines: readonly string[];
  /** The text goes on behind `lines`. */
  readonly more: boolean;
  /** The lines, each ended by a line feed, are all there is to the file: its bytes can be had from them. */
  readonly exact: boolean;
  /** A line feed stands behind the last line too. */
  readonly finalBreak: boolean;
}

/** The whole text, page by page, up to a bound. */
export function wholeText(path: string, known: Known): Step<WholeText> {
  const lines: string[] = [];
  let offset: number | undefined;
  let plain = true;
  for (let pages = 0; pages < MAX_PAGES; pages += 1) {
    const step = page(path, { ...(offset !== undefined && { offset }), limit: PAGE_LINES }, known);
    if (step.do !== "done") return step;
    const { texts, bytes, next } = step.value;
    lines.push(...texts);
    plain &&= step.value.plain;
    offset = next;
    if (offset !== undefined) continue;
    // What the tool left out of a line, a mark at the beginning, other line ends: all of it shows in the number of bytes.
    const open = bytes - Buffer.byteLength(lines.join("\n"));
    const exact = plain && (open === 0 || open === 1);
    return done({ path: step.value.path, lines, more: false, exact, finalBreak: open === 1 });
  }
  return done({ path, lines, more: true, exact: false, finalBreak: false });
}
