import {
  forEachChild,
  parse,
  type AndOr,
  type Assignment,
  type Case,
  type CommandNode,
  type CompoundList,
  type For,
  type Function as FunctionNode,
  type ParsedScript,
  type Pipeline,
  type Statement,
  type SyntaxNode,
  type Word,
} from "unbash";
import { judgeCall } from "./call.ts";
import { ask, deny, BACKGROUND, type Findings, type Piped, type Scope, type Variable, type Walk } from "./findings.ts";
import { pipedBy } from "./pipes.ts";
import type { CommandPlace } from "./options.ts";
import { judgeRedirect } from "./redirects.ts";
import { judgeSimple } from "./simple.ts";
import { literalText, readWord } from "./words.ts";

// Security §3.1 C2.
const MAX_COMMANDS = 64;
const MAX_DEPTH = 8;
/** Each may be a path that has to be looked at. */
const MAX_WORDS = 500;

/** Judges a text and all that is in it; what comes of it is in `found`. */
export function walkCommand(text: string, place: CommandPlace, found: Findings): void {
  const scope: Scope = { place, found, folders: [place.cwd], variables: new Map(), depth: 0, walk: WALK };
  walkText(text, scope);
}

/** The same for a text that is part of a command, such as what `sh -c` is given. */
function walkText(text: string, scope: Scope): void {
  const script = parse(text);
  const survey = surveyOf(script);
  if (survey.unclear) ask(scope, "The command is no complete shell syntax.");
  if (survey.background && scope.place.background !== true) deny(scope, BACKGROUND);
  if (isTooLong(survey)) {
    const most = survey.commands > MAX_COMMANDS ? `${MAX_COMMANDS} parts` : `${MAX_WORDS} words`;
    deny(scope, `The command has more than ${most}: do it in several steps.`);
    return;
  }
  if (survey.commands === 0) ask(scope, "The command runs no program.");
  const variables = new Map([...scope.variables, ...assignedIn(survey, scope)]);
  walkList(script.commands, { ...scope, variables, depth: scope.depth + (scope.depth === 0 ? 0 : 1) });
}

const WALK: Walk = { text: walkText, substitutions: walkSubstitutions, call: judgeCall };

interface Survey {
  commands: number;
  words: number;
  background: boolean;
  unclear: boolean;
  readonly assignments: Assignment[];
  readonly loops: string[];
}

/** Looks into every corner, substitutions too. */
function surveyOf(script: ParsedScript): Survey {
  const survey: Survey = { commands: 0, words: 0, background: false, unclear: false, assignments: [], loops: [] };
  const visit = (node: SyntaxNode): void => {
    note(node, survey);
    // A text that is too long is refused: nobody looks at the rest of it.
    if (!isTooLong(survey)) forEachChild(node, visit);
  };
  visit(script);
  return survey;
}

function note(node: SyntaxNode, survey: Survey): void {
  switch (node.type) {
    case "Script":
      if ((node.errors?.length ?? 0) > 0) survey.unclear = true;
      return;
    case "Statement":
      if (node.background === true) survey.background = true;
      return;
    case "Command":
      survey.commands += 1;
      return;
    case "Word":
      survey.words += 1;
      return;
    case "Assignment":
      survey.assignments.push(node);
      return;
    case "For":
    case "Select":
      survey.loops.push(node.name.text);
      return;
    default:
  }
}

const isTooLong = ({ commands, words }: Survey): boolean => commands > MAX_COMMANDS || words > MAX_WORDS;

/** Whatever a variable is set to anywhere, it may hold everywhere, beside what it held before. */
function assignedIn({ assignments, loops }: Survey, scope: Scope): Map<string, Variable> {
  const variables = new Map<string, Variable>();
  const folder = scope.folders[0] ?? "";
  for (const { name, value } of assignments) {
    const texts =
      value.type === "Word" ? readWord(value, scope, { folder, binding: new Map() }).map(({ text }) => text) : [""];
    const before = variables.get(name)?.values ?? [scope.place.variable(name) ?? ""];
    variables.set(name, { values: [...new Set([...before, ...texts])], trusted: false });
  }
  // The same name in two loops: the one inside leaves its last value to the one around it.
  for (const name of loops)
    if (variables.has(name) || loops.filter((other) => other === name).length > 1)
      variables.set(name, { values: variables.get(name)?.values ?? [""], trusted: false });
  return variables;
}

