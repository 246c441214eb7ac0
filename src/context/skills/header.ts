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

const LINE = /^([A-Za-z][\w-]*):(?: +(\S.*?))? *$/u;
/** What YAML reads as this very text: it begins with a letter, and nothing in it is a sign. */
const PLAIN = /^\p{L}(?:(?!: | #|:$)[^\p{C}\u2028\u2029])*$/u;
const QUOTED = /^"([^"\\\p{C}\u2028\u2029]*)"$|^'([^'\p{C}\u2028\u2029]*)'$/u;
/** These are no texts in YAML, or were none once. */
const WORDS: ReadonlyMap<string, boolean | null> = new Map<string, boolean | null>([
  ...["true", "True", "TRUE"].map((word) => [word, true] as const),
  ...["false", "False", "FALSE"].map((word) => [word, false] as const),
  ...["null", "Null", "NULL"].map((word) => [word, null] as const),
]);

/** Undefined: there is more in it than `key: text` and empty lines. What is read is what YAML reads. */
export function plainFields(block: string): Fields | undefined {
  const fields = new Map<string, unknown>();
  for (const line of block.split("\n")) {
    if (line === "") continue;
    const [, key = "", given] = LINE.exec(line) ?? [];
    if (key === "" || given === undefined || fields.has(key)) return undefined;
    const value = plainValue(given);
    if (value === undefined) return undefined;
    fields.set(key, value);
  }
  return fields.size === 0 ? undefined : Object.fromEntries(fields);
}

function plainValue(given: string): string | boolean | null | undefined {
  const word = WORDS.get(given);
  if (word !== undefined) return word;
  const quoted = QUOTED.exec(given);
  if (quoted !== null) return quoted[1] ?? quoted[2];
  return PLAIN.test(given) ? given : undefined;
}

/** Data alone: no tag makes anything else of it, and nothing in it stands for something that is elsewhere. */
export function yamlFields(yaml: typeof YamlModule, block: string): HeaderRead {
  try {
    const document = yaml.parseDocument(block, { schema: "core", prettyErrors: false, logLevel: "silent" });
    const [error] = document.errors;
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
