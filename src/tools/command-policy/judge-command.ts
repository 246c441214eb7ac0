import { resolve } from "node:path";
import {
  forEachChild,
  parse,
  type AndOr,
  type Command,
  type CommandNode,
  type CompoundList,
  type HereDoc,
  type ParsedScript,
  type Pipeline,
  type Redirection,
  type Statement,
  type SyntaxNode,
} from "unbash";
import { readProblem, type CommandPlace } from "./options.ts";
import { decidesForUs } from "./own-commands.ts";
import { judgeProgram } from "./programs.ts";
import { literalText } from "./words.ts";

export type Judgement =
  /** Only reads, and only what may be read without a question. */
  | { readonly type: "read-only" }
  | { readonly type: "ask"; readonly why: string }
  /** Cannot be run as it is, also when a person would agree. */
  | { readonly type: "refuse"; readonly why: string };

// Security §3.1 C2.
const MAX_LENGTH = 16 * 1024;
const MAX_COMMANDS = 64;
const MAX_DEPTH = 8;
/** Parsing time grows faster than nesting: 200 takes a few ms, 8,000 a second. */
const MAX_BRACKETS = 200;
/** Control characters, and those that hide or reorder what a person would read before agreeing. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;
/** Leave the process group, so nobody could end what they start. */
const DETACHING = new Set(["nohup", "disown", "setsid"]);

const PERSONS_ONLY = "This decides what this program may do: only a person runs it, and not from here.";
const BACKGROUND =
  "Background commands (&, nohup, disown, setsid) are not run in the foreground: call terminal with background: true and without them, and look after it with the tool process.";
const LEAVES = "It leaves a process running behind it (&).";

/**
 * Judges the exact text that will run (security §3.1). Read-only is what is known to be: every simple command is in
 * the table of programs, with literal operands that may be read, and writes nowhere. All else asks. Pure as far as
 * `place` is.
 */
