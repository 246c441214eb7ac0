import type { Rank } from "./intents.ts";
import { reword, type Phrase } from "./phrase.ts";
import { scopeOf, takeFolder } from "./scope.ts";

const SIZE_MOST =
  /\b(?:largest|biggest|heaviest|bulkiest|hugest|(?:most|maximum|max)\s+(?:disk\s+)?(?:space|size|bytes|storage|room))\b|最大|最重/iu;
const SIZE_LEAST =
  /\b(?:smallest|tiniest|lightest|littlest|(?:least|fewest|minimum|min)\s+(?:disk\s+)?(?:space|size|bytes|storage|room))\b|最小|最轻/iu;
const TIME_MOST =
  /\b(?:newest|latest|youngest|most recent(?:ly)?|(?:recently|last) (?:changed|modified|edited|updated|touched|written|saved))\b|最新|最近/iu;
const TIME_LEAST = /\b(?:oldest|earliest|stalest|least recent(?:ly)?)\b|最旧|最老|最早/iu;
const ORDERS = [
  { pattern: TIME_LEAST, by: "time", end: "least" },
  { pattern: TIME_MOST, by: "time", end: "most" },
  { pattern: SIZE_LEAST, by: "size", end: "least" },
  { pattern: SIZE_MOST, by: "size", end: "most" },
] as const;
/** "the largest function" and "which folder is the largest" are no questions about files. */
const OTHER_NOUN =
  "(?:functions?|class(?:es)?|methods?|lines?|words?|numbers?|folders?|director(?:y|ies)|versions?|commits?|releases?|changes|news|variables?|names?|functions?|函数|文件夹|目录|版本|提交)";
const OTHER_AFTER = new RegExp(
  `^(?:\\s+(?:two|three|four|five|ten|\\d+))?\\s*的?\\s*${OTHER_NOUN}(?![\\w里中下])`,
  "iu",
);
const OTHER_BEFORE = new RegExp(`^(?:which|what|the|哪个)\\s*${OTHER_NOUN}(?![\\w里中下])`, "iu");
/** Behind "the newest": nothing, or a verb. */
const NO_NOUN =
  /^\s*(?:(?:(?:is|are|was|were|changed|modified|edited|updated|touched|written|saved|created)\b|[的是]).*)?$/iu;
const FILE_WORD =
  /\b(?:files?|documents?|scripts?|ones?|things?|items?|images?|pictures?|photos?|videos?)\b|文件|文档|图片|哪个|谁/iu;

export function matchRank(phrase: Phrase): Rank | undefined {
  return matchSorted(phrase) ?? matchSuperlative(phrase);
}

const SORTED =
  /\b(?:sort(?:ed)?|order(?:ed)?|rank(?:ed)?|list|show|files)\b.*\bby (?:file |their )?(size|bytes|date|time|age|modification)/iu;
const FROM_THE_END = /\b(?:ascending|(?:smallest|oldest) first)\b/iu;
const SORTED_COUNT = 10;

function matchSorted(phrase: Phrase): Rank | undefined {
  const by = SORTED.exec(phrase.text)?.[1]?.toLowerCase();
  const { rest, folder } = takeFolder(reword(phrase, phrase.text.replace(/\bby (?:file |their )?\w+/iu, "")));
  const scope = by === undefined ? undefined : scopeOf(rest, folder);
  return (
    scope && {
      type: "rank",
      by: by === "size" || by === "bytes" ? "size" : "time",
      end: FROM_THE_END.test(phrase.text) ? "least" : "most",
      count: SORTED_COUNT,
      scope,
    }
  );
}

function matchSuperlative(phrase: Phrase): Rank | undefined {
  const order = ORDERS.find(({ pattern }) => pattern.test(phrase.text));
  const found = order?.pattern.exec(phrase.text);
  if (order === undefined || !found) return undefined;
  const { rest, folder } = takeFolder(phrase);
  const scope = scopeOf(rest, folder);
  const after = rest.text.slice(rest.text.indexOf(found[0]) + found[0].length);
  if (scope === undefined || OTHER_AFTER.test(after) || OTHER_BEFORE.test(rest.text)) return undefined;
  const aboutFiles = FILE_WORD.test(rest.text) || scope.kind !== undefined || NO_NOUN.test(after);
  return aboutFiles ? { type: "rank", by: order.by, end: order.end, count: countIn(rest.text), scope } : undefined;
}

const PERIOD =
  /\b(?:today|yesterday|tonight|this (?:morning|afternoon|week|month|year)|last (?:night|week|month|year)|(?:in|within|during|over) the (?:last|past) .+|since .+|\d+ (?:minutes|hours|days|weeks|months) ago)\b|今天|昨天|本周|这周|上周/iu;
const CHANGED =
  /\b(?:changed?|changes|modified|edited|updated|touched|written|saved|created|added|new)\b|改|更新|新增|变/iu;

/** "what changed today": the newest files, since this program knows no dates. */
export function matchPeriod(phrase: Phrase): Rank | undefined {
  const period = PERIOD.exec(phrase.text)?.[0];
  if (period === undefined || !CHANGED.test(phrase.text)) return undefined;
  const { rest, folder } = takeFolder(reword(phrase, phrase.text.replace(period, "")));
  const scope = scopeOf(rest, folder);
  return scope && { type: "rank", by: "time", end: "most", count: SORTED_COUNT, period, scope };
}

export const NUMBERS: readonly string[] = [
  "one",
  "two",
  "three",
  "four",
  "five",
  "six",
  "seven",
  "eight",
  "nine",
  "ten",
];
const MANY_FILES = 5;

function countIn(text: string): number {
  const digits = /\b(\d{1,3})\b/u.exec(text)?.[1];
  if (digits !== undefined) return Math.max(1, Number(digits));
  const word = /\b(two|three|four|five|six|seven|eight|nine|ten)\b/iu.exec(text)?.[1];
  if (word !== undefined) return NUMBERS.indexOf(word.toLowerCase()) + 1;
  return /\b(?:files|documents|ones|scripts|images|are)\b|哪些/iu.test(text) &&
    !/\b(?:of|among|all) (?:the |these |all )*files\b/iu.test(text)
    ? MANY_FILES
    : 1;
}
