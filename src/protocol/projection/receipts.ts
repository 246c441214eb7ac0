import { textOf, type ToolMessage } from "../message.ts";

/**
 * The longest result that is kept and sent, in characters (row G4). Hermes has 100,000 for all but read_file, whose own
 * limit that is (hermes.md §26.13); a little more leaves room for what read_file says beside the text.
 */
const MAX_CHARS = 110_000;
const HEAD_CHARS = 50_000;
const TAIL_CHARS = 50_000;

/** The beginning and the end of what is longer, and how much is missing between them. */
export function withinLimit(text: string): string {
  if (text.length <= MAX_CHARS) return text;
  const left = text.length - HEAD_CHARS - TAIL_CHARS;
  const [head, tail] = [text.slice(0, HEAD_CHARS), text.slice(-TAIL_CHARS)];
  return `${head.toWellFormed()}\n[… ${left} characters left out …]\n${tail.toWellFormed()}`;
}

/**
 * A receipt as it is sent: no longer than one may be, also where it was stored before there was a limit, and with a
 * mention where a file stands in it as base64, which is long and tells a model nothing. The same receipt is the same
 * bytes each time; one that needs neither is the same object.
 */
export function sentReceipt(receipt: ToolMessage): ToolMessage {
  if (textOf(receipt).length < BLOB) return receipt;
  let parts: ToolMessage["parts"] | undefined;
  let length = 0;
  for (const [at, part] of receipt.parts.entries()) {
    if (part.type !== "text") continue;
    const text = withoutBase64(part.text);
    length += text.length;
    if (text !== part.text) parts = (parts ?? receipt.parts).with(at, { ...part, text });
  }
  const shown = parts === undefined ? receipt : { ...receipt, parts };
  if (length <= MAX_CHARS) return shown;
  // What is joined, and what is cut, may have become one.
  return withText(shown, withoutBase64(withinLimit(withoutBase64(textOf(shown)))));
}

/** Shorter ones are left alone: an icon, a key, a hash. */
const BLOB = 2_000;

/** Texts that hold none, nearly all, are looked at in steps of its length. */
function withoutBase64(text: string): string {
  let [shown, end] = ["", 0];
  for (let at = BLOB - 1; at < text.length; at += BLOB) {
    if (!isBase64(text.charCodeAt(at))) continue;
    let [first, last] = [at, at];
    while (first > end && isBase64(text.charCodeAt(first - 1))) first--;
    while (last + 1 < text.length && isBase64(text.charCodeAt(last + 1))) last++;
    at = last;
    if (last + 1 - first < BLOB || !isFile(text.slice(first, first + BLOB))) continue;
    const kind = kindOf(text.slice(Math.max(end, first - LONGEST_KIND), first));
    shown += `${text.slice(end, first)}[${last + 1 - first} characters of ${kind} left out]`;
    while (text[last + 1] === "=") last++;
    end = last + 1;
  }
  return end === 0 ? text : shown + text.slice(end);
}

/** Characters: what stands before the data of a URL that names its type. */
const LONGEST_KIND = 100;

const kindOf = (before: string): string => {
  const [, kind] = /data:([\w.+-]+\/[\w.+-]+)[^,\s]*;base64,$/iu.exec(before) ?? [];
  return kind === undefined ? "base64" : `${kind} in base64`;
};

/** Of the usual alphabet, or of the one for addresses. */
const isBase64 = (unit: number): boolean =>
  (unit >= 0x61 && unit <= 0x7a) ||
  (unit >= 0x41 && unit <= 0x5a) ||
  (unit >= 0x30 && unit <= 0x39) ||
  unit === 0x2b ||
  unit === 0x2f ||
  unit === 0x2d ||
  unit === 0x5f;

/** A long word, a long number, a row of dashes is none. */
const isFile = (text: string): boolean => /[a-z]/u.test(text) && /[A-Z]/u.test(text) && /\d/u.test(text);

/** Its own text, and what the user said on it. */
const withText = (receipt: ToolMessage, text: string): ToolMessage => ({
  ...receipt,
  parts: [{ type: "text", text }, ...receipt.parts.filter(({ type }) => type !== "text")],
});

/** A receipt up to this long is not worth cutting, characters (row F2). */
const WORTH_CUTTING = 500;
const SHOWN = 80;

export const isWorthCutting = (output: string): boolean => output.trim().length > WORTH_CUTTING;

/** One line for a long output of a tool. */
export function cutReceipt(receipt: ToolMessage): ToolMessage {
  const text = textOf(receipt).trim();
  if (!isWorthCutting(text)) return receipt;
  const [line = ""] = text.slice(0, SHOWN).split("\n", 1);
  const began = line.trim().toWellFormed();
  const cut = `[${text.length} characters of old output were left out; they began: ${began}; do not repeat the call unchanged]`;
  return withLine(receipt, cut);
}

/** A line in the place of all that the tool gave; what the user said on it stays. */
export const withLine = (receipt: ToolMessage, line: string): ToolMessage => ({
  ...receipt,
  parts: [{ type: "text", text: line }, ...receipt.parts.filter(({ type }) => type === "steer")],
});
