export interface Kind {
  readonly label: string;
  readonly extensions: readonly string[];
}

const KINDS: ReadonlyMap<string, readonly string[]> = new Map([
  ["typescript", ["ts", "tsx", "mts", "cts"]],
  ["javascript", ["js", "jsx", "mjs", "cjs"]],
  ["markdown", ["md", "markdown"]],
  ["python", ["py"]],
  ["rust", ["rs"]],
  ["golang", ["go"]],
  ["kotlin", ["kt", "kts"]],
  ["ruby", ["rb"]],
  ["shell", ["sh", "bash", "zsh"]],
  ["bash", ["sh", "bash"]],
  ["yaml", ["yaml", "yml"]],
  ["html", ["html", "htm"]],
  ["text", ["txt"]],
  ["image", ["png", "jpg", "jpeg", "gif", "webp", "svg", "bmp", "ico", "avif"]],
  ["picture", ["png", "jpg", "jpeg", "gif", "webp", "svg", "bmp", "avif"]],
  ["photo", ["jpg", "jpeg", "png", "heic", "webp"]],
  ["video", ["mp4", "mkv", "mov", "webm", "avi"]],
  ["图片", ["png", "jpg", "jpeg", "gif", "webp", "svg"]],
  ["照片", ["jpg", "jpeg", "png", "heic", "webp"]],
]);

/** The kind somebody names by a word or an ending; undefined when the word is no kind of file. */
function kindOf(word: string): Kind | undefined {
  const bare = word.toLowerCase().replace(/^\*?\./u, "");
  const extensions =
    word.startsWith(".") || word.startsWith("*.") ? undefined : (KINDS.get(bare) ?? KINDS.get(bare.replace(/s$/u, "")));
  if (extensions !== undefined) return { label: bare, extensions };
  return /^[a-z0-9+#_-]{1,12}$/u.test(bare) ? { label: `.${bare}`, extensions: [bare] } : undefined;
}

const MANY =
  /^(?:many|much|count|list|find|show|all|any|the|my|of|with|and|or|no|only|just|every|each|which|what|largest|biggest|smallest|newest|oldest)$/iu;
/** Words before "files" that narrow nothing. */
const NEUTRAL =
  /^(?:an?|me|our|your|total|single|regular|available|existing|different|actual|other|these|those|this|that|project|\d+|two|three|four|five|six|seven|eight|nine|ten|latest|recent|smallest|tiniest|heaviest|there|are|is|individual|ordinary|normal)$/iu;
/** Words that narrow in a way no listing shows; a question with one of them is not understood. */
const BEYOND =
  /\b(?:hidden|empty|big|large|small|binary|executable|duplicate|unused|temporary|broken|generated|ignored|tracked|untracked|changed|modified|staged|deleted)\s+(?:\S+\s+)?files?\b|(?:隐藏|空的?|重复)的?文件/iu;
const ENDING = /\b(?:extensions?|ending|ends?|suffix)\s+(?:is\s+|are\s+|in\s+|with\s+)?(\*?\.?[a-z0-9]+)(?:\s|$)/iu;

/** Undefined: no kind is spoken of. Null: one is, but it is none this program can tell. */
export function kindIn(text: string): Kind | undefined | null {
  if (BEYOND.test(text)) return null;
  const ending = ENDING.exec(text)?.[1];
  if (ending !== undefined) return kindOf(ending);
  const words = spaced(text).split(/\s+/u);
  const bare = words.find((word) => /^\*?\.[a-z0-9]{1,10}s?$/iu.test(word));
  if (bare !== undefined) return kindOf(bare);
  const named = words.find((word) => /^(?:images|pictures|photos|videos|图片|照片)$/iu.test(word));
  if (named !== undefined) return kindOf(named);
  const noun = words.findIndex((word) => isFileNoun(word));
  return noun < 1 ? undefined : kindBefore(words, noun);
}

const isFileNoun = (word: string): boolean => /^(?:files?|documents?|scripts?|sources?)$|^(?:文件|文档)/iu.test(word);

function kindBefore(words: readonly string[], noun: number): Kind | undefined | null {
  const at = /^(?:source|code)$/iu.test(words[noun - 1] ?? "") ? noun - 2 : noun - 1;
  const [before = "", word = ""] = [words[at - 1], words[at]];
  if (KINDS.has(word.toLowerCase())) return kindOf(word);
  if (!narrows(word) || !mayPrecedeKind(before)) return undefined;
  return /^[a-z0-9+#]{1,6}$/iu.test(word) ? kindOf(word) : null;
}

const narrows = (word: string): boolean => /^[\w+#-]+$/u.test(word) && !MANY.test(word) && !NEUTRAL.test(word);

const mayPrecedeKind = (word: string): boolean => MANY.test(word) || /[\u4E00-\u9FFF]$/u.test(word);

/** Chinese runs into Latin words without a space. */
const spaced = (text: string): string =>
  text.replaceAll(/(?<=[\u4E00-\u9FFF])(?=[!-~])|(?<=[!-~])(?=[\u4E00-\u9FFF])/gu, " ");
