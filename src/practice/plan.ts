import * as say from "./answers.ts";
import type { Intent, LineRange, Rank, SearchIntent } from "./intents.ts";
import {
  andThen,
  both,
  done,
  fail,
  listing,
  MAX_ROWS,
  page,
  quoted,
  ranked,
  receipt,
  refusal,
  resolve,
  wholeText,
} from "./look-up.ts";
import { todoStep } from "./keep-todos.ts";
import { checkStep, editStep } from "./make-changes.ts";
import type { Known, Receipt, Resolved, Step } from "./look-up.ts";
import { outlineOf } from "./outline.ts";
import { isCutLine, readMatches, type Listing, type Matches, type Page } from "./receipts.ts";
import { anyCase, globOf, scopeGlob, type Scope } from "./scope.ts";
import type { Reply, WantedCall } from "./completion.ts";

/** The answer to one intent and the file it was about. */
interface Answer {
  readonly text: string;
  readonly subject?: string | undefined;
}

/** The next reply: the calls that are still needed, all that can be made now, or the answer from their receipts. */
export function plan(intents: readonly Intent[], known: Known, callsForbidden: boolean): Reply {
  const draft = new Draft(known);
  for (const intent of intents) draft.take(intent);
  return draft.reply(callsForbidden);
}

/** As many as run at once (design §4); the others follow in the next reply. */
const MAX_CALLS = 8;

/** A reply while it is thought out, one intent after the other. */
class Draft {
  private known: Known;
  private readonly texts: string[] = [];
  private readonly calls = new Map<string, WantedCall>();
  /** What should be seen before the calls are made. */
  private readonly before: string[] = [];
  /** What could not be answered yet. */
  private readonly missing: string[] = [];
  private waiting = false;
  private changing = false;

  constructor(known: Known) {
    this.known = known;
  }

  take(intent: Intent): void {
    if (this.changing || (this.waiting && mustWait(intent))) {
      this.missing.push(say.nameOf(intent));
      return;
    }
    const sight = new Sight(this.known);
    const step = stepOf(intent, sight.known);
    if (step.do === "call") this.want(intent, step);
    else this.settle(intent, step, sight.since);
  }

  private want(intent: Intent, step: Extract<Step<Answer>, { readonly do: "call" }>): void {
    for (const call of step.calls) this.calls.set(JSON.stringify(call), call);
    if (step.say !== undefined) this.before.push(step.say);
    this.missing.push(say.nameOf(intent));
    this.waiting = true;
    this.changing = changes(intent);
  }

  private settle(intent: Intent, step: Exclude<Step<Answer>, { readonly do: "call" }>, since: number): void {
    const { facts, subject } = this.known;
    this.texts.push(step.do === "done" ? step.value.text : step.text);
    this.known = {
      ...this.known,
      subject: (step.do === "done" ? step.value.subject : undefined) ?? subject,
      since: changes(intent) ? since : this.known.since,
      facts: intent.type === "remember" ? [...facts, intent.fact] : facts,
    };
  }

  reply(callsForbidden: boolean): Reply {
    if (this.calls.size > 0 && !callsForbidden) {
      const text = this.before.join("\n\n");
      return { type: "calls", calls: [...this.calls.values()].slice(0, MAX_CALLS), ...(text !== "" && { text }) };
    }
    const lost = `I may not call tools any more, so I could not find out: ${this.missing.join(", ")}.`;
    return { type: "answer", text: [...this.texts, ...(this.missing.length > 0 ? [lost] : [])].join("\n\n") };
  }
}

/** What it finds may be another thing afterwards, so nothing is done beside it. */
function changes({ type }: Intent): boolean {
  return type === "edit" || type === "write" || type === "run" || type === "check" || type === "todo";
}

/** It goes by what is found out before it. */
const mustWait = (intent: Intent): boolean => changes(intent) || ("target" in intent && intent.target.type === "it");

/** Remembers the newest receipt that was read. */
class Sight {
  since: number;
  readonly known: Known;

  constructor(known: Known) {
    this.since = known.since;
    this.known = { ...known, receiptOf: (call, since) => this.note(known.receiptOf(call, since)) };
  }

  private note(receipt: Receipt | undefined): Receipt | undefined {
    if (receipt !== undefined) this.since = Math.max(this.since, receipt.at + 1);
    return receipt;
  }
}

function stepOf(intent: Intent, known: Known): Step<Answer> {
  switch (intent.type) {
    case "list":
      return andThen(listing(intent.scope, { limit: LISTED_FILES }, known), (list) =>
        done({ text: say.listAnswer(intent.scope, list) }),
      );
    case "list-folders":
      return andThen(listing(intent.scope, { limit: MAX_ROWS }, known), (list) =>
        done({ text: say.foldersListed(intent.scope, list) }),
      );
    case "overview":
      return overview(known);
    case "rank":
      return rankStep(intent, known);
    case "count":
      return andThen(listing(intent.scope, { limit: 1 }, known), (list) =>
        done({
          text: intent.what === "files" ? say.countAnswer(intent.scope, list) : say.foldersAnswer(intent.scope, list),
        }),
      );
    case "count-text":
      return andThen(matchesOf(intent.text, intent.scope, known), ({ matches, anyCase }) =>
        done({ text: say.occurrencesAnswer(intent.text, matches, anyCase), subject: matches.found[0]?.path }),
      );
    case "search":
      return searchStep(intent, known);
    case "count-lines":
    case "size":
    case "read":
    case "outline":
      return aboutFile(intent, known);
    case "run":
      return andThen(receipt("terminal", { command: intent.command }, known), (text) =>
        done({ text: `${quoted(intent.command)}:\n${say.fenced(text.trimEnd())}` }),
      );
    case "write":
      return andThen(receipt("write_file", { path: intent.path, content: intent.content }, known), (text) =>
        done({ text, subject: intent.path }),
      );
    case "edit":
      return editStep(intent, known);
    case "check":
      return checkStep(known);
    case "todo":
      return todoStep(intent.ask, known);
    case "remember":
      return done({ text: say.remembered(intent.fact) });
    case "recall":
      return done({ text: say.recalled(known.facts, intent.about) });
    case "help":
      return done({ text: say.ABILITIES });
    case "beyond":
      return done({ text: intent.why });
    case "unknown":
      return done({ text: `${say.cannot(intent.text)}\n${say.ABILITIES}` });
  }
}

