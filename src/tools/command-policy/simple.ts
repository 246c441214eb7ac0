import type { Assignment, Command, Word } from "unbash";
import { isDangerousName } from "../../protocol/environment-names.ts";
import { readProblem } from "./options.ts";
import { resolve } from "node:path";
import { ask, deny, type Arg, type Scope } from "./findings.ts";
import { GUARDED, isOutOfReach } from "./floor.ts";
import { judgeRedirect } from "./redirects.ts";
import { bindingsOf, literalText, readWord, type Binding } from "./words.ts";
import { isHarmlessVariable } from "./wrappers.ts";

/** Judges one simple command in every folder it may run in, and with all that its variables may hold. */
export function judgeSimple(command: Command, scope: Scope): void {
  for (const redirect of command.redirects) judgeRedirect(redirect, scope);
  for (const part of command.prefix)
    if (part.type === "Assignment") judgeAssignment(part, command.name !== undefined, scope);
  for (const word of command.args) scope.walk.substitutions(word, scope);
  const { name } = command;
  if (name === undefined) return;
  scope.walk.substitutions(name, scope);
  const texts = [name, ...command.args].map(({ text }) => text);
  const bindings = bindingsOf(texts, scope.variables);
  if (bindings === undefined) ask(scope, "The command fills in too many variables to be judged.");
  const told = bindings ?? [new Map<string, string>()];
  if (literalText(name) === "cd") enterFolder(command, told, scope);
  else
    for (const folder of scope.folders) for (const binding of told) judgeAs(command, name, { scope, folder, binding });
}

interface Reading {
  readonly scope: Scope;
  readonly folder: string;
  readonly binding: Binding;
}

function judgeAs(command: Command, name: Word, { scope, folder, binding }: Reading): void {
  const given = { folder, binding };
  const args = command.args.flatMap((word) => argsOf(word, scope, given));
  // Where braces leave nothing of the name, the next word is the program.
  const [first, ...more] = [...readWord(name, scope, given), ...args];
  if (first === undefined) return;
  // A name that is filled in is not what a person has read.
  const called: Arg = literalText(name) === undefined ? { ...first, certain: "unknown" } : first;
  const input = inputOf(command);
  scope.walk.call([called, ...more], {
    scope,
    folder,
    ...(input !== undefined && { input }),
    ...(isFed(command) && { fed: true }),
  });
}

const isFed = ({ redirects }: Command): boolean =>
  redirects.some(({ type, operator }) => type === "Redirect" && operator.startsWith("<"));

/** What stands in the command itself and the program reads. */
function inputOf({ redirects }: Command): string | undefined {
  const [given] = redirects.filter(({ type }) => type !== "Redirect");
  if (given?.type === "HereDoc") return given.body.text;
  return given?.type === "HereString" && given.target !== undefined
    ? (literalText(given.target) ?? given.target.value)
    : undefined;
}

function argsOf(word: Word | Assignment, scope: Scope, given: { folder: string; binding: Binding }): Arg[] {
  if (word.type === "Word") return readWord(word, scope, given);
  const value = word.value.type === "Word" ? literalText(word.value) : undefined;
  if (value === undefined) return [{ text: word.text, certain: "unknown", raw: word.text }];
  return [{ text: `${word.name}=${value}`, certain: "known", raw: word.text }];
}

function judgeAssignment(assignment: Assignment, isPrefix: boolean, scope: Scope): void {
  const { name, value } = assignment;
  scope.found.variables.add(name);
  scope.walk.substitutions(assignment, scope);
  const text = value.type === "Word" ? literalText(value) : undefined;
  if (isPrefix && text !== undefined && isHarmlessVariable(name, text)) return;
  ask(
    scope,
    isDangerousName(name) ? `The command sets ${name}, which steers programs.` : "The command sets a variable.",
    [`${name}=`],
  );
}

function enterFolder({ args }: Command, bindings: readonly Binding[], scope: Scope): void {
  const [word, ...others] = args;
  const targets = scope.folders.flatMap((folder) =>
    bindings.flatMap((binding) =>
      word === undefined ? [] : argsOf(word, scope, { folder, binding }).map((arg) => ({ ...arg, folder })),
    ),
  );
  const isPlain =
    others.length === 0 && targets.length === scope.folders.length * bindings.length && targets.every(isPlainTarget);
  if (!isPlain) ask(scope, "Where cd leads is not plain.");
  const entered = targets.map((target) => entering(target, scope)).filter((folder) => folder !== undefined);
  scope.folders = [...new Set([...scope.folders, ...entered])];
  scope.entered = entered;
  if (scope.folders.length > MAX_FOLDERS) {
    scope.folders = scope.folders.slice(0, MAX_FOLDERS);
    ask(scope, "The command changes folders too often to be judged.");
  }
}

/** Every later word is judged in each of them. */
const MAX_FOLDERS = 8;

const isPlainTarget = ({ text, certain }: Arg): boolean => certain === "known" && !text.startsWith("-") && text !== "";

function entering({ text, folder }: Arg & { readonly folder: string }, scope: Scope): string | undefined {
  const { place } = scope;
  const why = readProblem(text, { place, folder });
  if (why !== undefined) ask(scope, why);
  try {
    const entered = place.resolve(text === "" ? "." : text, folder);
    if (isOutOfReach(entered, place)) deny(scope, GUARDED);
    // The shell goes back by the text of the path it came, so beyond a link nobody knows where `..` leads.
    if (entered !== resolve(folder, text)) ask(scope, "cd leads through a link.");
    return entered;
  } catch {
    deny(scope, "No folder can have the name that cd is given.");
    return undefined;
  }
}
