import { matchEdit, matchRun, matchWrite } from "./changes.ts";
import type { Intent } from "./intents.ts";
import { literal, quotedIn, reword, type Phrase } from "./phrase.ts";
import { matchBeyond } from "./beyond.ts";
import { kindIn } from "./kinds.ts";
import { matchMemory, matchTodo } from "./notes.ts";
import { matchPeriod, matchRank } from "./order.ts";
import { matchRead } from "./reading.ts";
import { globOf, scopeOf, takeFolder, type Scope } from "./scope.ts";
import { isThisFolder, looksLikeFile, targetOf } from "./target.ts";

type Matcher = (phrase: Phrase) => Intent | undefined;

/** What one polite-free phrase asks for, or undefined. The order decides: explicit verbs before loose key words. */
export function matchIntent(phrase: Phrase): Intent | undefined {
  if (phrase.text === "") return undefined;
  for (const matcher of MATCHERS) {
    const intent = matcher(phrase);
    if (intent !== undefined) return intent;
  }
  return undefined;
}

const matchHelp: Matcher = ({ text }) =>
  /^(?:help|hi|hello|hey|what (?:else )?can (?:you|i) (?:do|ask)|what do you do|how do you work|who are you|what are you|are you (?:an? )?(?:real |large )?(?:ai|llm|human|model|language model|robot|bot)|what (?:kind of |sort of )?model (?:are you|is this)|你好|帮助|你是谁|你是什么|你能做什么|你会什么)\b|^(?:你好|帮助|你是谁|你是什么|你能做什么|你会什么)/iu.test(
    text,
  )
    ? { type: "help" }
    : undefined;

/** "count …" and "how many …", cut off in front of what is counted. */
const HOW_MANY =
  /(?:\bhow many\b|\bcount(?: up)?\b|\b(?:total )?number of\b|\btally\b|\btotal of\b|多少|几个|几次|数一?数)/iu;
const TIMES =
  /^(?:how often (?:does|is|do|are)|(?:how many|count|number of)\s+(?:the\s+)?(?:times|occurrences?|mentions?|matches|hits|instances)\s*(?:does|do|is|are|of|for|has|have)?)\s+(.+?)(?:\s+(?:appears?|occurs?|is used|used|mentioned|show(?:s|n)? up|come(?:s)? up|found|written|there|are there))*(?:\s+(?:in|within|inside|under|across)\s+(.+))?$/iu;
const MENTIONING =
  /\b(?:files?|documents?|scripts?|lines?)\b.*?\b(?:(?:that |which )?(?:mention|contain|include|reference|match)(?:s|ing)?|(?:that|which) (?:ha(?:ve|s)|uses?|says?))\s+(?:the (?:word|text|string|phrase)\s+)?(.+)$/iu;
const CHINESE_TIMES = /^(.+?)\s*(?:一共|总共)?(?:出现|提到|用)了?(?:多少|几)次$/u;

const matchCountText: Matcher = (phrase) => {
  if (/\b(?:in|with) (?:the|their|its) (?:file ?)?names?\b/iu.test(phrase.text)) return undefined;
  const [words, place] = countedText(phrase.text);
  if (words === undefined) return undefined;
  const { rest, folder } = takeFolder(reword(phrase, place === undefined ? words : `x in ${place}`));
  const text = searchedText(place === undefined ? rest : reword(phrase, words));
  return text === "" ? undefined : { type: "count-text", text, scope: placeScope(folder, phrase) };
};

/** What is counted, and where when that is said. */
function countedText(text: string): readonly [words?: string, place?: string] {
  const [, words, place] = TIMES.exec(text) ?? CHINESE_TIMES.exec(text) ?? [];
  if (words !== undefined) return place === undefined ? [words] : [words, place];
  const inside = HOW_MANY.test(text) ? MENTIONING.exec(text)?.[1] : undefined;
  return inside === undefined ? [] : [inside];
}

/** A place that looks like a file is a file, otherwise a folder. */
function placeScope(place: string | undefined, phrase: Phrase): Scope {
  if (place === undefined) return {};
  const isFile = looksLikeFile(reword(phrase, place)) && !place.includes("/");
  return isFile ? { name: globOf(place) } : { folder: place };
}

const COUNT_LINES =
  /^(?:how many (?:lines|rows)(?: of (?:code|text))?(?: (?:are|is) (?:there )?in| does| do| has|\s+in)?|how long is|(?:count|number of)(?: the)?(?: number of)? lines(?: of code)?(?: in| of)?|line count (?:of|for|in))\s+(.+)$/iu;
const CHINESE_LINES = /^(.+?)\s*(?:一共|总共|里)?有?(?:多少|几)行$/u;

