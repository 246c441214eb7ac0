/** The tags that never reach people (hermes.md §23.3, §23.4; nanobot.md §11). Exact names, any case. */
export const THINK = ["think", "thinking", "reasoning", "thought", "reasoning_scratchpad"] as const;
/** Tool calls that a model wrote as text: withheld, never run. */
const MARKUP = [
  "tool_call",
  "tool_calls",
  "tool_result",
  "function_call",
  "function_calls",
  "minimax:tool_call",
  "|dsml|tool_calls",
] as const;
/** Also a word of prose about code, so its opener counts only where a sentence may begin (hermes.md §23.4). */
export const FUNCTION = "function";

export type Tag =
  /** Opens what is hidden until `</name>`. */
  | { readonly type: "open"; readonly name: string; readonly length: number; readonly thinks: boolean }
  | { readonly type: "close"; readonly length: number }
  /** Counts only in front of all text, or (`<thinking/>`) behind it. */
  | { readonly type: "channel"; readonly length: number }
  | { readonly type: "self-closed"; readonly length: number }
  /** `<think` glued to a word: the opener alone goes. */
  | { readonly type: "malformed"; readonly length: number }
  /** The text ends before it is decided. */
  | { readonly type: "partial" }
  | { readonly type: "none" };

const NONE: Tag = { type: "none" };
const names = [...THINK, ...MARKUP].map((name) => name.replaceAll("|", "\\|")).join("|");
const EXACT = new RegExp(`<(/?)(${names})>|<(/)${FUNCTION}>`, "iy");
const WITH_ATTRIBUTES = /<(tool_calls?|tool_result|function_calls?|minimax:tool_call)[ \t][^<>\n]{0,200}>/iy;
const FUNCTION_OPEN = /<function(?:=|[ \t][^<>\n]{0,80}\bname[ \t]*=)[^<>\n]{0,120}>/iy;
const BARE = [
  [/<\|?channel\|>/iy, "channel"],
  [/<thinking\/>/iy, "self-closed"],
  [/<(?:thinking|thought|think)(?![\w\-:>/])/iy, "malformed"],
] as const;

const FIXED = [
  ...[...THINK, ...MARKUP].flatMap((name) => [`<${name}>`, `</${name}>`]),
  "</function>",
  "<channel|>",
  "<|channel|>",
  "<thinking/>",
];
const LONGEST_FIXED = Math.max(...FIXED.map((tag) => tag.length));
/** No tag with attributes is longer than this, characters: what is longer is text. */
const LONGEST_OPEN = 256;
const OPEN_ATTRIBUTES = /^<(?:tool_calls?|tool_result|function_calls?|minimax:tool_call|function)(?:[= \t][^<>\n]*)?$/i;

/** What stands at `at`, where there is a `<`. */
export function tagAt(text: string, at: number): Tag {
  // Most angle brackets are comparisons and other people's tags.
  if (text.length > at + 1 && !/[a-z/|]/i.test(text[at + 1] ?? "")) return NONE;
  const exact = match(EXACT, text, at);
  if (exact !== undefined) return exactTag(exact);
  const open = match(WITH_ATTRIBUTES, text, at) ?? match(FUNCTION_OPEN, text, at);
  if (open !== undefined) {
    const name = open[1]?.toLowerCase() ?? FUNCTION;
    return { type: "open", name, length: open[0].length, thinks: false };
  }
  if (isPartial(text, at)) return { type: "partial" };
  for (const [pattern, type] of BARE) {
    const found = match(pattern, text, at);
    if (found !== undefined) return { type, length: found[0].length };
  }
  return NONE;
}

function exactTag(found: RegExpExecArray): Tag {
  const [whole, slash, name = ""] = found;
  if (slash === "/" || found[3] === "/") return { type: "close", length: whole.length };
  const lower = name.toLowerCase();
  const thinks = THINK.some((think) => think === lower);
  return { type: "open", name: lower, length: whole.length, thinks };
}

function match(pattern: RegExp, text: string, at: number): RegExpExecArray | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text) ?? undefined;
}

function isPartial(text: string, at: number): boolean {
  const length = text.length - at;
  if (length > LONGEST_OPEN) return false;
  const tail = text.slice(at).toLowerCase();
  if (length < LONGEST_FIXED && FIXED.some((tag) => tag.length > length && tag.startsWith(tail))) return true;
  return OPEN_ATTRIBUTES.test(tail);
}

/**
 * Whether a text that stops in the middle of a tag stops in one of ours: one letter is enough for those that begin
 * with `th` and the channel (nanobot.md §11), five characters for the others, so that "i <r" stays.
 */
export function isCutTag(tail: string): boolean {
  const text = tail.toLowerCase();
  if (!/[a-z]/.test(text)) return false;
  const short = /^<\/?th?|^<\|?c/.test(text);
  return short || text.length >= 5;
}
