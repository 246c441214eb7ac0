import { basename } from "node:path";
import { namesInner } from "./addresses.ts";
import { isKnown, textsOf } from "./arguments.ts";
import { effectsOf, labelsOf } from "./effects.ts";
import {
  addFinding,
  ask,
  BACKGROUND,
  deny,
  shownName,
  type Arg,
  type Call,
  type Finding,
  type Scope,
} from "./findings.ts";
import { floorProblem } from "./floor.ts";
import { builtinCode, isInterpreter, isShell, readsInput, shellCode } from "./interpreters.ts";
import { learnable } from "./learnable.ts";
import type { FoundProgram } from "./options.ts";
import { reachOwn } from "./own-reach.ts";
import { judgeProgram, takesAnyText } from "./programs.ts";
import { judgeEach, judgeMany } from "./runners.ts";
import { readsPassword, unwrap, type Wrapped } from "./wrappers.ts";

/** Leave the process group, so nobody could end what they start. */
const DETACHING = new Set(["nohup", "disown", "setsid"]);
/** Where system programs are; a program named by another path is whatever that file holds. */
const SYSTEM_PROGRAM = /^\/(?:usr\/)?bin\/([^/]+)$/;

/** Judges one call: the first word is the program. */
export function judgeCall(words: readonly Arg[], call: Call): void {
  const [first, ...args] = words;
  if (first === undefined) return;
  const { scope, folder } = call;
  const name = SYSTEM_PROGRAM.exec(first.text)?.[1] ?? first.text;
  const base = basename(name);
  scope.found.calls.push(textsOf(words));
  if (first.certain !== "known") ask(scope, "The name of the program is not written out.", textsOf(args));
  for (const label of labelsOf(base, args, runsCode(name, args))) scope.found.labels.add(label);
  const why = whyNever(base, args, call) ?? floorProblem(base, args, { place: scope.place, folder });
  if (why !== undefined) deny(scope, why, textsOf(words));
  judgeAddresses(base, args, call);
  const wrapped = unwrap(base, args);
  if (wrapped === undefined) judgeProper(first.certain === "known" ? name : "", args, call);
  else judgeWrapped(base, args, { ...call, found: wrapped });
}

/** Security §3.5: the other end is judged by its words, nobody is asked for a name. */
function judgeAddresses(base: string, args: readonly Arg[], { scope }: Call): void {
  if (!labelsOf(base, args, false).includes("network")) return;
  const kind = namesInner(args);
  if (kind === "metadata")
    deny(
      scope,
      `${shownName(base)} would reach the address that gives out the keys of this machine, which no command may.`,
    );
  if (kind === "internal")
    ask(scope, `${shownName(base)} names an address inside this machine or its network.`, [base, ...textsOf(args)]);
}

function whyNever(name: string, args: readonly Arg[], { scope, input, fed }: Call): string | undefined {
  if (DETACHING.has(name)) return BACKGROUND;
  const isGivenText = scope.piped !== undefined || input !== undefined || fed === true;
  return isGivenText && readsPassword(name, args)
    ? `${name} would take a password from text: only a person gives it.`
    : undefined;
}

const runsCode = (name: string, args: readonly Arg[]): boolean =>
  (name.includes("/") || (isInterpreter(name) && !name.endsWith("awk"))) && !isVersion(args);

const isVersion = (args: readonly Arg[]): boolean =>
  args.length === 1 && /^(?:--version|-v|-V|version|-version)$/.test(args[0]?.text ?? "");

function judgeWrapped(
  name: string,
  args: readonly Arg[],
  { found, ...call }: Call & { readonly found: Wrapped },
): void {
  const { scope } = call;
  const { sets = [], why, script, inner = [] } = found;
  locate(name, call);
  for (const variable of sets) scope.found.variables.add(variable);
  if (why !== undefined) ask(scope, why, [name, ...textsOf(args)]);
  const within: Scope = { ...scope, inner: true };
  if (script !== undefined) scope.walk.text(script, within);
  if (inner.length === 0) return;
  judgeCall(inner, { ...call, scope: within, wrapped: true });
  if (why !== undefined) judgeEveryWord(inner, call);
}