const matchCountLines: Matcher = (phrase) => {
  const words = (COUNT_LINES.exec(phrase.text) ?? CHINESE_LINES.exec(phrase.text))?.[1];
  const target = words === undefined ? undefined : targetOf(reword(phrase, words));
  return target && { type: "count-lines", target };
};

const FOLDERS = /\b(?:folders|director(?:y|ies)|subfolders|dirs)\b|文件夹|目录/iu;
const FILES = /\b(?:files?|documents?|scripts?)\b|文件(?!夹)|文档/iu;

const matchCount: Matcher = (phrase) => {
  if (!HOW_MANY.test(phrase.text)) return undefined;
  const { rest, folder } = takeFolder(phrase);
  const scope = scopeOf(rest, folder);
  if (scope === undefined) return undefined;
  if (FILES.test(rest.text) || scope.kind !== undefined || scope.name !== undefined) {
    return { type: "count", what: "files", scope };
  }
  return FOLDERS.test(rest.text) ? { type: "count", what: "folders", scope } : undefined;
};

const COUNT_WORD = /^(count|how many)\s+(?:(?:the|all|every)\s+)*(\S+)(?:\s+(?:are|is) there)?$/iu;
const NO_WORD = /^(?:files?|folders?|lines?|everything|all|it|them|me|us|down|up)$/iu;

/** "count fooBar": any word; "how many …" may be about the world, so there it must look like one of a program. */
const matchCountWord: Matcher = (phrase) => {
  const { rest, folder } = takeFolder(phrase);
  const [, verb = "", said = ""] = COUNT_WORD.exec(rest.text) ?? [];
  const word = literal(reword(phrase, said.replace(/^([A-Z]{2,})s$/u, "$1")));
  const countable = /^count$/iu.test(verb) || /^[A-Z]{2,}$|[a-z][A-Z]|[_\uE000]/u.test(said.replace(/s$/u, ""));
  return word === "" || NO_WORD.test(word) || !countable
    ? undefined
    : { type: "count-text", text: word, scope: placeScope(folder, phrase) };
};

const IN_KIND =
  /^(.+?)\s+(?:in|within|inside|across)\s+((?:(?:all|the|my|our|any)\s+)*\S+\s+(?:(?:source|code)\s+)?(?:files|scripts|documents))$/iu;

/** "find fooBar in python files" */
const matchInKind: Matcher = (phrase) => {
  const [, asked = "", place = ""] = IN_KIND.exec(phrase.text) ?? [];
  const kind = place === "" ? undefined : kindIn(`in ${place}`);
  const intent = kind === undefined || kind === null ? undefined : matchIntent(reword(phrase, asked));
  if (!kind) return undefined;
  if (intent?.type === "count-text") return { ...intent, scope: { kind } };
  return intent?.type === "search" ? { ...intent, where: "text", scope: { kind } } : undefined;
};

const FOLDERS_LISTED =
  /^(?:list|show|display|print|name|give|get|find|which|what)\b.*\b(?:folders|directories|subfolders|subdirectories|dirs)\b|^列出(?:所有|全部)?的?子?(?:文件夹|目录)$|有哪些子?(?:文件夹|目录)/iu;

const matchListFolders: Matcher = (phrase) => {
  const { rest, folder } = takeFolder(phrase);
  if (!FOLDERS_LISTED.test(rest.text) || FILES.test(rest.text) || BY_TEXT.test(rest.text)) return undefined;
  return { type: "list-folders", scope: folder === undefined ? {} : { folder } };
};

const IS_THERE = /^(?:is|are) there (?:an?|any|some)\s+(.+? (?:files?|scripts?|documents?))$|^有(?:没有)?(.+文件)$/iu;

/** "is there a python file": a kind, not a name. */
const matchKindThere: Matcher = (phrase) => {
  const { rest, folder } = takeFolder(phrase);
  const words = IS_THERE.exec(rest.text)
    ?.slice(1)
    .find((part) => part !== undefined);
  const scope = words === undefined ? undefined : scopeOf(reword(phrase, `any ${words}`), folder);
  return scope?.kind === undefined ? undefined : { type: "list", scope };
};