function walkList(statements: readonly Statement[], scope: Scope): void {
  if (scope.depth > MAX_DEPTH) {
    deny(scope, `The command is nested deeper than ${MAX_DEPTH}: do it in several steps.`);
    return;
  }
  for (const statement of statements) {
    if (statement.background === true) ask(scope, "It leaves a process running behind it (&).");
    walkNode(statement.command, scope);
  }
}

function walkNode(node: CommandNode | Pipeline | AndOr, scope: Scope): void {
  switch (node.type) {
    case "AndOr":
      walkChain(node, scope);
      return;
    case "Pipeline":
      walkPipeline(node, scope);
      return;
    case "Command":
      judgeSimple(node, scope);
      return;
    case "Redirected":
      for (const redirect of node.redirects) judgeRedirect(redirect, scope);
      walkNode(node.command, scope);
      return;
    case "Subshell":
      walkList(node.body.commands, deeper(scope));
      return;
    default:
      walkCompound(node, scope);
  }
}

/** What stands behind `cd X &&` runs in X alone; what stands behind all of it, wherever any part of it may have led. */
function walkChain({ commands, operators }: AndOr, scope: Scope): void {
  let reached = scope.folders;
  for (const [at, part] of commands.entries()) {
    const own = { ...scope };
    walkNode(part, own);
    reached = [...new Set([...reached, ...own.folders])];
    // Behind `||` another part may have been the one that succeeded.
    const isAlone = part.type === "Command" && operators.slice(0, at).every((operator) => operator === "&&");
    const succeeded = isAlone && own.entered !== scope.entered ? (own.entered ?? []) : [];
    if (operators[at] !== "&&") scope.folders = reached;
    else scope.folders = succeeded.length > 0 ? succeeded : own.folders;
  }
}

type Compound = Exclude<CommandNode, { type: "Command" | "Redirected" | "Subshell" }>;

function walkCompound(node: Compound, scope: Scope): void {
  switch (node.type) {
    case "BraceGroup":
      walkInPlace([node.body], scope);
      return;
    case "If":
      walkInPlace([node.clause, node.then, ...node.elif.flatMap((e) => [e.clause, e.then]), node.else], scope);
      return;
    case "While":
      walkRounds([node.clause, node.body], scope);
      return;
    case "For":
      walkFor(node, scope);
      return;
    case "Case":
      walkCase(node, scope);
      return;
    case "Function":
      walkFunction(node, scope);
      return;
    case "Select":
    case "ArithmeticFor":
      walkUnjudged(node, scope);
      walkInPlace([node.body], scope);
      return;
    case "Coproc":
      deny(scope, BACKGROUND);
      return;
    default:
      walkUnjudged(node, scope);
  }
}

/** What it does is not known; what stands in it would run all the same. */
function walkUnjudged(node: Compound, scope: Scope): void {
  ask(scope, `The command uses shell syntax (${node.type}) that is not judged.`);
  walkSubstitutions(node, scope);
}

const deeper = (scope: Scope): Scope => ({ ...scope, depth: scope.depth + 1 });

/** Each program of a pipeline runs in a shell of its own. */
function walkPipeline({ commands }: Pipeline, scope: Scope): void {
  let piped: Piped | undefined = scope.piped;
  for (const part of commands) {
    const { piped: _before, ...rest } = scope;
    const own: Scope = piped === undefined ? rest : { ...rest, piped };
    if (commands.length === 1) {
      walkNode(part, scope);
      return;
    }
    walkNode(part, own);
    piped = pipedBy(part, own) ?? {};
  }
}

/** Lists that run in this shell itself, so a `cd` in them lasts. */
function walkInPlace(lists: readonly (CompoundList | undefined)[], scope: Scope): void {
  const inner = deeper(scope);
  for (const list of lists) if (list !== undefined) walkList(list.commands, inner);
  scope.folders = inner.folders;
}

