/** Scripts that put no spaces between words, and pictures: what is found by its characters, here called signs. */
const SIGN = [
  ...["Hani", "Hira", "Kana", "Hang", "Thai", "Laoo", "Khmr", "Mymr"].map(
    (script) => `\\p{Script_Extensions=${script}}`,
  ),
  String.raw`\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Regional_Indicator}`,
].join("");
export const HAS_SIGN: RegExp = new RegExp(`[${SIGN}]`, "u");
const SIGNS = new RegExp(`[${SIGN}]+`, "gu");
const ASCII = /^[\0-\x7F]*$/u;

const SNIPPET_BEFORE = 40;
const SNIPPET_LENGTH = 160;

export const signRuns = (text: string): readonly string[] => text.match(SIGNS) ?? [];

export const withoutSigns = (text: string): string => text.replace(SIGNS, " ");

/** What each index keeps of a text: nothing stands in both. */
export function indexedText(text: string): { readonly words: string; readonly signs: string } {
  if (!HAS_SIGN.test(text)) return { words: text, signs: "" };
  return { words: withoutSigns(text), signs: pairsOf(text) };
}

/** Each sign and each two that stand side by side, once. */
function pairsOf(text: string): string {
  const pairs = new Set<string>();
  for (const run of signRuns(text)) {
    let before = "";
    for (const sign of run) {
      pairs.add(sign);
      if (before !== "") pairs.add(before + sign);
      before = sign;
    }
  }
  return [...pairs].join(" ");
}

/** The words of a text as the index of words takes them: without case and accents, one space between two. */
export const wordsOf = (text: string): string => (folded(text).match(/[\p{L}\p{N}\p{Co}]+/gu) ?? []).join(" ");

const folded = (text: string): string =>
  ASCII.test(text)
    ? text.toLowerCase()
    : text
        .normalize("NFD")
        .replace(/[\u0300-\u0331]/gu, "")
        .toLowerCase();

/** One line around the first term that occurs as it was written, as a word of its own before within one. */
export function snippetOf(text: string, terms: readonly string[]): string {
  const from = Math.max(0, placeOf(text, terms) - SNIPPET_BEFORE);
  const cut = text.slice(from, from + SNIPPET_LENGTH).replace(/^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/gu, "");
  const line = cut.replace(/[\s\p{Cc}]+/gu, " ").trim();
  return `${from > 0 ? "…" : ""}${line}${from + SNIPPET_LENGTH < text.length ? "…" : ""}`;
}

function placeOf(text: string, terms: readonly string[]): number {
  const lower = text.toLowerCase();
  const places = terms.flatMap((term) => {
    const begins = HAS_SIGN.test(term) ? -1 : ` ${lower}`.search(wordStart(term));
    const place = begins >= 0 ? begins : lower.indexOf(term);
    return place >= 0 ? [place] : [];
  });
  return places[0] ?? 0;
}

const wordStart = (term: string): RegExp =>
  new RegExp(`[^\\p{L}\\p{N}]${term.replace(/[$()*+.?[\\\]^{|}]/gu, "\\$&")}`, "u");
