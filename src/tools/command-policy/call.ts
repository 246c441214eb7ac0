import { basename } from "node:path";
import { isKnown, textsOf, written } from "./arguments.ts";
import { effectsOf, labelsOf } from "./effects.ts";
import { addFinding, ask, BACKGROUND, deny, shownName, type Arg, type Scope } from "./findings.ts";
import { floorProblem, foundWord, GUARDED, holdsOwnKeys, isGuarded, isReadable, realOf } from "./floor.ts";
import { builtinCode, isInterpreter, isShell, readsInput, shellCode } from "./interpreters.ts";
import { learnable } from "./learnable.ts";
import { judgeProgram, takesAnyText } from "./programs.ts";
import { readsPassword, unwrap, type Wrapped } from "./wrappers.ts";

/** Where and how a program is called. */
export interface Call {
  readonly scope: Scope;
  readonly folder: string;
  /** What stands in the command and the program reads. */
  readonly input?: string;
  /** Another program calls it. */
  readonly wrapped?: true;
}

/** Leave the process group, so nobody could end what they start. */
const DETACHING = new Set(["nohup", "disown", "setsid"]);
/** Where system programs are; a program named by another path is whatever that file holds. */
const SYSTEM_PROGRAM = /^\/(?:usr\/)?bin\/([^/]+)$/;

/** Judges one call: the first word is the program. */
export function judgeCall(words: readonly Arg[], call: Call): void {
  const [first, ...args] = words;
  if (first === undefined) return;
  const { scope } = call;
  const name = SYSTEM_PROGRAM.exec(first.text)?.[1] ?? first.text;
  scope.found.calls.push(textsOf(words));
  const isCertain = first.certain === "known";
  if (!isCertain) ask(scope, "The name of the program is not written out.", textsOf(args));
  const base = basename(name);
  for (const label of labelsOf(base, args, runsCode(name, args))) scope.found.labels.add(label);
  if (DETACHING.has(base)) deny(scope, BACKGROUND);
  if (readsPassword(base, args) && (scope.piped !== undefined || call.input !== undefined))
    deny(scope, `${base} would take a password from text: only a person gives it.`);
  const below = floorProblem(base, args, { place: scope.place, folder: call.folder });
  if (below !== undefined) deny(scope, below, textsOf(words));
  const wrapped = unwrap(base, args);
  if (wrapped === undefined) judgeProper(isCertain ? name : "", args, call);
  else judgeWrapped(base, args, { ...call, found: wrapped });
}

const runsCode = (name: string, args: readonly Arg[]): boolean =>
  (name.includes("/") || (isInterpreter(name) && !name.endsWith("awk"))) && !isVersion(args);

const isVersion = (args: readonly Arg[]): boolean =>
  args.length === 1 && /^(?:--version|-v|-V|version|-version)$/.test(args[0]?.text ?? "");

function judgeWrapped(name: string, args: readonly Arg[], { found, ...call }: Call & { readonly found: Wrapped }): void {
  const { scope } = call;
  locate(name, call);
  for (const variable of found.sets ?? []) scope.found.variables.add(variable);
  if (found.why !== undefined) ask(scope, found.why, [name, ...textsOf(args)]);
  const inner: Scope = { ...scope, inner: true };
  if (found.script !== undefined) scope.walk.text(found.script, inner);
  if (found.inner === undefined || found.inner.length === 0) {
    if (found.script === undefined && found.why === undefined && name !== "env") ask(scope, `${name} runs no program.`);
    return;
  }
  judgeCall(found.inner, { ...call, scope: inner, wrapped: true });
  if (found.why === undefined) return;
  // Options that are not known may take a word for themselves: then the program is any of the others.
  const at = { place: scope.place, folder: call.folder };
  for (let start = 1; start < found.inner.length; start += 1) {
    const [next, ...rest] = found.inner.slice(start);
    const why = next === undefined ? undefined : floorProblem(basename(next.text), rest, at);
    if (why !== undefined) deny(scope, why);
  }
}

/** A program that is none of those that run another. */
function judgeProper(name: string, args: readonly Arg[], call: Call): void {
  const { scope, folder } = call;
  const builtin = builtinCode(name, args);
  if (builtin !== undefined) {
    ask(scope, builtin.why, [name, ...textsOf(args)]);
    for (const code of builtin.code) if (code !== "" && code !== "-") scope.walk.text(code, { ...scope, inner: true });
    return;
  }
  if (name === "xargs") {
    judgeMany(args, call);
    return;
  }
  if (isShell(basename(name))) judgeCode(args, call);
  if (name === "find") judgeEach(args, call);
  const why = name === "" ? "" : whyAsk(name, args, call);
  const found = locate(name, call);
  const unsure = why === undefined && found?.unsure !== undefined ? `${shownName(name)} could be anything: ${found.unsure}.` : why;
  if (unsure === undefined) return;
  reachesOwn(name, args, call);
  const effects = effectsOf(basename(name), args);
  for (const { text } of effects?.writes ?? []) scope.found.writes.add(text);
  for (const { text } of effects?.deletes ?? []) scope.found.deletes.add(text);
  if (unsure === "") return;
  const words = [name, ...textsOf(args)];
  const canLearn = scope.inner === undefined && call.wrapped === undefined && found !== undefined && found.unsure === undefined;
  const prefix = canLearn ? learnable(name, args, { place: scope.place, folder }) : undefined;
  const program = found?.path;
  const learn = prefix === undefined || program === undefined ? undefined : { program, prefix };
  addFinding(scope, { type: "ask", why: unsure, words, ...(learn !== undefined && { learn }) });
}