/** Options that are not known may take a word for themselves: then the program is any of the others. */
function judgeEveryWord(words: readonly Arg[], { scope, folder }: Call): void {
  for (let start = 1; start < words.length; start += 1) {
    const [next, ...rest] = words.slice(start);
    const why = next && floorProblem(basename(next.text), rest, { place: scope.place, folder });
    if (why !== undefined) deny(scope, why);
  }
}

/** A program that is none of those that run another. */
function judgeProper(name: string, args: readonly Arg[], call: Call): void {
  const { scope } = call;
  const base = basename(name);
  const builtin = builtinCode(name, args);
  if (builtin !== undefined) {
    ask(scope, builtin.why, [name, ...textsOf(args)]);
    for (const code of builtin.code) if (code !== "" && code !== "-") scope.walk.text(code, { ...scope, inner: true });
    return;
  }
  if (isShell(base)) judgeCode(args, call);
  if (name === "find") judgeEach(args, call);
  if (name !== "xargs") judgeWords(name, args, call);
  else {
    locate(name, call);
    judgeMany(args, call);
  }
}

/** By what is known of the program; a name that is not written out was asked about before. */
function judgeWords(name: string, args: readonly Arg[], call: Call): void {
  const { scope } = call;
  const found = locate(name, call);
  const why = name === "" ? "" : (whyAsk(name, args, call) ?? whyUnsure(name, found));
  if (why === undefined) return;
  reachOwn(name, args, call);
  const { writes = [], deletes = [] } = effectsOf(basename(name), args) ?? {};
  for (const { text } of writes) scope.found.writes.add(text);
  for (const { text } of deletes) scope.found.deletes.add(text);
  if (name === "") return;
  const learn = learnFrom(name, args, { ...call, found });
  addFinding(scope, { type: "ask", why, words: [name, ...textsOf(args)], ...(learn !== undefined && { learn }) });
}

/** Nothing of a call that another one makes, and nothing of a program that may be another tomorrow. */
function learnFrom(
  name: string,
  args: readonly Arg[],
  { scope, folder, wrapped, found }: Call & { readonly found: FoundProgram | undefined },
): Finding["learn"] {
  if (scope.inner === true || wrapped === true || found === undefined || found.unsure !== undefined) return undefined;
  const prefix = learnable(name, args, { place: scope.place, folder });
  return prefix === undefined ? undefined : { program: found.path, prefix };
}

const whyUnsure = (name: string, found: FoundProgram | undefined): string | undefined =>
  found?.unsure === undefined ? undefined : `${shownName(name)} could be anything: ${found.unsure}.`;

function locate(name: string, { scope, folder }: Call): FoundProgram | undefined {
  if (name === "") return undefined;
  const found = scope.place.program(name, folder);
  scope.found.programs.set(name, found);
  return found;
}

/** Why a person is asked; undefined: it only reads what may be read. */
function whyAsk(name: string, args: readonly Arg[], { scope, folder }: Call): string | undefined {
  const isText = takesAnyText(name) && args.every(({ certain }) => certain !== "unknown");
  if (!isKnown(args) && !isText)
    return `An argument of ${shownName(name)} is filled in by the shell, so it is not known beforehand.`;
  return judgeProgram(name, textsOf(args), { place: scope.place, folder });
}

/** What a shell is given to run is judged too, and still needs a yes. */
function judgeCode(args: readonly Arg[], { scope, input }: Call): void {
  const inner: Scope = { ...scope, inner: true };
  const code = shellCode(args);
  if (code !== undefined) scope.walk.text(code, inner);
  if (!readsInput(args)) return;
  if (input !== undefined) scope.walk.text(input, inner);
  if (scope.piped?.text !== undefined) scope.walk.text(scope.piped.text, inner);
}