const SIZE =
  /^(?:how (?:big|large) is|what(?:'s| is) the (?:file )?size of|(?:the )?(?:file )?size of|how many bytes (?:has|does|are in|is))\s+(.+)$/iu;

const matchSize: Matcher = (phrase) => {
  const words = SIZE.exec(phrase.text)?.[1] ?? /^(.+?)\s*(?:有多大|多大)$/u.exec(phrase.text)?.[1];
  if (/^(?:its|the) (?:exact )?(?:file )?size$/iu.test(phrase.text)) return { type: "size", target: { type: "it" } };
  if (words !== undefined && isThisFolder(words)) return { type: "count", what: "files", scope: {} };
  const target = words === undefined ? undefined : targetOf(reword(phrase, words));
  return target && { type: "size", target };
};

const OUTLINE_OF =
  /^(?:(?:give|show|print|make|list|get|what is|what's|what are|which are)\s+(?:me\s+)?)?(?:(?:a|an|the|all|all the|its)\s+)?(?:outline|structure|headings?|headlines?|sections|chapters|table of contents|toc|functions?|methods|classes|exports?|symbols|definitions|(?:top-level |top level )?keys|summary|overview)(?:\s+and\s+\w+)?\s+(?:of|for|in|from|inside)\s+(.+)$/iu;
const OUTLINE_VERB = /^(?:outline|summari[sz]e|explain|describe)\s+(.+)$/iu;
const OUTLINE_WHICH =
  /^(?:what|which|how many)\s+(?:are the\s+)?(?:headings?|sections|chapters|functions?|methods|classes|exports?|symbols|keys|definitions)\s+(?:are\s+(?:there\s+)?(?:defined\s+|declared\s+|exported\s+)?(?:in|by|from)|does|do|has|are in)\s+(.+)$/iu;
const CHINESE_OUTLINE =
  /^(?:列出|显示|给出)?\s*(.+?)\s*的?(?:大纲|结构|标题|函数|目录结构|提纲)(?:有哪些)?$|^(?:概述|总结)\s*(.+)$/u;

const OVERVIEW = /\b(?:summar(?:y|i[sz]e)|overview|explain|describe|about)\b|概述|总结/iu;
const ABOUT = /^what(?:'s| is) (.+?) (?:all )?about$/iu;

const matchOutline: Matcher = (phrase) => {
  const match =
    ABOUT.exec(phrase.text) ??
    OUTLINE_OF.exec(phrase.text) ??
    OUTLINE_WHICH.exec(phrase.text) ??
    OUTLINE_VERB.exec(phrase.text) ??
    CHINESE_OUTLINE.exec(phrase.text);
  const words = match?.[1] ?? match?.[2];
  if (words === undefined) return undefined;
  if (isThisFolder(words)) return OVERVIEW.test(phrase.text) ? { type: "overview" } : { type: "list", scope: {} };
  const target = targetOf(reword(phrase, words));
  return target && { type: "outline", target };
};

const LIST =
  /^(?:ls|dir|list(?: (?:me )?(?:the |all |all the |my )?(?:contents?|folder|directory))?|tree)$|^(?:list|show|display|print|give|name|enumerate|see|get|find|ls)\b.*\b(?:files|documents|scripts|contents?|images|pictures|photos|folder|directory|everything)\b|^(?:what|which)\b.*\b(?:files?|documents?|scripts?|images|pictures|photos)\b|^what(?:'s| is) (?:here|there|in)\b|^(?:is|are) there (?:any|some)\b.*\bfiles?\b|^(?:show|display|print|outline|describe|give)\b.*\b(?:structure|tree|layout)\b|列出|有哪些|有什么文件|查看文件|显示文件/iu;
/** Files that are told by their text are found by a search. */
const BY_TEXT =
  /\b(?:named|called|contain(?:s|ing)?|mention(?:s|ing)?|talk(?:s|ing)? about|reference[sd]?|imports?|uses?|says?|defines?)\b|包含|提到/iu;

const matchList: Matcher = (phrase) => {
  const { rest, folder } = takeFolder(phrase);
  if (!LIST.test(phrase.text) && !LIST.test(rest.text)) return undefined;
  const isFile = folder !== undefined && looksLikeFile(reword(phrase, folder));
  if (isFile && /^what(?:'s| is)$/iu.test(rest.text)) return undefined;
  const scope = scopeOf(rest, folder);
  if (scope?.name === undefined && BY_TEXT.test(rest.text)) return undefined;
  return scope && { type: "list", scope };
};

const NAMED =
  /\b(?:files?|documents?|scripts?)\s+(?:that (?:is|are)\s+)?(?:named|called|matching|by (?:the )?name(?: of)?)\s+(.+)$|^(?:is there|do (?:we|i|you) have|does .*? have|have we got|is there any)\s+(?:an?\s+|any\s+|some\s+)?(?:file\s+(?:named\s+|called\s+)?)?(.+)$/iu;
const EXPLICIT =
  /^(?:search(?: through| in)?(?: (?:the )?(?:files|code|folder|project|text))?(?: for)?|grep(?: for)?|look(?: up| for)|locate|find(?: me)?|搜索|搜一?下?|查找|寻找|找到?一?下?)\s*(.+)$/iu;
const WHERE =
  /^(?:where(?:'s| is| are| was| were| do| does| did| can (?:i|you|we|one) (?:find|see)| have (?:we|i|you)|)\s+(?:(?:we|i|you|they|it|the code)\s+(?=use|define|mention|call|set|say|talk))?)(.+)$/iu;
const WHO =
  /^(?:who|what|which(?: (?:files?|documents?|scripts?|places?|ones?|lines?))?|what files?|any files?|(?:(?:list|show|find|name)\s+)?(?:me\s+)?(?:all\s+|the\s+|every\s+|each\s+)*(?:files?|documents?|lines?|places?|mentions|occurrences|uses|usages|references))\s+(?:(?:that|which|where|who)\s+)?(?:mentions?|contains?|includes?|uses?|references?|says?|talks? about|imports?|calls?|defines?|has|have|mentioning|containing|using|of|to|for)\s+(.+)$/iu;
const CHINESE_WHERE =
  /^(.+?)\s*(?:在哪里?|在哪儿|在哪个文件|在什么地方|在何处)(?:定义|使用|出现)?的?$|^(?:哪里|哪儿|谁|哪些文件|哪个文件)(?:有|包含|提到|提及|用了|使用|出现)了?\s*(.+)$/u;

const matchNamed: Matcher = (phrase) => {
  const match = NAMED.exec(phrase.text);
  const words = match?.[1] ?? match?.[2];
  if (
    words === undefined ||
    (match?.[2] !== undefined && !looksLikeFile(reword(phrase, words)) && !/\bfile\b/iu.test(phrase.text))
  )
    return undefined;
  const { rest, folder } = takeFolder(reword(phrase, words));
  const text = searchedText(rest);
  return text === ""
    ? undefined
    : { type: "search", text, where: "names", scope: folder === undefined ? {} : { folder } };
};

const matchSearch: Matcher = (phrase) => {
  const sought = soughtIn(phrase.text);
  if (sought === undefined) return undefined;
  const { rest, folder } = takeFolder(reword(phrase, sought.words));
  const listed = globScope(rest, folder);
  if (listed !== undefined) return { type: "list", scope: listed };
  const text = searchedText(rest);
  return text === "" ? undefined : { type: "search", text, where: sought.where, scope: placeScope(folder, phrase) };
};

function soughtIn(text: string): { readonly words: string; readonly where: "text" | "anywhere" } | undefined {
  const [, chineseThing, chineseWho] = CHINESE_WHERE.exec(text) ?? [];
  const who = WHO.exec(text)?.[1] ?? chineseWho;
  if (who !== undefined) return { words: who, where: "text" };
  const words = (EXPLICIT.exec(text) ?? WHERE.exec(text))?.[1] ?? chineseThing;
  return words === undefined ? undefined : { words, where: "anywhere" };
}

/** "find *.ts": a glob is no text to look for. */
function globScope(phrase: Phrase, folder: string | undefined): Scope | undefined {
  const scope = scopeOf(phrase, folder);
  const isGlob = scope?.name !== undefined || /^\*\.\w+$/u.test(phrase.text);
  return isGlob ? scope : undefined;
}

const TEXT_BEFORE =
  /^(?:(?:the|a|an|all|every|any|of|for|about|word|words|text|string|phrase|term|line|lines|function|class|variable|constant|method|type|interface|symbol|definition|declaration|occurrences?|mentions?|uses?|usages?|references?|places? where|file|named|called|with)\s+)+(?=\S)/iu;
const TEXT_AFTER =
  /(?:\s+(?:is|are|gets|been|being|was|were|it|be))*\s+(?:defined|declared|used|mentioned|located|imported|exported|called|set|configured|implemented|referenced|documented|described|explained|written|found|stored|kept|said|appears?|occurs?|happens?|mention|use|file)$|的?(?:定义|文件)$/iu;

/** The words to look for: what is quoted, otherwise what is left when the words around it are gone. */
function searchedText(phrase: Phrase): string {
  const [quoted] = quotedIn(phrase);
  if (quoted !== undefined) return quoted;
  const bare = phrase.text.trim().replace(TEXT_AFTER, "");
  return literal(reword(phrase, bare.replace(TEXT_BEFORE, ""))).trim();
}

/** A search that names an order or all files of a kind is really a question about the listing. */
const matchFoundByRank: Matcher = (phrase) => (startsAsFileQuestion(phrase.text) ? matchRank(phrase) : undefined);

const startsAsFileQuestion = (text: string): boolean =>
  !OUTLINE_VERB.test(text) &&
  !/^(?:read|open|cat|outline|how many lines|how long)\b|\blines? (?:of|from|in)\b|的?(?:大纲|提纲)/iu.test(text);

const MATCHERS: readonly Matcher[] = [
  matchHelp,
  matchMemory,
  matchTodo,
  matchRun,
  matchWrite,
  matchEdit,
  matchBeyond,
  matchInKind,
  matchPeriod,
  matchCountLines,
  matchCountText,
  matchSize,
  matchOutline,
  matchFoundByRank,
  matchCount,
  matchCountWord,
  matchListFolders,
  matchKindThere,
  matchNamed,
  matchList,
  matchRead,
  matchSearch,
];
