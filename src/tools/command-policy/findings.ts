import type { SyntaxNode } from "unbash";
import type { CommandPlace, FoundProgram } from "./options.ts";

/** One word that a program gets, as far as it can be told beforehand. */
export interface Arg {
  /** Without what the shell would fill in, where that is not known. */
  readonly text: string;
  /** `number`: digits that nobody knows yet; `unknown`: anything may stand in it. */
  readonly certain: "known" | "number" | "unknown";
  /** As it was written. */
  readonly raw: string;
  /** It came from a pattern that stands for all that is in this folder. */
  readonly wholeFolder?: string;
}

export interface Finding {
  /** `deny`: in every mode, whoever says yes (security §3.1 C4). */
  readonly type: "ask" | "deny";
  readonly why: string;
  /** What would be run, as far as it is written out; empty: no program. */
  readonly words: readonly string[];
  /** The words that "always" would stand for; absent: nothing of it can be allowed for good. */
  readonly learn?: { readonly program?: string; readonly prefix: readonly string[] };
}

/** What a command would do, gathered while it is walked through. */
export interface Findings {
  readonly all: Finding[];
  /** Every program by the name it is called by, and where it is. */
  readonly programs: Map<string, FoundProgram | undefined>;
  /** Every call with its words, as they are known. */
  readonly calls: string[][];
  readonly writes: Set<string>;
  readonly deletes: Set<string>;
  readonly variables: Set<string>;
  readonly labels: Set<Label>;
}

export type Label = "network" | "code" | "downloaded code" | "privilege" | "container";

export const noFindings = (): Findings => ({
  all: [],
  programs: new Map(),
  calls: [],
  writes: new Set(),
  deletes: new Set(),
  variables: new Set(),
  labels: new Set(),
});

/** Where a simple command stands. */
export interface Scope {
  readonly place: CommandPlace;
  readonly found: Findings;
  /** Every folder this point may be reached in: a `cd` may have failed or have been skipped. */
  folders: readonly string[];
  /** Where the last `cd` leads, when it succeeds. */
  entered?: readonly string[];
  /** What a variable may hold here; `trusted`: it holds nothing else. */
  readonly variables: ReadonlyMap<string, Variable>;
  readonly depth: number;
  /** It runs inside of something that nobody can allow for good, such as a wrapper or a substitution. */
  readonly inner?: true;
  /** What comes in through a pipe. */
  readonly piped?: Piped;
  readonly walk: Walk;
}

/** Looks into what stands inside of a command. */
export interface Walk {
  /** A text that a shell would read. */
  readonly text: (text: string, scope: Scope) => void;
  /** Commands whose output becomes part of a word. */
  readonly substitutions: (node: SyntaxNode, scope: Scope) => void;
  /** Another call, such as that of a program that is run by this one. */
  readonly call: (words: readonly Arg[], call: Call) => void;
}

/** Where and how a program is called. */
export interface Call {
  readonly scope: Scope;
  readonly folder: string;
  /** What stands in the command and the program reads. */
  readonly input?: string;
  /** It reads a file, or another stream, in place of what a person types. */
  readonly fed?: true;
  /** Another program calls it. */
  readonly wrapped?: true;
}

export interface Variable {
  readonly values: readonly string[];
  readonly trusted: boolean;
}

/** What the program before gives to the next. */
export interface Piped {
  /** Written out, such as by echo. */
  readonly text?: string;
  /** Names of files, all below these folders. */
  readonly names?: { readonly roots: readonly string[]; readonly ending?: string };
}

export const BACKGROUND =
  "Background commands (&, nohup, disown, setsid) are not run in the foreground: call terminal with background: true and without them, and look after it with the tool process.";

export function addFinding({ found }: Scope, finding: Finding): void {
  const same = found.all.some(
    ({ type, why, words }) =>
      type === finding.type && why === finding.why && words.join("\0") === finding.words.join("\0"),
  );
  if (!same) found.all.push(finding);
}

export const ask = (scope: Scope, why: string, words: readonly string[] = []): void => {
  addFinding(scope, { type: "ask", why, words });
};

export const deny = (scope: Scope, why: string, words: readonly string[] = []): void => {
  addFinding(scope, { type: "deny", why, words });
};

/** Look-alike letters of other alphabets are shown as what they are. */
export const shownName = (name: string): string =>
  name.replace(/[^\x20-\x7E]/gu, (c) => `\\u{${(c.codePointAt(0) ?? 0).toString(16)}}`).slice(0, 100);
