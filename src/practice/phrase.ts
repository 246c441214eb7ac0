/** A sentence whose quoted parts are hidden behind marks, so that patterns and splitting never look inside them. */
export interface Phrase {
  readonly text: string;
  readonly quotes: readonly Quote[];
}

interface Quote {
  /** With its quotation marks. */
  readonly raw: string;
  readonly inner: string;
}

const QUOTED =
  /`([^`\n]+)`|"([^"\n]+)"|“([^”\n]+)”|‘([^’\n]+)’|「([^」\n]+)」|«([^»\n]+)»|(?<![^\s(:])'([^'\n]+)'(?![^\s).,;:?!])/gu;
const MARK = /\uE000(\d+)\uE001/gu;

export function phraseOf(text: string): Phrase {
  const quotes: Quote[] = [];
  const marked = text.replaceAll(/[\uE000\uE001]/gu, " ").replaceAll(QUOTED, (raw: string, ...groups: unknown[]) => {
    const inner = groups.find((group) => typeof group === "string" && group !== "");
    quotes.push({ raw, inner: typeof inner === "string" ? inner : raw });
    return `\uE000${quotes.length - 1}\uE001`;
  });
  // Runs of white space would cost the patterns time that grows with a power of their length.
  return { text: marked.replaceAll(/\s*\n\s*/gu, "\n").replaceAll(/[^\S\n]+/gu, " "), quotes };
}

/** The same quotes, other words. */
export const reword = (phrase: Phrase, text: string): Phrase => ({ text: text.trim(), quotes: phrase.quotes });

/** The words as the user meant them: quoted parts without their quotation marks. */
export const literal = (phrase: Phrase): string =>
  phrase.text.replaceAll(MARK, (_, n: string) => phrase.quotes[Number(n)]?.inner ?? "");

/** The words as the user typed them. */
export const verbatim = (phrase: Phrase): string =>
  phrase.text.replaceAll(MARK, (_, n: string) => phrase.quotes[Number(n)]?.raw ?? "");

/** What is quoted in the phrase, in order. */
export const quotedIn = (phrase: Phrase): string[] =>
  [...phrase.text.matchAll(MARK)].map((match) => phrase.quotes[Number(match[1])]?.inner ?? "");

/** A part of a message between two separators. */
export interface Piece {
  readonly text: string;
  /** What stands before it. */
  readonly separator: string;
  /** A sentence begins here; otherwise the separator may also belong to the words themselves ("salt and pepper"). */
  readonly startsSentence: boolean;
}

const SEPARATOR =
  /\s*(?:[?!;]+(?=\s|$)|\.(?=\s|$)|[？！；。]+|\n+)\s*|\s*(?:[，、]|并且|以及|然后|还有)\s*|,?\s+(?:and then|and also|as well as|and|then|plus)\s+|,\s+/giu;
const SENTENCE_END = /[?!;.？！；。\n]/u;

export function piecesOf(phrase: Phrase): Piece[] {
  const pieces: Piece[] = [];
  let start = 0;
  let separator = "";
  const push = (end: number): void => {
    const text = phrase.text.slice(start, end).trim();
    if (text !== "")
      pieces.push({ text, separator, startsSentence: pieces.length === 0 || SENTENCE_END.test(separator) });
  };
  for (const match of phrase.text.matchAll(SEPARATOR)) {
    push(match.index);
    separator = start === match.index ? separator + match[0] : match[0];
    start = match.index + match[0].length;
  }
  push(phrase.text.length);
  return pieces;
}

const OPENERS =
  /^(?:(?:please|kindly|hey|hi|hello|ok|okay|so|now|well|also|and|then|but|just|quickly|thanks|thank you)\b[,:\s]*|(?:can|could|would|will) you\s+(?:please\s+)?|i(?:'d| would) like (?:you )?to\s+|i (?:want|need) (?:you )?to\s+|help me(?: to)?\s+|let me know\s+|tell me\s+|do you know\s+|i wonder\s+|(?:请问?|麻烦你?|帮我|帮忙|能不能|可以|你能|那么?|告诉我)\s*)+/iu;
const CLOSERS =
  /(?:[\s,]*(?:\bplease|\bfor me|\bto me|\bthanks|\bthank you|\bby the way|\bnow|吗|呢|吧|一下|[?!.:…？！。]))+$/iu;

/** Without greetings and politeness. */
export function plain(phrase: Phrase): Phrase {
  const opened = phrase.text.trim().replace(OPENERS, "");
  return reword(phrase, opened.replace(CLOSERS, ""));
}
