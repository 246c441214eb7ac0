/**
 * What of a whole text is shown, told a second time in the plainest way from hermes.md §23.3–23.4, nanobot.md §11 and
 * the rules of docs/decisions/0010-one-think-filter.md: no product code, no chunks, no care for cost.
 */
const THINK = "think|thinking|reasoning|thought|reasoning_scratchpad";
const MARKUP = "tool_calls?|tool_result|function_calls?|minimax:tool_call";
const OTHER = "\\|dsml\\|tool_calls";
const OPEN = new RegExp(`^<(${THINK}|${MARKUP}|${OTHER})>|^<(${MARKUP})[ \t][^<>\n]{0,200}>`, "i");
const FUNCTION = /^<(function)(?:=|[ \t][^<>\n]{0,80}\bname[ \t]*=)[^<>\n]{0,120}>/i;
const CLOSE = new RegExp(`^</(${THINK}|${MARKUP}|${OTHER}|function)>`, "i");
const CUT_OPEN = new RegExp(`^<(${MARKUP}|function)([= \t][^<>\n]*)?$`, "i");
const CHANNEL = /^<\|?channel\|>/i;
const SELF_CLOSED = /^<thinking\/>/i;
const MALFORMED = /^<(?:thinking|thought|think)(?=[^\w\-:>/])/i;
const CALLS = ["tool_call", "tool_calls", "tool_result", "function_call", "function_calls"];
const TAGS = [
  ...[...THINK.split("|"), ...CALLS, "minimax:tool_call", "|dsml|tool_calls"].flatMap((name) => [
    `<${name}>`,
    `</${name}>`,
  ]),
  "</function>",
  "<channel|>",
  "<|channel|>",
  "<thinking/>",
];

interface Scan {
  shown: string;
  rest: string;
  /** A lone close tag takes the white space behind it along. */
  swallow: boolean;
  /** The text ended in a block that began a line. */
  unfinished: boolean;
}

export function shownOf(text: string): Scan {
  const scan: Scan = { shown: "", rest: text, swallow: false, unfinished: false };
  while (scan.rest !== "") step(scan);
  return scan;
}

function step(scan: Scan): void {
  const { rest } = scan;
  if (!rest.startsWith("<") || inCode(scan.shown)) return show(scan, 1);
  const open = OPEN.exec(rest) ?? FUNCTION.exec(rest);
  if (open !== null) return block(scan, open[0], open[1] ?? open[2] ?? "");
  const close = CLOSE.exec(rest);
  if (close !== null) {
    scan.swallow = true;
    return drop(scan, close[0].length);
  }
  const malformed = MALFORMED.exec(rest);
  if (malformed !== null) return drop(scan, malformed[0].length);
  edge(scan);
}

/**
 * A block ends at its own close tag. Without one it counts only where it began a line, and then to the end. A function
 * call counts only where it began a line or a sentence.
 */
function block(scan: Scan, tag: string, name: string): void {
  const before = lastLine(scan.shown).trim();
  if (name.toLowerCase() === "function" && before !== "" && !/[.!?:]$/.test(before)) return show(scan, tag.length);
  const closing = `</${name}>`.toLowerCase();
  const end = scan.rest.toLowerCase().indexOf(closing, tag.length);
  if (end >= 0) return drop(scan, end + closing.length);
  if (before !== "") return show(scan, tag.length);
  scan.unfinished = true;
  drop(scan, scan.rest.length);
}

/** What counts only in front of all text or behind it. */
function edge(scan: Scan): void {
  const first = scan.shown.trim() === "";
  const length = lengthOf(SELF_CLOSED, scan.rest) || lengthOf(CHANNEL, scan.rest);
  if (first && length > 0) return drop(scan, length);
  if (isLast(scan.rest, first)) return drop(scan, scan.rest.length);
  show(scan, 1);
}

const lengthOf = (tag: RegExp, text: string): number => tag.exec(text)?.[0].length ?? 0;

/** Nothing but empty blocks follows, or the text stops in the middle of a tag and enough of it is there to tell. */
function isLast(rest: string, first: boolean): boolean {
  if (SELF_CLOSED.test(rest)) return rest.replaceAll(/<thinking\/>/gi, "").trim() === "";
  if (CUT_OPEN.test(rest)) return rest.length <= 256;
  if (!TAGS.some((tag) => tag.length > rest.length && tag.startsWith(rest.toLowerCase()))) return false;
  if (/^<\/?t|^<\|?c/i.test(rest)) return true;
  return /[a-z]/i.test(rest) ? rest.length >= 5 : first && /^<\|?$/.test(rest);
}

function drop(scan: Scan, length: number): void {
  scan.rest = scan.rest.slice(length);
}

function show(scan: Scan, length: number): void {
  const text = scan.rest.slice(0, length);
  drop(scan, length);
  if (scan.swallow && text.trim() === "") return;
  scan.swallow = false;
  scan.shown += text;
}

const lastLine = (text: string): string => text.slice(text.lastIndexOf("\n") + 1);

/** Between two back-ticks of one line, or behind a fence that is not closed. */
function inCode(shown: string): boolean {
  const fences = shown.split("\n").filter((line) => /^\s*```/.test(line)).length;
  return fences % 2 === 1 || lastLine(shown).split("`").length % 2 === 0;
}
