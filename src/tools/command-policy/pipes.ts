import type { CommandNode, Pipeline } from "unbash";
import type { Arg, Piped, Scope } from "./findings.ts";
import { readWord } from "./words.ts";

/** Programs that hand on the lines they get, fewer of them or in another order. */
const SELECT_LINES: ReadonlyMap<string, RegExp> = new Map([
  ["sort", /^-[ruVfn]+$/],
  ["head", /^-n?\d+$/],
  ["tail", /^-n?\d+$/],
  ["grep", /^-[viEF]+$/],
  ["uniq", /^-[iu]+$/],
  ["tac", /^$/],
  ["shuf", /^-n\d+$/],
]);

/** What the next program of a pipeline gets from this one, as far as it can be told. */
export function pipedBy(node: CommandNode | Pipeline, scope: Scope): Piped | undefined {
  const [name, ...args] = wordsOf(node, scope);
  if (name === undefined) return undefined;
  if (name.text === "echo" || name.text === "printf") return { text: args.map(({ text }) => decoded(text)).join(" ") };
  if (args.some(({ certain }) => certain !== "known")) return undefined;
  const texts = args.map(({ text }) => text);
  if (!SELECT_LINES.has(name.text)) return namesBy(name.text, texts);
  return scope.piped?.names === undefined ? undefined : handedOn(name.text, texts, scope.piped);
}

/** Nothing where they cannot be told. */
function wordsOf(node: CommandNode | Pipeline, scope: Scope): Arg[] {
  if (node.type !== "Command" || node.name === undefined) return [];
  const [folder = "", ...others] = scope.folders;
  const isPlain = others.length === 0 && node.redirects.every(({ type }) => type === "Redirect");
  const words = [node.name, ...node.args.filter((word) => word.type === "Word")];
  if (!isPlain || words.length <= node.args.length) return [];
  return words.flatMap((word) => readWord(word, scope, { folder, binding: new Map() }));
}

/** `\162\155` and the like, as printf and echo -e write them. */
const decoded = (text: string): string =>
  text
    .replaceAll(/\\x([\da-f]{2})/gi, (_, hex: string) => String.fromCodePoint(Number.parseInt(hex, 16)))
    .replaceAll(/\\0?([0-7]{3})/g, (_, octal: string) => String.fromCodePoint(Number.parseInt(octal, 8)))
    .replaceAll(String.raw`\n`, "\n");

/** A file among its words would be read instead, and -o of grep gives parts of lines. */
function handedOn(name: string, texts: readonly string[], piped: Piped): Piped | undefined {
  const operands = texts.filter((text) => !text.startsWith("-"));
  const most = name === "grep" ? 1 : 0;
  const isPlain = texts.every((text) => !text.startsWith("-") || SELECT_LINES.get(name)?.test(text) === true);
  return isPlain && operands.length <= most ? piped : undefined;
}

const GIVES_MORE = /^-(?:printf|ls|fls|exec|execdir|ok|okdir|delete|fprint.*|quit)$/;
const NO_CONJUNCTION = /^(?:-o|-or|!|-not|\(|,)$/;

/** Names that a program gives: all of them below its folders, on the disk, and nothing but names, one a line. */
function namesBy(name: string, texts: readonly string[]): Piped | undefined {
  if (name !== "find") return undefined;
  const start = texts.findIndex((text) => /^[-(!,]/.test(text));
  const roots = start === -1 ? texts : texts.slice(0, start);
  const tests = texts.slice(roots.length);
  if (tests.some((text) => GIVES_MORE.test(text))) return undefined;
  const ending = tests.some((text) => NO_CONJUNCTION.test(text)) ? undefined : endingIn(tests);
  return { names: { roots: roots.length === 0 ? ["."] : roots, ...(ending !== undefined && { ending }) } };
}

const endingIn = (tests: readonly string[]): string | undefined => {
  const at = tests.indexOf("-name");
  return at === -1 ? undefined : /^\*(\.[\w.-]+)$/.exec(tests[at + 1] ?? "")?.[1];
};
