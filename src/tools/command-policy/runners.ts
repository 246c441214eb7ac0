import { textsOf, written } from "./arguments.ts";
import { effectsOf } from "./effects.ts";
import { ask, shownName, type Arg, type Call, type Scope } from "./findings.ts";
import { foundWord } from "./floor.ts";

// Programs that run others with what they find or are given.

/** find runs a program with what it finds. */
export function judgeEach(args: readonly Arg[], call: Call): void {
  judgeNext(args, effectsOf("find", args)?.reads ?? [], call);
}

function judgeNext(args: readonly Arg[], roots: readonly Arg[], call: Call): void {
  const at = args.findIndex(({ text }) => /^-(?:exec|execdir|ok|okdir)$/.test(text));
  if (at === -1) return;
  const inner = args.slice(at + 1);
  const end = inner.findIndex(({ text }, index) => text === ";" || (text === "+" && inner[index - 1]?.text === "{}"));
  const given = end === -1 ? inner : inner.slice(0, end);
  const place = { place: call.scope.place, folder: call.folder };
  for (const root of roots) {
    const found = foundWord(root, args, place);
    const words = given.map((word) => (word.text === "{}" ? found : word));
    call.scope.walk.call(words, { ...call, scope: { ...call.scope, inner: true }, wrapped: true });
  }
  judgeNext(inner.slice(given.length + 1), roots, call);
}

const XARGS = /^(?:-0|-r|-t|--null|--no-run-if-empty|-[nPLsE]\d+|-I\{\}|-I%|-d\\n)$/;
const XARGS_VALUED = new Set(["-n", "-P", "-I", "-L", "-s", "-E"]);

/** xargs runs a program with the names it is given: they are judged where it is known which they can be. */
export function judgeMany(args: readonly Arg[], call: Call): void {
  const { scope } = call;
  const given = args.slice(optionsOfXargs(args, scope));
  const inner = given.length === 0 ? [written("echo")] : given;
  const names = scope.piped?.names;
  const whyNot = whyNotNames(names, call);
  if (whyNot !== undefined) ask(scope, whyNot, ["xargs", ...textsOf(args)]);
  const { piped: _names, ...rest } = scope;
  for (const root of names?.roots ?? [""]) {
    const found: Arg =
      whyNot === undefined
        ? written(`${root === "." ? "" : `${root}/`}found`)
        : { text: root, certain: "unknown", raw: "{}" };
    // Two of them: a second operand can mean something else than the first.
    const words = [...replaced(inner, found), found, found];
    scope.walk.call(words, { ...call, scope: { ...rest, inner: true }, wrapped: true });
  }
}

/** How many words are options of xargs itself. */
function optionsOfXargs(args: readonly Arg[], scope: Scope): number {
  let at = 0;
  for (; at < args.length && args[at]?.text.startsWith("-") === true; at += 1) {
    const text = args[at]?.text ?? "";
    if (XARGS_VALUED.has(text)) at += 1;
    else if (!XARGS.test(text)) ask(scope, `xargs is used with ${shownName(text)}, which is not known.`);
  }
  return at;
}

function whyNotNames(names: NonNullable<Scope["piped"]>["names"], { scope, folder }: Call): string | undefined {
  if (names === undefined) return "xargs runs a program with words that are not known beforehand.";
  const { roots, ending } = names;
  const how = { links: true, names: ending === undefined ? {} : { ending } } as const;
  return roots.map((root) => scope.place.whyNotReadTree(root, folder, how)).find((why) => why !== undefined);
}

/** Of a word that is put together from a name and more nobody knows what it becomes: `.{}` may be `.env`. */
const replaced = (words: readonly Arg[], found: Arg): Arg[] =>
  words.map((word) => {
    if (!/\{\}|%/.test(word.text)) return word;
    const text = word.text.replaceAll(/\{\}|%/g, found.text);
    return { ...found, text, certain: text === found.text ? found.certain : "unknown" };
  });
