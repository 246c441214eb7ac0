import type { DoubleQuotedChild, Word, WordPart } from "unbash";

/** What the shell would fill in, split, or match against files when it stands outside quotes. */
const ACTIVE = /[$`*?[\]{}<>()|&;"'\n]/;

/**
 * The text a program would get for this word, when the shell changes nothing in it; undefined when it would. Two
 * readings must agree: ours from the parts, and the parser's value.
 */
export function literalText(word: Word): string | undefined {
  // A tilde expands at the start, and after = or : where the word looks like an assignment.
  if (/^~|[=:]~/.test(word.text)) return undefined;
  if (word.text === "[" || word.text === "]") return word.text;
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
