/** Characters that are surely one token at least, for prompts that a server counts in characters. */
const CHARACTERS_PER_TOKEN = 3;

/**
 * How many tokens a reply may have, where a server refuses a request because of its output limit and not because of its
 * length (hermes.md §10.8); undefined for every other refusal. `words` as `toMatch` leaves them.
 */
export function outputRoom(words: string): number | undefined {
  const left = leftOfSum(words);
  if (left !== undefined) return left >= 1 ? left : undefined;
  if (!isAboutOutput(words)) return undefined;
  const room = said(words) ?? leftOfParts(words) ?? leftOfCharacters(words);
  return room !== undefined && room >= 1 ? room : undefined;
}

function isAboutOutput(words: string): boolean {
  if (words.includes("max_tokens") && /available[_ ]tokens/.test(words)) return true;
  if (!words.includes("maximum context length")) return false;
  return words.includes("in the output") || (words.includes("requested") && words.includes("output tokens"));
}

/** "input length and `max_tokens` exceed context limit: 190000 + 64000 > 200000" (Anthropic). */
function leftOfSum(words: string): number | undefined {
  const [, input, context] = /exceed context limit: (\d{1,9}) \+ \d{1,9} > (\d{1,9})/.exec(words) ?? [];
  return input === undefined || context === undefined ? undefined : Number(context) - Number(input);
}

const said = (words: string): number | undefined =>
  numberIn(/available[_ ]tokens\s?[:=]\s?(\d{1,9})/.exec(words)) ?? numberIn(/=\s?(\d{1,9})\s?$/.exec(words));

/** "(a of text input, b of tool input, c in the output)". */
function leftOfParts(words: string): number | undefined {
  const context = contextIn(words);
  const text = numberIn(/(?<!\d)(\d{1,9}) of text input/.exec(words));
  const tools = numberIn(/(?<!\d)(\d{1,9}) of tool input/.exec(words)) ?? 0;
  return context === undefined || text === undefined ? undefined : context - text - tools;
}

function leftOfCharacters(words: string): number | undefined {
  const context = contextIn(words);
  const characters = numberIn(/prompt contains (\d{1,9}) character/.exec(words));
  if (context === undefined || characters === undefined) return undefined;
  return context - Math.ceil(characters / CHARACTERS_PER_TOKEN);
}

const contextIn = (words: string): number | undefined => numberIn(/maximum context length is (\d{1,9})/.exec(words));

const numberIn = (match: RegExpExecArray | null): number | undefined =>
  match?.[1] === undefined ? undefined : Number(match[1]);