const LISTED_FILES = 100;

function rankStep(rank: Rank, known: Known): Step<Answer> {
  return andThen(ranked(rank, known), (found) =>
    done({ text: say.rankAnswer(rank, found), subject: found.files[0]?.path }),
  );
}

/** What kinds of files there are, and the headings of the first README. */
function overview(known: Known): Step<Answer> {
  const readme = listing({ name: "README*" }, { limit: NAMED_FILES }, known);
  return andThen(both(listing({}, { limit: MAX_ROWS }, known), readme), ([list, { files }]) => {
    const [first] = files.toSorted((a, b) => a.path.split("/").length - b.path.split("/").length);
    if (first === undefined) return done({ text: say.overviewAnswer(list) });
    return andThen(wholeText(first.path, known), ({ lines, more }) => {
      const outline = say.outlineAnswer(first.path, outlineOf(first.path, lines), more);
      return done({ text: `${say.overviewAnswer(list)}\n\n${outline}`, subject: first.path });
    });
  });
}

interface AnyMatches {
  readonly matches: Matches;
  readonly anyCase: boolean;
}

/** First as it was written, then in any case. */
function matchesOf(text: string, scope: Scope, known: Known): Step<AnyMatches> {
  return andThen(content(text, scope, false, known), (exact) => {
    if (exact.lines > 0 || text.toLowerCase() === text.toUpperCase()) return done({ matches: exact, anyCase: false });
    return andThen(content(text, scope, true, known), (matches) => done({ matches, anyCase: matches.lines > 0 }));
  });
}

function content(text: string, scope: Scope, ignoreCase: boolean, known: Known): Step<Matches> {
  const glob = scopeGlob(scope);
  const input = {
    mode: "content",
    pattern: text.replaceAll(/[\\^$.*+?()[\]{}|]/gu, String.raw`\$&`),
    ...(scope.folder !== undefined && { path: scope.folder }),
    ...(glob !== undefined && { glob: anyCase(glob) }),
    ...(ignoreCase && { ignore_case: true }),
    limit: MAX_ROWS,
  };
  return andThen(receipt("search_files", input, known), (answer) => {
    const read = readMatches(answer);
    return read === undefined ? fail(refusal("search", answer)) : done(read);
  });
}

const NAMED_FILES = 50;

function searchStep(search: SearchIntent, known: Known): Step<Answer> {
  const { text, where, scope } = search;
  const inNames: Step<Listing | undefined> =
    where === "text"
      ? done(undefined)
      : listing({ ...scope, name: `*${globOf(text)}*` }, { limit: NAMED_FILES }, known);
  const inText: Step<AnyMatches | undefined> = where === "names" ? done(undefined) : matchesOf(text, scope, known);
  return andThen(both(inNames, inText), ([names, found]) => {
    const subject = names?.files[0]?.path ?? found?.matches.found[0]?.path;
    return done({ text: say.searchAnswer(search, { names, ...found }), subject });
  });
}

type AboutFile = Extract<Intent, { readonly type: "count-lines" | "size" | "read" | "outline" }>;

function aboutFile(intent: AboutFile, known: Known): Step<Answer> {
  return andThen(resolve(intent.target, known), (file) =>
    andThen(fileText(intent, file, known), (text) => done({ text: text + say.othersNote(file), subject: file.path })),
  );
}

function fileText(intent: AboutFile, { path }: Resolved, known: Known): Step<string> {
  switch (intent.type) {
    case "count-lines":
      return andThen(page(path, { limit: 1 }, known), (read) => done(say.linesAnswer(read)));
    case "size":
      return andThen(listing({ folder: path }, { limit: 1 }, known), ({ bytes }) =>
        done(`${quoted(path)} has ${bytes} bytes.`),
      );
    case "read":
      return andThen(pageOf(path, intent.lines, known), (read) => done(say.readAnswer(read)));
    case "outline":
      return andThen(wholeText(path, known), ({ lines, more }) => {
        const cut = more || lines.some(isCutLine);
        if (cut && /\.json$/iu.test(path)) return done(`${quoted(path)} is too long for me to read as JSON.`);
        return done(say.outlineAnswer(path, outlineOf(path, lines), more));
      });
  }
}

/** Lines shown when nobody says how many. */
const START_LINES = 40;
const MOST_LINES = 400;

function pageOf(path: string, lines: LineRange, known: Known): Step<Page> {
  switch (lines.type) {
    case "start":
      return page(path, { limit: START_LINES }, known);
    case "span":
      return page(path, { offset: lines.from, limit: Math.min(MOST_LINES, lines.to - lines.from + 1) }, known);
    case "last":
      return andThen(page(path, { limit: 1 }, known), ({ total }) => {
        if (total === undefined) return fail(`${quoted(path)} is too long for me to find its last lines.`);
        const limit = Math.min(MOST_LINES, lines.count);
        return total === 0
          ? page(path, { limit: 1 }, known)
          : page(path, { offset: Math.max(1, total - limit + 1), limit }, known);
      });
  }
}
