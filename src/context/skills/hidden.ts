import { withoutHidden } from "../prompt/threats.ts";

export interface Shown {
  readonly text: string;
  /** Ids of what was taken out. */
  readonly hidden: readonly string[];
}

/** A text as a person sees it: without characters that show nothing, and of Markdown without comments. */
export function asShown(path: string, text: string): Shown {
  const { text: visible, hidden } = withoutHidden(text);
  if (!/\.(?:md|markdown)$/iu.test(path) || !visible.includes("<!--")) return { text: visible, hidden };
  const plain = withoutComments(visible);
  return { text: plain, hidden: plain === visible ? hidden : [...hidden, "html_comment"] };
}

/** A fence of code, with its signs. */
const FENCE = /^ {0,3}(`{3,}|~{3,})/u;

/** Whoever reads Markdown sees a comment where it stands in code, and nowhere else. One without an end takes the rest. */
function withoutComments(text: string): string {
  const out: string[] = [];
  let fence = "";
  let isComment = false;
  for (const line of text.split("\n")) {
    const signs = isComment ? "" : (FENCE.exec(line)?.[1] ?? "");
    if (fence !== "") {
      out.push(line);
      if (signs.startsWith(fence) && line.trim() === signs) fence = "";
      continue;
    }
    if (signs !== "") {
      fence = signs;
      out.push(line);
      continue;
    }
    const read = withoutCommentsIn(line, isComment);
    if (!read.isGone) out.push(read.text);
    isComment = read.isComment;
  }
  return out.join("\n");
}

interface LineRead {
  readonly text: string;
  /** It goes on in the next line. */
  readonly isComment: boolean;
  /** There was nothing but a comment in it. */
  readonly isGone: boolean;
}

const BEGIN = "<!--";
const END = "-->";

function withoutCommentsIn(line: string, wasComment: boolean): LineRead {
  const codes = line.includes(BEGIN) ? codesIn(line) : [];
  let text = "";
  let at = 0;
  let isComment = wasComment;
  while (at < line.length) {
    if (isComment) {
      const end = line.indexOf(END, at);
      if (end < 0) break;
      at = end + END.length;
      isComment = false;
      continue;
    }
    const begin = beginOf(line, at, codes);
    text += line.slice(at, begin);
    isComment = begin < line.length;
    at = begin + BEGIN.length;
  }
  return { text, isComment, isGone: text.trim() === "" && (wasComment || line.includes(BEGIN)) };
}

type Span = readonly [from: number, until: number];

/** Where the next comment begins; the end of the line where none does. */
function beginOf(line: string, from: number, codes: readonly Span[]): number {
  for (let at = line.indexOf(BEGIN, from); at >= 0; at = line.indexOf(BEGIN, at)) {
    const code = codes.find(([start, until]) => start >= from && start < at && at < until);
    if (code === undefined) return at;
    at = code[1];
  }
  return line.length;
}

/** What stands between two runs of as many backticks. */
function codesIn(line: string): Span[] {
  const runs = [...line.matchAll(/`+/gu)].map(({ 0: signs, index }) => ({ length: signs.length, index }));
  const places = Map.groupBy(runs, ({ length }) => length);
  const codes: Span[] = [];
  let from = 0;
  for (const { length, index } of runs) {
    if (index < from) continue;
    const alike = places.get(length) ?? [];
    while (alike[0] !== undefined && alike[0].index <= index) alike.shift();
    const [end] = alike;
    if (end === undefined) continue;
    from = end.index + length;
    codes.push([index, from]);
  }
  return codes;
}
