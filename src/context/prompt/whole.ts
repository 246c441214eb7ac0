import { BETWEEN_PARTS, type BuiltPrompt } from "../../protocol/prompt.ts";
import type { Part } from "./part.ts";

/** A prompt of parts as they stand: those that say something, a blank line between them. */
export function promptOf(all: readonly Part[]): BuiltPrompt {
  const parts = all.map((part) => ({ ...part, text: part.text.trim() }));
  return {
    text: parts
      .map(({ text }) => text)
      .filter((text) => text !== "")
      .join(BETWEEN_PARTS),
    parts: parts
      .filter(({ text, note }) => text !== "" || note !== undefined)
      .map(({ text, ...part }) => ({ ...part, chars: text.length })),
  };
}
