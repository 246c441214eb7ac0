import type { HereDoc, Redirection, Word } from "unbash";
import { addFinding, type Arg, ask, deny, type Scope, shownName } from "./findings.ts";
import { GUARDED, isOutOfReach, realOf, writeProblem } from "./floor.ts";
import { readProblem } from "./options.ts";
import { readWord } from "./words.ts";

/** Output that goes nowhere else than where it would go anyway. */
const FREE_OUTPUT = new Set(["/dev/null", "/dev/stdout", "/dev/stderr"]);
/** Their target is another open file of the shell. */
const DUPLICATES = new Set(["<&", ">&"]);

export function judgeRedirect(redirect: Redirection, scope: Scope): void {
  scope.walk.substitutions(redirect, scope);
  if (redirect.descriptor?.type === "FileDescriptorVariable") {
    ask(scope, "The command keeps a file open in a variable.");
    return;
  }
  if (redirect.type === "HereDoc") {
    const why = hereDocProblem(redirect);
    if (why !== undefined) ask(scope, why);
    return;
  }
  if (redirect.target === undefined) {
    ask(scope, "Where a redirection leads is filled in by the shell.");
    return;
  }
  if (redirect.type === "HereString") {
    judgeHereString(redirect.target, scope);
    return;
  }
  for (const folder of scope.folders) judgeTarget(redirect.operator, redirect.target, { scope, folder });
}

function judgeHereString(target: Word, scope: Scope): void {
  const args = readWord(target, scope, { folder: scope.folders[0] ?? "", binding: new Map() });
  if (args.some(({ certain }) => certain === "unknown")) ask(scope, "A here-string is filled in by the shell.");
}

interface At {
  readonly scope: Scope;
  readonly folder: string;
}

function judgeTarget(operator: string, target: Word, { scope, folder }: At): void {
  const [arg, ...more] = readWord(target, scope, { folder, binding: new Map() });
  if (arg === undefined) {
    ask(scope, "Where a redirection leads is filled in by the shell.");
    return;
  }
  if (more.length > 0 || arg.certain !== "known" || arg.wholeFolder !== undefined) {
    ask(scope, "Where a redirection leads is filled in by the shell.");
    refuseWrite(writeProblem(arg, { place: scope.place, folder }), scope);
    return;
  }
  if (operator === "<") {
    judgeSource(arg.text, { scope, folder });
    return;
  }
  const free = DUPLICATES.has(operator) ? /^(?:\d|-)$/.test(arg.text) : FREE_OUTPUT.has(arg.text);
  if (!free || operator === "<>") judgeWrite(arg, { scope, folder });
}

function judgeSource(path: string, { scope, folder }: At): void {
  const at = { place: scope.place, folder };
  const real = realOf(path, at);
  if (real !== undefined && isOutOfReach(real, scope.place)) deny(scope, GUARDED);
  const why = readProblem(path, at);
  if (why !== undefined) ask(scope, why);
}

function judgeWrite(arg: Arg, { scope, folder }: At): void {
  const at = { place: scope.place, folder };
  refuseWrite(writeProblem(arg, at), scope);
  scope.found.writes.add(arg.text);
  const words = [">", realOf(arg.text, at) ?? arg.text];
  const isLearnable = scope.place.whyNotWrite(arg.text, folder) === undefined && scope.inner === undefined;
  const why = `The command writes to ${shownName(arg.text)}.`;
  addFinding(scope, { type: "ask", why, words, ...(isLearnable && { learn: { prefix: words } }) });
}

function refuseWrite(why: string | undefined, scope: Scope): void {
  if (why !== undefined) deny(scope, why);
}

function hereDocProblem({ delimiter, body, closing }: HereDoc): string | undefined {
  if (closing === undefined) return "A here-document has no end.";
  const plain = delimiter?.quoted === true || !/[$`\\]/.test(body.text);
  return plain ? undefined : "A here-document is filled in by the shell.";
}