/** What a round does, such as entering a folder, holds for the next one: until nothing new comes of it. */
function walkRounds(lists: readonly CompoundList[], scope: Scope): void {
  let before: number;
  do {
    before = scope.folders.length;
    walkInPlace(lists, scope);
  } while (scope.folders.length > before);
}

const LOOP_NAME = /^[a-z]\w*$/;

/** A list that is written out is judged word by word; of any other nobody knows what the variable holds. */
function walkFor({ name, wordlist = [], body }: For, scope: Scope): void {
  const words = wordlist.map((word) => valuesOf(word, scope));
  const isPlain = words.length > 0 && words.every((values) => values !== undefined);
  const trusted = isPlain && scope.variables.get(name.text)?.trusted !== false && LOOP_NAME.test(name.text);
  for (const word of wordlist) walkSubstitutions(word, scope);
  if (!isPlain) ask(scope, "What a loop goes through is filled in by the shell.");
  if (!LOOP_NAME.test(name.text)) ask(scope, "A loop sets a variable that may steer programs.");
  const values = isPlain ? words.flatMap((texts) => texts ?? []) : [""];
  const inner = deeper({ ...scope, variables: new Map([...scope.variables, [name.text, { values, trusted }]]) });
  walkRounds([body], inner);
  scope.folders = inner.folders;
}

function valuesOf(word: Word, scope: Scope): string[] | undefined {
  const [folder = "", ...others] = scope.folders;
  if (others.length > 0 && literalText(word) === undefined) return undefined;
  const args = readWord(word, scope, { folder, binding: new Map() });
  return args.length > 0 && args.every(({ certain }) => certain === "known") ? args.map(({ text }) => text) : undefined;
}

function walkCase({ word, items }: Case, scope: Scope): void {
  for (const part of [word, ...items.flatMap(({ pattern }) => pattern)]) {
    walkSubstitutions(part, scope);
    if (/[$`]/.test(part.text) && valuesOf(part, scope) === undefined)
      ask(scope, "What a case is about is filled in by the shell.");
  }
  walkInPlace(
    items.map(({ body }) => body),
    scope,
  );
}

/** One that calls itself, and more than once at a time, fills the machine. */
function walkFunction(node: FunctionNode, scope: Scope): void {
  const name = literalText(node.name) ?? node.name.text;
  let calls = 0;
  let spreads = false;
  const visit = (child: SyntaxNode): void => {
    if (child.type === "Command" && child.name !== undefined && literalText(child.name) === name) calls += 1;
    if (
      (child.type === "Pipeline" && child.commands.length > 1) ||
      (child.type === "Statement" && child.background === true)
    )
      spreads = true;
    forEachChild(child, visit);
  };
  visit(node.body);
  if (calls > 0 && spreads) deny(scope, "It is a fork bomb: a function that starts itself again and again.");
  ask(scope, "The command gives a name another meaning (a function).");
  if (node.body.type === "CompoundList") walkList(node.body.commands, deeper(scope));
  else walkNode(node.body, deeper(scope));
}

/** Commands whose output becomes part of a word. */
function walkSubstitutions(node: SyntaxNode, scope: Scope): void {
  const inner: Scope = { ...scope, depth: scope.depth + 1, inner: true };
  const visit = (child: SyntaxNode): void => {
    if (child.type === "Script") {
      walkList(child.commands, inner);
      return;
    }
    if (child.type === "Word" || child.type === "Assignment") walkPatterns(child.text, inner);
    forEachChild(child, visit);
  };
  if (node.type === "Word") walkPatterns(node.text, inner);
  forEachChild(node, visit);
}

/** In `${V/$(…)/b}` the parser ends the pattern at the first slash, also inside of a command. */
const REPLACES = /\$\{[^{}]*?\/[^]*?(?:\$\(|`)/;
const SUBSTITUTION = /\$\(((?:[^()]|\((?:[^()]|\([^()]*\))*\))*)\)|`([^`]*)`/g;

function walkPatterns(text: string, scope: Scope): void {
  if (!REPLACES.test(text)) return;
  for (const [, code, old] of text.matchAll(SUBSTITUTION)) walkText(code ?? old ?? "", scope);
}
