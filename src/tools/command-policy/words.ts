import type { DoubleQuotedChild, Word, WordPart } from "unbash";
import type { Arg, Scope, Variable } from "./findings.ts";
import { expandGlob } from "./globs.ts";

/** What the shell would fill in, split, or match against files when it stands outside quotes. */
const ACTIVE = /[$`*?[\]{}<>()|&;"'\n]/;

/**
 * The text a program would get for this word, when the shell changes nothing in it; undefined when it would. Two
 * readings must agree: ours from the parts, and the parser's value.
 */
export function literalText(word: Word): string | undefined {
  // A tilde expands at the start, and after = or : where the word looks like an assignment.
  if (/^~|[=:]~/.test(word.text)) return undefined;
  if (word.text === "[" || word.text === "]" || word.text === "{}") return word.text;
  const text = word.parts === undefined ? unquoted(word.text) : joined(word.parts);
  return text === word.value ? text : undefined;
}

function joined(parts: readonly WordPart[]): string | undefined {
  let text = "";
  for (const part of parts) {
    const piece = pieceOf(part);
    if (piece === undefined) return undefined;
    text += piece;
  }
  return text;
}

function pieceOf(part: WordPart): string | undefined {
  switch (part.type) {
    case "Literal":
      return unquoted(part.text);
    case "SingleQuoted":
      return part.value;
    case "AnsiCQuoted":
      return /^[\t\n\x20-\x7E]*$/.test(part.value) ? part.value : undefined;
    case "DoubleQuoted":
      return part.parts.every((child) => child.type === "Literal") ? doubleQuoted(part.parts) : undefined;
    default:
      return undefined;
  }
}

const doubleQuoted = (parts: readonly DoubleQuotedChild[]): string =>
  parts.map((part) => (part.type === "Literal" ? part.value : "")).join("");

/** Text outside quotes, its backslashes resolved; undefined when something active is left. */
function unquoted(text: string): string | undefined {
  const plain = text.replaceAll("\\\n", "");
  if (ACTIVE.test(plain.replaceAll(/\\[^]/g, ""))) return undefined;
  return plain.replaceAll(/\\([^])/g, "$1");
}

/** Which variables have which of their values, in one reading of a command. */
export type Binding = ReadonlyMap<string, string>;

/** Words become this many at most: braces and patterns multiply. */
const MAX_WORDS = 500;
const PLAIN = String.raw`[\w./@%+=:,^-]`;
const VARIABLE = String.raw`\$(?:[A-Za-z_]\w*|\{[A-Za-z_]\w*\})`;
/** The length of a value is a number as well, and tells nothing else of it. */
const NUMBER = String.raw`\$(?:[?#$]|\{#[A-Za-z_]\w*\}|\(\([\d\s+*/%-]*\)\))`;
const TOKEN = new RegExp(
  String.raw`(?<glob>\*|\?|\[[!^]?[\w.-]+\])|(?<name>${VARIABLE})|(?<number>${NUMBER})|'(?<single>[^']*)'` +
    String.raw`|"(?<double>(?:[^"\\$\x60]|${VARIABLE}|${NUMBER})*)"|(?<plain>${PLAIN})`,
  "y",
);
const IN_QUOTES = new RegExp(`(?<name>${VARIABLE})|(?<number>${NUMBER})|(?<plain>[^$])`, "y");

interface Piece {
  readonly text: string;
  readonly isPattern?: true;
}

interface Read {
  readonly pieces: readonly Piece[];
  readonly certain: Arg["certain"];
}

/** What a word becomes; one that is unknown keeps what of it can be told. */
export function readWord(word: Word, scope: Scope, { folder, binding }: { folder: string; binding: Binding }): Arg[] {
  const literal = literalText(word);
  if (literal !== undefined) return [{ text: literal, certain: "known", raw: word.text }];
  const given = { scope, folder, binding };
  return bracesOf(word.text).flatMap((raw) => {
    // A word of which braces leave nothing is none.
    if (raw === "") return [];
    const read = strictly(raw, given);
    if (read === undefined) return [loosely(word, raw === word.text ? undefined : raw, given)];
    const args = expand(read, raw, given);
    return args ?? [{ ...loosely(word, raw === word.text ? undefined : raw, given), certain: "unknown" as const }];
  });
}

interface Given {
  readonly scope: Scope;
  readonly folder: string;
  readonly binding: Binding;
}

/** Only lists of plain words in braces: `a{b,c}`. */
function bracesOf(raw: string): string[] {
  if (!/^[\w./~*?,{}@%+=:-]+$/.test(raw) || /\{[^}]*\{/.test(raw)) return [raw];
  let words = [raw];
  for (let round = 0; round < 8; round += 1) {
    const next = words.flatMap((text) => {
      const found = /^(.*?)\{([^{}]*,[^{}]*)\}(.*)$/.exec(text);
      if (found === null) return [text];
      const [, before = "", list = "", after = ""] = found;
      return list.split(",").map((item) => before + item + after);
    });
    if (next.length === words.length || next.length > MAX_WORDS) return next.length > MAX_WORDS ? [raw] : next;
    words = next;
  }
  return words;
}

/** Read by a grammar of our own, so small that nothing in it can be read in two ways; undefined for all else. */
function strictly(raw: string, given: Given): Read | undefined {
  const pieces: Piece[] = [];
  let certain: Arg["certain"] = "known";
  let at = 0;
  if (/^~(?:\/|$)/.test(raw)) {
    pieces.push({ text: given.scope.place.home });
    at = 1;
  }
  if (/[=:]~/.test(raw)) return undefined;
  while (at < raw.length) {
    TOKEN.lastIndex = at;
    const groups = TOKEN.exec(raw)?.groups;
    if (groups === undefined) return undefined;
    at = TOKEN.lastIndex;
    const read = tokenPieces(groups, given);
    if (read === undefined) return undefined;
    if (read.certain !== "known") certain = "number";
    pieces.push(...read.pieces);
  }
  return { pieces, certain };
}

function tokenPieces(groups: Readonly<Record<string, string | undefined>>, given: Given): Read | undefined {
  const { glob, name, number, single, double, plain } = groups;
  if (glob !== undefined) return { pieces: [{ text: glob, isPattern: true }], certain: "known" };
  if (number !== undefined) return { pieces: [{ text: "0" }], certain: "number" };
  if (name !== undefined) {
    const value = valueOf(name, given);
    // Outside quotes the shell splits it, and takes patterns in it for patterns.
    return value === undefined || !/^[\w./@%+=:,-]+$/.test(value)
      ? undefined
      : { pieces: [{ text: value }], certain: "known" };
  }
  if (double !== undefined) return quotedPieces(double, given);
  return { pieces: [{ text: single ?? plain ?? "" }], certain: "known" };
}

function quotedPieces(text: string, given: Given): Read | undefined {
  const pieces: Piece[] = [];
  let certain: Arg["certain"] = "known";
  IN_QUOTES.lastIndex = 0;
  while (IN_QUOTES.lastIndex < text.length) {
    const groups = IN_QUOTES.exec(text)?.groups;
    if (groups === undefined) return undefined;
    const { name, number, plain } = groups;
    if (number !== undefined) certain = "number";
    const value = name === undefined ? (number === undefined ? plain : "0") : valueOf(name, given);
    if (value === undefined) return undefined;
    pieces.push({ text: value });
  }
  return { pieces, certain };
}

const bareName = (text: string): string => text.replaceAll(/[${}]/g, "");

/** What a variable surely holds. */
function valueOf(written: string, { scope, folder, binding }: Given): string | undefined {
  const name = bareName(written);
  const bound = binding.get(name);
  if (bound !== undefined) return scope.variables.get(name)?.trusted === true ? bound : undefined;
  if (scope.variables.has(name)) return undefined;
  if (name === "PWD") return folder;
  return scope.place.variable(name);
}

function expand(read: Read, raw: string, { scope, folder }: Given): Arg[] | undefined {
  const text = read.pieces.map((piece) => piece.text).join("");
  if (!read.pieces.some((piece) => piece.isPattern === true)) return [{ text, certain: read.certain, raw }];
  const matches = expandGlob(read.pieces, (path) => scope.place.entries(path, folder));
  if (matches === undefined || matches.length > MAX_WORDS) return undefined;
  // A file's name would be read as an option.
  if (matches.some((match) => match.startsWith("-"))) return undefined;
  const wholeFolder = wholeFolderOf(text);
  const whole = wholeFolder === undefined ? {} : { wholeFolder };
  if (matches.length === 0) return [{ text, certain: read.certain, raw, ...whole }];
  return matches.map((match) => ({ text: match, certain: read.certain, raw, ...whole }));
}

/** The folder whose content a pattern stands for, such as `a` of `a/*`. */
function wholeFolderOf(text: string): string | undefined {
  const found = /^(?:(.*\/))?(?:\*+|\.\*|\?\*|\*\.\*|\.\[[^\]]*\]\*|\.\?\?\*|\{\*,\.\*\})\/?$/.exec(text);
  return found === null ? undefined : (found[1] ?? ".");
}

/** What can be told of a word that is filled in by the shell: all that is not known counts as nothing. */
function loosely(word: Word, braced: string | undefined, given: Given): Arg {
  const text = braced ?? looseText(word, given);
  const whole = wholeFolderOf(text);
  return { text, certain: "unknown", raw: word.text, ...(whole !== undefined && { wholeFolder: whole }) };
}

function looseText(word: Word, given: Given): string {
  const home = /^~(?:\/|$)/.test(word.text);
  const text = (word.parts ?? []).map((part) => loosePiece(part, given)).join("");
  const whole = word.parts === undefined ? word.text.replaceAll(/\\([^])/g, "$1") : text;
  return home ? given.scope.place.home + whole.slice(1) : whole;
}

function loosePiece(part: WordPart | DoubleQuotedChild, given: Given): string {
  switch (part.type) {
    case "Literal":
    case "SingleQuoted":
    case "AnsiCQuoted":
    case "Glob":
      return part.value;
    case "DoubleQuoted":
    case "LocaleString":
      return part.parts.map((child) => loosePiece(child, given)).join("");
    case "SimpleExpansion":
      return anyValue(bareName(part.text), given);
    case "ParameterExpansion": {
      const value = anyValue(part.parameter, given);
      const { operation } = part;
      const otherwise = operation?.type === "Default" && !operation.operator.includes("+") && value === "";
      return otherwise ? looseText(operation.operand, given) : value;
    }
    case "CommandExpansion":
      return /^(?:\$\(|`)\s*pwd\s*(?:\)|`)$/.test(part.text) ? given.folder : "";
    case "BraceExpansion":
    case "ExtendedGlob":
      return part.text;
    default:
      return "";
  }
}

function anyValue(name: string, { scope, folder, binding }: Given): string {
  if (name === "PWD") return folder;
  return binding.get(name) ?? scope.place.variable(name) ?? "";
}

/** Combinations of values; more than these are not told apart. */
const MAX_BINDINGS = 64;

/** Every way the variables of some words can be filled in; undefined when there are too many. */
export function bindingsOf(
  texts: readonly string[],
  variables: ReadonlyMap<string, Variable>,
): readonly Binding[] | undefined {
  if (variables.size === 0) return [new Map()];
  const names = new Set(
    texts.flatMap((text) => [...text.matchAll(/\$\{?([A-Za-z_]\w*)/g)].map(([, name = ""]) => name)),
  );
  let bindings: Map<string, string>[] = [new Map()];
  for (const name of names) {
    const values = variables.get(name)?.values;
    if (values === undefined) continue;
    bindings = bindings.flatMap((binding) => values.map((value) => new Map([...binding, [name, value]])));
    if (bindings.length > MAX_BINDINGS) return undefined;
  }
  return bindings;
}
