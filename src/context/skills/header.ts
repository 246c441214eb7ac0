import type * as YamlModule from "yaml";
import { isObject } from "../../protocol/json.ts";

/** No header says more than this, in characters: what it describes is told in 1,024 of them. */
export const HEADER_CHARS = 16_384;

export type Fields = Readonly<Record<string, unknown>>;

/** Why the beginning of a `SKILL.md` is no header. */
export type HeaderFault =
  | { readonly why: "absent" | "open" | "too-long" | "no-fields" | "alias" | "too-deep" }
  | { readonly why: "tag"; readonly tag: string }
  /** What the parser says, in English, without the text it quotes. */
  | { readonly why: "yaml"; readonly detail: string };

export type HeaderRead = { readonly fields: Fields } | { readonly fault: HeaderFault };

export interface SplitSkill {
  readonly block: string;
  readonly body: string;
}

const OPENING = /^---[ \t]*\n/u;
const CLOSING = /^---[ \t]*(?:\n|$)/mu;

/** What stands between two lines of dashes at the very beginning, and what is behind them. Lines end with `\n`. */
export function splitSkill(text: string): SplitSkill | { readonly fault: HeaderFault } {
  const opening = OPENING.exec(text)?.[0];
  if (opening === undefined) return { fault: { why: "absent" } };
  const rest = text.slice(opening.length);
  const closing = CLOSING.exec(rest.slice(0, HEADER_CHARS));
  if (closing === null) return { fault: { why: rest.length > HEADER_CHARS ? "too-long" : "open" } };
  return { block: rest.slice(0, closing.index), body: rest.slice(closing.index + closing[0].length) };
}

/**
 * The fields of a header. Most have a line for each, which is read here; for all else YAML is loaded, which takes longer
 * than the rest of a prompt.
 */
export async function readHeader(block: string): Promise<HeaderRead> {
  const plain = plainFields(block);
  return plain === undefined ? yamlFields(await import("yaml"), block) : { fields: plain };
}

const LINE = /^( *)([A-Za-z][\w-]*):(?: +(\S.*?))? *$/u;
/** What YAML reads as this very text: it begins with a letter, and nothing in it is a sign. */
const PLAIN = /^\p{L}(?:(?!: | #|:$)[^\p{C}\u2028\u2029])*$/u;
const QUOTED = /^"([^"\\\p{C}\u2028\u2029]*)"$|^'([^'\p{C}\u2028\u2029]*)'$/u;
/** These are no texts in YAML, or were none once. */
const WORDS: ReadonlyMap<string, boolean | null> = new Map<string, boolean | null>([
  ...["true", "True", "TRUE"].map((word) => [word, true] as const),
  ...["false", "False", "FALSE"].map((word) => [word, false] as const),
  ...["null", "Null", "NULL"].map((word) => [word, null] as const),
]);

/** Names between brackets. */
const LIST = /^\[ *((?:[A-Za-z][\w.-]*)(?: *, *[A-Za-z][\w.-]*)*)? *\]$/u;
/** Groups in groups. */
const DEEPEST = 6;

interface Line {
  readonly indent: number;
  readonly key: string;
  readonly given: string | undefined;
}

/** Undefined: there is more in it than groups of `key: text` and of lists of names. What is read is what YAML reads. */
export function plainFields(block: string): Fields | undefined {
  const lines: Line[] = [];
  for (const line of block.split("\n")) {
    if (line === "") continue;
    const [, indent = "", key = "", given] = LINE.exec(line) ?? [];
    if (key === "") return undefined;
    lines.push({ indent: indent.length, key, given });
  }
  return lines[0]?.indent === 0 ? groupAt(lines, 0, DEEPEST)?.fields : undefined;
}

interface Read {
  /** Undefined: it is not read here. */
  readonly value: unknown;
  readonly until: number;
}

function groupAt(lines: readonly Line[], from: number, depth: number): { fields: Fields; until: number } | undefined {
  const indent = lines[from]?.indent ?? 0;
  const fields = new Map<string, unknown>();
  let at = from;
  for (let line = lines[at]; line !== undefined && line.indent >= indent; line = lines[at]) {
    if (line.indent > indent || fields.has(line.key) || WORDS.has(line.key)) return undefined;
    const { value, until } = valueAt(lines, at, depth);
    if (value === undefined) return undefined;
    fields.set(line.key, value);
    at = until;
  }
  return { fields: Object.fromEntries(fields), until: at };
}

function valueAt(lines: readonly Line[], at: number, depth: number): Read {
  const [line, next] = [lines[at], lines[at + 1]];
  if (line?.given !== undefined) return { value: plainValue(line.given), until: at + 1 };
  if (next === undefined || next.indent <= (line?.indent ?? 0)) return { value: null, until: at + 1 };
  const group = depth > 0 ? groupAt(lines, at + 1, depth - 1) : undefined;
  return { value: group?.fields, until: group?.until ?? at + 1 };
}

function plainValue(given: string): unknown {
  const word = WORDS.get(given);
  if (word !== undefined) return word;
  const quoted = QUOTED.exec(given);
  if (quoted !== null) return quoted[1] ?? quoted[2];
  const list = LIST.exec(given);
  if (list === null) return PLAIN.test(given) ? given : undefined;
  const names = list[1]?.split(/ *, */u) ?? [];
  return names.some((name) => WORDS.has(name)) ? undefined : names;
}

/** Data alone: no tag makes anything else of it, and nothing in it stands for something that is elsewhere. */
export function yamlFields(yaml: typeof YamlModule, block: string): HeaderRead {
  try {
    const document = yaml.parseDocument(block, { schema: "core", prettyErrors: false, logLevel: "silent" });
    const [error] = document.errors;
    if (error?.code === "RESOURCE_EXHAUSTION") return { fault: { why: "too-deep" } };
    if (error !== undefined) return { fault: { why: "yaml", detail: clause(error) } };
    const strange = strangeIn(yaml, document);
    if (strange !== undefined) return { fault: strange };
    const value: unknown = document.toJS({ maxAliasCount: 0 });
    return isObject(value) ? { fields: value } : { fault: { why: "no-fields" } };
  } catch (error) {
    // The parser recurses; whatever else it has not foreseen is no header either.
    return { fault: error instanceof RangeError ? { why: "too-deep" } : { why: "yaml", detail: "it cannot be read" } };
  }
}

function strangeIn(yaml: typeof YamlModule, document: YamlModule.Document.Parsed): HeaderFault | undefined {
  let found: HeaderFault | undefined;
  const stop = (fault: HeaderFault): symbol => {
    found = fault;
    return yaml.visit.BREAK;
  };
  yaml.visit(document, {
    Alias: () => stop({ why: "alias" }),
    Node: (_key, { tag }) => (tag === undefined ? undefined : stop({ why: "tag", tag })),
  });
  return found;
}

/** Behind a colon the parser quotes the text, which may hold anything. */
const clause = ({ message }: Error): string =>
  message
    .replace(/:\s.*$/su, "")
    .replace(/\s+/gu, " ")
    .replace(/[.:\s]+$/u, "");
