import type { OpenAiMessage } from "./openai.ts";

/** What rows of nanobot's sessions say beside the shape they share with everybody's (nanobot.md §2.3, §2.4). */
interface Marked {
  /** A command and its reply: for people, never for a model. */
  readonly _command?: unknown;
  /** Where the pictures of a message were. */
  readonly media?: unknown;
}

/**
 * The row as a model is to read it; undefined: it is none of the conversation. What the runtime itself wrote into an
 * answer is taken out of it, since models imitate what they read.
 */
export function asTheModelReads(row: OpenAiMessage & Marked): OpenAiMessage | undefined {
  if (row._command === true) return undefined;
  if (typeof row.content !== "string") return row;
  if (row.role === "assistant") return withContent(row, withoutTraces(row.content));
  return row.role === "user" ? withContent(row, withPlaces(row.content, row)) : row;
}

const withContent = (row: OpenAiMessage, content: string): OpenAiMessage =>
  content === row.content ? row : { ...row, content };

/** A time that a message was stamped with, the place of a picture, a call that was written out as text: each a line. */
const TRACE = /^\s*(?:\[image: [/~][^\]]*\]|(?:generate_image|message)\(.*\))\s*$/u;
const STAMP = /^\s*\[Message Time:[^\]\n]*\][^\S\n]*(?:\n|$)/u;

function withoutTraces(content: string): string {
  const lines = content.replace(STAMP, "").split("\n");
  const text = lines.filter((line) => !TRACE.test(line)).join("\n");
  return text === content ? content : text.trim();
}

/** A question may be nothing but pictures. */
function withPlaces(content: string, { media }: Marked): string {
  const places = Array.isArray(media) ? media.filter((place) => typeof place === "string") : [];
  const lines = places.map((place) => `[image: ${place}]`).filter((line) => !content.includes(line));
  return [content, ...lines].filter((text) => text !== "").join("\n");
}
