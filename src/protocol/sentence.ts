/** What a person is told, in each language there is; what others have said stays in the language it came in. */
export type Sentence = string | InBoth;
export type InBoth = Readonly<Record<"en" | "zh", string>>;

/** As it is told to a model, and written into logs. */
export const english = (sentence: Sentence): string => (typeof sentence === "string" ? sentence : sentence.en);

export const inBoth = (sentence: Sentence): InBoth =>
  typeof sentence === "string" ? { en: sentence, zh: sentence } : sentence;
