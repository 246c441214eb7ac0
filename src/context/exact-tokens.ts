import { type CountText, textTokens } from "../protocol/token-estimate.ts";

/** Models that have o200k; no other family has published the tokenizer of its newest models. */
const HAS_O200K = /^(?:.*\/)?(?:chatgpt-|codex-|gpt-(?:4o|4\.[15]|[5-9]|oss)|o[1-9](?:-|$))/u;

/** Of what is beyond, tokens are estimated: a count takes no longer than a person waits for a table. */
const MOST_CHARACTERS = 200_000;
const MOST_MS = 1_000;

/** The tokenizer takes the square of the time for a word that never ends. */
const PIECE = 4_000;

const performanceNow = (): number => performance.now();

const BREAK = /\s/u;

/**
 * Counts texts with the tokenizer of a model; undefined where none is known. It is loaded when it is asked for (2 MB). All
 * texts of one counter together are counted up to 200,000 characters and one second, and estimated from there on.
 */
export async function exactTokens(model: string, now: () => number = performanceNow): Promise<CountText | undefined> {
  if (!HAS_O200K.test(model.toLowerCase())) return undefined;
  const { countTokens } = await import("gpt-tokenizer/encoding/o200k_base");
  // Words such as `<|endoftext|>` are text like any other.
  const plain = { disallowedSpecial: new Set<string>() };
  let characters = MOST_CHARACTERS;
  const endsAt = now() + MOST_MS;
  return (text) => {
    let tokens = 0;
    let at = 0;
    while (at < text.length && characters > 0 && now() < endsAt) {
      const end = pieceEnd(text, at);
      tokens += countTokens(text.slice(at, end), plain);
      characters -= end - at;
      at = end;
    }
    return at < text.length ? tokens + textTokens(text.slice(at)) : tokens;
  };
}

/** Before the last white space of a piece a token begins. */
function pieceEnd(text: string, from: number): number {
  const end = from + PIECE;
  if (end >= text.length) return text.length;
  for (let at = end; at > from; at -= 1) if (BREAK.test(text.charAt(at)) && !BREAK.test(text.charAt(at - 1))) return at;
  return end;
}