function locate(name: string, { scope, folder }: Call): ReturnType<Scope["place"]["program"]> {
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

/** find runs a program with what it finds. */
function judgeEach(args: readonly Arg[], call: Call): void {
  const at = args.findIndex(({ text }) => /^-(?:exec|execdir|ok|okdir)$/.test(text));
  if (at === -1) return;
  const inner = args.slice(at + 1);
  const end = inner.findIndex(({ text }, index) => text === ";" || (text === "+" && inner[index - 1]?.text === "{}"));
  const given = end === -1 ? inner : inner.slice(0, end);
  const roots = effectsOf("find", args)?.reads ?? [];
  const place = { place: call.scope.place, folder: call.folder };
  for (const root of roots) {
    const found = foundWord(root, args, place);
    const words = given.map((word) => (word.text === "{}" ? found : word));
    judgeCall(words, { ...call, scope: { ...call.scope, inner: true }, wrapped: true });
  }
  judgeEach(inner.slice(end === -1 ? inner.length : end + 1), call);
}

const XARGS = /^(?:-0|-r|-t|--null|--no-run-if-empty|-[nPLsE]\d+|-I\{\}|-I%|-d\\n)$/;
const XARGS_VALUED = new Set(["-n", "-P", "-I", "-L", "-s", "-E", "-d"]);

/** xargs runs a program with the names it is given: they are judged where it is known which they can be. */
function judgeMany(args: readonly Arg[], call: Call): void {
  const { scope, folder } = call;
  locate("xargs", call);
  let at = 0;
  for (; at < args.length && args[at]?.text.startsWith("-") === true; at += 1) {
    const text = args[at]?.text ?? "";
    if (XARGS_VALUED.has(text)) at += 1;
    else if (!XARGS.test(text)) ask(scope, `xargs is used with ${shownName(text)}, which is not known.`);
  }
  const given = args.slice(at);
  const inner = given.length === 0 ? [written("echo")] : given;
  const names = scope.piped?.names;
  const whyNot =
    names === undefined
      ? "xargs runs a program with words that are not known beforehand."
      : names.roots
          .map((root) => scope.place.whyNotReadTree(root, folder, { links: true, names: withEnding(names.ending) }))
          .find((why) => why !== undefined);
  if (whyNot !== undefined) ask(scope, whyNot, ["xargs", ...textsOf(args)]);
  const roots = names?.roots ?? [""];
  for (const root of roots) {
    const one: Arg =
      whyNot === undefined
        ? written(`${root === "." ? "" : `${root}/`}found`)
        : { text: root, certain: "unknown", raw: "{}" };
    const { piped: _names, ...rest } = scope;
    // Two of them: a second operand can mean something else than the first.
    judgeCall([...replaced(inner, one), one, one], { ...call, scope: { ...rest, inner: true }, wrapped: true });
  }
}

const withEnding = (ending: string | undefined): { readonly ending?: string } => (ending === undefined ? {} : { ending });

const replaced = (words: readonly Arg[], found: Arg): Arg[] =>
  words.map((word) => (/\{\}|^%$/.test(word.text) ? { ...found, text: word.text.replace(/\{\}|^%$/, found.text) } : word));

/**
 * What belongs to this program is out of reach of commands (security §3.1 C4). A program that only reads may be let there by a
 * person, but not to the keys.
 */
function reachesOwn(name: string, args: readonly Arg[], call: Call): void {
  const { scope, folder, input = "" } = call;
  const { place } = scope;
  const at = { place, folder };
  const reads = onlyReads(name, args);
  const words = name.includes("/") ? [name, ...textsOf(args)] : textsOf(args);
  const paths = words.flatMap(pathsIn).map((path) => realOf(path, at));
  const reached = paths.filter((real) => real !== undefined && isGuarded(real, place));
  const keys = reached.some((real) => real !== undefined && holdsOwnKeys(real, place));
  const beyond = reached.some((real) => real !== undefined && !isReadable(real, place));
  if (keys || (beyond && !reads)) deny(scope, GUARDED);
  if (reads) return;
  if (isGuarded(folder, place) && !isReadable(folder, place)) deny(scope, GUARDED);
  // Code can be read as text alone.
  const texts = [...args.map(({ text }) => text), input];
  if (texts.some((text) => namesOwn(text, call))) deny(scope, GUARDED);
}

/** Programs that show what a file holds, whatever else about them is asked. */
const READERS =
  /^(?:cat|head|tail|less|more|ls|grep|egrep|fgrep|rg|wc|stat|file|du|diff|cmp|nl|tac|od|hexdump|strings|base64|md5sum|sha256sum|cut|echo|printf|test|\[)$/;

const onlyReads = (name: string, args: readonly Arg[]): boolean =>
  READERS.test(name) && effectsOf(name, args) === undefined;

/** What of a word may be a path: the word, the value of an option, a file behind @. */
function pathsIn(text: string): string[] {
  const equals = text.indexOf("=");
  return [
    text,
    ...(equals === -1 ? [] : [text.slice(equals + 1)]),
    ...(/^-[A-Za-z]./.test(text) ? [text.slice(2)] : []),
    ...(text.includes("@") ? [text.slice(text.indexOf("@") + 1)] : []),
  ].filter((path) => path !== "");
}

function namesOwn(text: string, { scope }: Call): boolean {
  const { place } = scope;
  const { guarded, readable } = place.own;
  const spoken = [text, text.replaceAll(/~(?=\/)|\$HOME\b|\$\{HOME\}/g, place.home)];
  return guarded.some((folder) =>
    spoken.some((said) => said.includes(folder) && !readable.some((free) => free.startsWith(folder) && said.includes(free))),
  );
}
