import { kindIn, type Kind } from "./kinds.ts";
import { literal, quotedIn, reword, type Phrase } from "./phrase.ts";

/** Which files a question is about. Everything absent means every file of the folder. */
export interface Scope {
  /** As the user wrote it, without a slash at the end. */
  readonly folder?: string;
  readonly kind?: Kind;
  /** A glob for the file's own name. */
  readonly name?: string;
}

const HERE =
  /^(?:(?:the|this|that|my|our|your|current|whole|entire|working|present|root|same|project|git|source|code|it)\s+)*(?:here|there|this|that|it|all|total|folder|directory|dir|project|repo|repository|workspace|code ?base|tree|place|code|computer)$/iu;
const ALL_FILES = /^(?:(?:the|all|my|these|any|of)\s+)*files$/iu;
const IN = /(?:^|\s)(?:in|under|inside|inside of|within|below|from|of)\s+/giu;
const NO_PLACE = /^(?:size|bytes|lines|length|name|names|order|kb|mb|detail|full|short|time|age|text)$/iu;
const CHINESE_IN = /^\s*(?:在\s*)?(\S+?)\s*(?:文件夹|目录)?\s*(?:里面|里边|里|中|下面|下)(?:的|\s|,|，)?/u;
const CHINESE_HERE = /这|当前|本|整个|文件夹$|目录$|项目$/u;

/** Splits "… in the docs folder" into the folder and the words before it. */
export function takeFolder(phrase: Phrase): { readonly rest: Phrase; readonly folder?: string } {
  const chinese = CHINESE_IN.exec(phrase.text);
  if (chinese?.[1] !== undefined) {
    const rest = reword(phrase, phrase.text.slice(chinese[0].length));
    return CHINESE_HERE.test(chinese[1]) ? { rest } : withFolder(rest, reword(phrase, chinese[1]));
  }
  const last = [...phrase.text.matchAll(IN)].at(-1);
  if (last === undefined) return { rest: phrase };
  const place = phrase.text.slice(last.index + last[0].length).trim();
  const rest = reword(phrase, phrase.text.slice(0, last.index));
  const allFiles = last[0].trim() !== "of" && ALL_FILES.test(place);
  if (HERE.test(place) || allFiles) return { rest: takeFolder(rest).rest };
  if (last[0].trim() === "of" || NO_PLACE.test(place) || rest.text === "") return { rest: phrase };
  return withFolder(rest, reword(phrase, place.replace(FOLDER_WORDS, "").trim()));
}

const FOLDER_WORDS =
  /^(?:(?:the|my|our|a|sub|named|called|folder|directory|dir|subfolder|subdirectory)\s+)+|\s+(?:folder|directory|dir|subfolder|subdirectory)$/giu;

function withFolder(rest: Phrase, place: Phrase): { readonly rest: Phrase; readonly folder?: string } {
  const folder = literal(place)
    .trim()
    .replace(/(?<=.)\/+$/u, "");
  return folder === "" || folder === "." || folder === "./" ? { rest } : { rest, folder };
}

/** Undefined when the files are narrowed in a way that cannot be told from a listing. */
export function scopeOf(phrase: Phrase, folder: string | undefined): Scope | undefined {
  const kind = kindIn(phrase.text);
  if (kind === null) return undefined;
  const name = nameIn(phrase);
  return {
    ...(folder !== undefined && { folder }),
    ...(kind !== undefined && name === undefined && { kind }),
    ...(name !== undefined && { name }),
  };
}

const NAME_CONTAINS =
  /(?:with|containing|having|whose names? (?:contains?|has|have|includes?))\s+(\S+)\s+in (?:the|their|its) (?:file\s?)?names?|whose names? (?:contains?|has|have|includes?)\s+(\S+)/iu;
const NAME_STARTS = /(?:starts?|starting|begins?|beginning)\s+with\s+(\S+)/iu;
const NAME_ENDS = /(?:ends?|ending)\s+(?:with|in)\s+(\S+)/iu;
const GLOB = /(?:^|\s)([^\s]*[*?][^\s]*)/u;

/** A glob for names, when the phrase speaks of names. */
function nameIn(phrase: Phrase): string | undefined {
  const quotedGlob = quotedIn(phrase).find((quote) => /^[^\s]*\*[^\s]*$/u.test(quote));
  if (quotedGlob !== undefined) return quotedGlob;
  const inside = NAME_CONTAINS.exec(phrase.text)
    ?.slice(1)
    .find((part) => part !== undefined);
  if (inside !== undefined) return `*${asGlob(phrase, inside)}*`;
  const start = NAME_STARTS.exec(phrase.text)?.[1];
  if (start !== undefined) return `${asGlob(phrase, start)}*`;
  return endIn(phrase) ?? globIn(phrase);
}

/** A longer end of names; a short one is a kind of file. */
function endIn(phrase: Phrase): string | undefined {
  const end = NAME_ENDS.exec(phrase.text)?.[1];
  return end === undefined || /^\.?[a-z0-9]{1,6}$/iu.test(end) ? undefined : `*${asGlob(phrase, end)}`;
}

function globIn(phrase: Phrase): string | undefined {
  const glob = GLOB.exec(phrase.text)?.[1];
  return glob === undefined || /^\*?\.\w+$/u.test(glob) ? undefined : literal(reword(phrase, glob));
}

const asGlob = (phrase: Phrase, text: string): string => globOf(literal(reword(phrase, text)));

/** A glob for exactly this text. Braces would be alternatives even when escaped, so any character stands for them. */
export const globOf = (text: string): string =>
  text.replaceAll(/[*?[\\{}]/gu, (char) => (char === "{" || char === "}" ? "?" : `\\${char}`));

/** The glob for the files of a scope; undefined for all. */
export function scopeGlob({ kind, name }: Scope): string | undefined {
  if (name !== undefined || kind === undefined) return name;
  const endings = kind.extensions.map(globOf);
  return endings.length === 1 ? `*.${endings[0]}` : `*.{${endings.join(",")}}`;
}

/** The same names in whatever case. */
export const anyCase = (glob: string): string =>
  glob.replaceAll(/\\.|\[[^\]]*\]|./gsu, (token) => (/^\p{L}$/u.test(token) ? eitherCase(token) : token));

function eitherCase(letter: string): string {
  const [lower, upper] = [letter.toLowerCase(), letter.toUpperCase()];
  const simple = lower !== upper && /^.$/su.test(lower) && /^.$/su.test(upper);
  return simple ? `[${lower}${upper}]` : letter;
}