export function judgeCommand(command: string, place: CommandPlace): Judgement {
  if (command.includes("\0"))
    return { type: "refuse", why: "The command contains a NUL character, which no shell can run." };
  if (command.length > MAX_LENGTH) return ask(`The command is longer than ${MAX_LENGTH} characters.`);
  if (HIDDEN.test(command.replaceAll(/[\t\n]/g, "")))
    return ask("The command contains control characters or invisible characters.");
  if ((command.match(/[({`]/g)?.length ?? 0) > MAX_BRACKETS)
    return ask(`The command has more than ${MAX_BRACKETS} brackets.`);
  const script = parse(command);
  const survey = surveyOf(script, place.background === true);
  if (survey.unclear) return ask("The command is no complete shell syntax.");
  if (survey.refused !== undefined) return { type: "refuse", why: survey.refused };
  if (survey.commands > MAX_COMMANDS) return ask(`The command has more than ${MAX_COMMANDS} parts.`);
  if (survey.commands === 0) return ask("The command runs no program.");
  const reasons: string[] = [];
  judgeList(script.commands, { place, reasons, folders: [place.cwd], depth: 0 });
  return reasons[0] === undefined ? { type: "read-only" } : ask(reasons[0]);
}

const ask = (why: string): Judgement => ({ type: "ask", why });

interface Survey {
  commands: number;
  /** Why it cannot be run as it is. */
  refused: string | undefined;
  unclear: boolean;
}

/** Looks into every corner, substitutions too. */
function surveyOf(script: ParsedScript, background: boolean): Survey {
  const survey: Survey = { commands: 0, refused: undefined, unclear: false };
  const visit = (node: SyntaxNode): void => {
    if (node.type === "Script" && (node.errors?.length ?? 0) > 0) survey.unclear = true;
    if (node.type === "Statement" && node.background === true && !background) survey.refused = BACKGROUND;
    if (node.type === "Command") {
      survey.commands += 1;
      survey.refused ??= commandRefusal(node);
    }
    forEachChild(node, visit);
  };
  visit(script);
  return survey;
}

function commandRefusal(command: Command): string | undefined {
  const name = command.name === undefined ? undefined : literalText(command.name);
  if (name === undefined) return undefined;
  if (DETACHING.has(name)) return BACKGROUND;
  const args = command.args.flatMap((word) => (word.type === "Word" ? (literalText(word) ?? []) : []));
  return decidesForUs(name, args) ? PERSONS_ONLY : undefined;
}

interface Scope {
  readonly place: CommandPlace;
  /** Why a person must agree; the first is shown. */
  readonly reasons: string[];
  /** Every folder this point may be reached in: a `cd` may have failed or have been skipped. */
  folders: readonly string[];
  readonly depth: number;
}

const inside = (scope: Scope): Scope => ({ ...scope, depth: scope.depth + 1 });

function judgeList(statements: readonly Statement[], scope: Scope): void {
  if (scope.depth > MAX_DEPTH) {
    scope.reasons.push(`The command is nested deeper than ${MAX_DEPTH}.`);
    return;
  }
  for (const statement of statements) {
    if (statement.background === true) scope.reasons.push(LEAVES);
    judgeNode(statement.command, scope);
  }
}

function judgeNode(node: CommandNode | Pipeline | AndOr, scope: Scope): void {
  switch (node.type) {
    case "AndOr":
      for (const part of node.commands) judgeNode(part, scope);
      return;
    case "Pipeline":
      for (const part of node.commands) judgeNode(part, node.commands.length > 1 ? { ...scope } : scope);
      return;
    case "Command":
      judgeSimple(node, scope);
      return;
    case "Redirected":
      for (const redirect of node.redirects) judgeRedirect(redirect, scope);
      judgeNode(node.command, scope);
      return;
    case "Subshell":
      judgeList(node.body.commands, inside(scope));
      return;
    case "BraceGroup":
      judgeInPlace([node.body], scope);
      return;
    case "If":
      judgeInPlace([node.clause, node.then, ...node.elif.flatMap((e) => [e.clause, e.then]), node.else], scope);
      return;
    default:
      scope.reasons.push(`The command uses shell syntax (${node.type}) that is not judged.`);
  }
}

/** Lists that run in this shell itself, so a `cd` in them lasts. */
function judgeInPlace(lists: readonly (CompoundList | undefined)[], scope: Scope): void {
  const inner = inside(scope);
  for (const list of lists) if (list !== undefined) judgeList(list.commands, inner);
  scope.folders = inner.folders;
}

function judgeSimple(command: Command, scope: Scope): void {
  for (const redirect of command.redirects) judgeRedirect(redirect, scope);
  if (command.prefix.some((part) => part.type === "Assignment")) {
    scope.reasons.push("The command sets a variable.");
    return;
  }
  const words = command.args.map((word) => (word.type === "Word" ? literalText(word) : undefined));
  const name = command.name === undefined ? undefined : literalText(command.name);
  if (name === undefined) {
    scope.reasons.push("The name of the program is not written out.");
    return;
  }
  const literal = words.filter((word) => word !== undefined);
  if (literal.length < words.length) {
    scope.reasons.push(`An argument of ${shownName(name)} is filled in by the shell, so it is not known beforehand.`);
    return;
  }
  if (name === "cd") {
    enterFolder(literal, scope);
    return;
  }
  for (const folder of scope.folders) {
    const why = judgeProgram(name, literal, { place: scope.place, folder });
    if (why !== undefined) {
      scope.reasons.push(why);
      return;
    }
  }
}

function enterFolder(words: readonly string[], scope: Scope): void {
  const [target] = words;
  if (target === undefined || words.length > 1 || target.startsWith("-")) {
    scope.reasons.push("Where cd leads is not plain.");
    return;
  }
  const why = readProblemAnywhere(target, scope);
  if (why !== undefined) scope.reasons.push(why);
  const entered = scope.folders.map((folder) => scope.place.resolve(target, folder));
  // The shell goes back by the text of the path it came, so beyond a link nobody knows where `..` leads.
  if (entered.some((folder, index) => folder !== resolve(scope.folders[index] ?? "", target))) {
    scope.reasons.push("cd leads through a link.");
  }
  scope.folders = [...new Set([...scope.folders, ...entered])];
  if (scope.folders.length > MAX_DEPTH) scope.reasons.push("The command changes folders too often to be judged.");
}

const readProblemAnywhere = (path: string, scope: Scope): string | undefined =>
  scope.folders.map((folder) => readProblem(path, { place: scope.place, folder })).find((why) => why !== undefined);

/** Output that goes nowhere else than where it would go anyway. */
const FREE_OUTPUT = new Set(["/dev/null", "/dev/stdout", "/dev/stderr"]);

function judgeRedirect(redirect: Redirection, scope: Scope): void {
  const why = redirectProblem(redirect, scope);
  if (why !== undefined) scope.reasons.push(why);
}

function redirectProblem(redirect: Redirection, scope: Scope): string | undefined {
  if (redirect.descriptor?.type === "FileDescriptorVariable") return "The command keeps a file open in a variable.";
  if (redirect.type === "HereDoc") return hereDocProblem(redirect);
  const target = redirect.target === undefined ? undefined : literalText(redirect.target);
  if (target === undefined) return "Where a redirection leads is filled in by the shell.";
  if (redirect.type === "HereString") return undefined;
  if (redirect.operator === "<") {
    return readProblemAnywhere(target, scope);
  }
  const free = DUPLICATES.has(redirect.operator) ? /^(?:\d|-)$/.test(target) : FREE_OUTPUT.has(target);
  return free && redirect.operator !== "<>" ? undefined : writes(target);
}

function hereDocProblem({ delimiter, body, closing }: HereDoc): string | undefined {
  if (closing === undefined) return "A here-document has no end.";
  const plain = delimiter?.quoted === true || !/[$`\\]/.test(body.text);
  return plain ? undefined : "A here-document is filled in by the shell.";
}

/** Their target is another open file of the shell. */
const DUPLICATES = new Set(["<&", ">&"]);

const writes = (target: string): string => `The command writes to ${shownName(target)}.`;

/** Look-alike letters of other alphabets are shown as what they are. */
const shownName = (name: string): string =>
  name.replace(/[^\x20-\x7E]/gu, (c) => `\\u{${(c.codePointAt(0) ?? 0).toString(16)}}`).slice(0, 100);
