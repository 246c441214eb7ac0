/** What somebody wants to call a session, made one clean line. */
export type TitleReading =
  | { readonly type: "title"; readonly title: string }
  | { readonly type: "blank" }
  | { readonly type: "too-long"; readonly characters: number };

/** hermes.md §20: the longest title, in characters. */
export const MAX_TITLE = 100;

/**
 * Controls but tab and line ends, the line and paragraph separators, what has no width or reorders its neighbours, and
 * the place of an object (hermes.md §20).
 */
const INVISIBLE = /[^\P{Cc}\t\n\r\u0085]|[\p{Cf}\p{Cs}\u2028\u2029\uFFFC]/gu;
const SPACE = /[\s\u0085]+/gu;

export function readTitle(raw: string): TitleReading {
  const title = raw.replaceAll(INVISIBLE, "").replaceAll(SPACE, " ").trim();
  const characters = Array.from(title).length;
  if (characters === 0) return { type: "blank" };
  return characters > MAX_TITLE ? { type: "too-long", characters } : { type: "title", title };
}

/** A line that only announces what follows, and what models put before and around a title. */
const ANNOUNCES = /[:：]\s*$/u;
const BEFORE = /^(?:[#*_>\s-]+|(?:session\s+)?title\s*[:：-]\s*|(?:会话)?标题\s*[:：]\s*)/iu;
const PAIRS = ['""', "''", "``", "“”", "‘’", "„“", "«»", "「」", "『』", "《》", "**", "__"] as const;

/** The title in what a model says when it is asked for one. */
export function readModelTitle(answer: string): TitleReading {
  const lines = answer.split("\n").map((line) => bare(line));
  return readTitle(lines.find((line) => readTitle(line).type !== "blank" && !ANNOUNCES.test(line)) ?? "");
}

/** Each step makes it shorter, so it ends. */
function bare(line: string): string {
  const inner = unquoted(
    line
      .trim()
      .replace(BEFORE, "")
      .trim()
      .replace(/[.。]$/u, ""),
  );
  return inner === line ? line : bare(inner);
}

function unquoted(text: string): string {
  const pair = PAIRS.find(
    ([open = "", close = ""]) => text.length > 1 && text.startsWith(open) && text.endsWith(close),
  );
  return pair === undefined ? text : text.slice(1, -1);
}
