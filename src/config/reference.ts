import { isJson, isObject } from "../protocol/json.ts";

/** Where a secret lies; a config never holds one itself. */
export type SecretReference =
  /** A variable. */
  | { readonly env: string }
  /** A file that holds nothing else. */
  | { readonly file: string }
  /** A program, with its arguments, that prints it. */
  | { readonly cmd: readonly string[] }
  /** An entry of the user's own secrets.json. */
  | { readonly secret: string };

/** Control characters would reach a terminal, or a header. */
export const isLine = (text: string): boolean => /^[^\p{Cc}\u2028\u2029]+$/u.test(text) && text.trim() !== "";

/** `{env: NAME}` and its like, as a group of a file or as text on a command line; undefined when it is none. */
export function readReference(given: unknown): SecretReference | undefined {
  const group = typeof given === "string" ? groupOf(given) : given;
  if (!isObject(group)) return undefined;
  const [[kind, where] = ["", undefined], ...more] = Object.entries(group);
  if (more.length > 0) return undefined;
  return kind === "cmd" ? program(where) : place(kind, where);
}

/** In braces, as YAML or as JSON. */
function groupOf(text: string): unknown {
  const [, kind = "", name] = /^\{\s*(env|file|secret)\s*:\s*([^"{}]+?)\s*\}$/u.exec(text) ?? [];
  if (kind !== "") return { [kind]: name };
  return isJson(text) ? JSON.parse(text) : undefined;
}

function program(where: unknown): SecretReference | undefined {
  if (!Array.isArray(where) || where.length === 0) return undefined;
  const words = where.filter((word): word is string => typeof word === "string" && isLine(word));
  return words.length === where.length ? { cmd: words } : undefined;
}

function place(kind: string, where: unknown): SecretReference | undefined {
  if (typeof where !== "string" || !isLine(where)) return undefined;
  const name = where.trim();
  switch (kind) {
    case "env":
      return /^\w+$/u.test(name) ? { env: name } : undefined;
    case "file":
      return { file: name };
    case "secret":
      return { secret: name };
    default:
      return undefined;
  }
}

/** As a person writes it on a command line. */
export function referenceText(reference: SecretReference): string {
  const [[kind, where] = ["", ""]] = Object.entries(reference) as [string, string | readonly string[]][];
  return `{${kind}: ${typeof where === "string" ? where : JSON.stringify(where)}}`;
}
