/** The languages of the catalogue: English and Simplified Chinese (row J3). */
export const LANGUAGES = ["en", "zh"] as const;
export type Language = (typeof LANGUAGES)[number];

/** One sentence in every language: the compiler refuses one that is missing. */
export type Text = Readonly<Record<Language, string>>;

/** What was written in one language alone stays as it is. */
export const wordsIn = (text: string | Text, language: Language): string =>
  typeof text === "string" ? text : text[language];

/** The language of a locale such as `zh_CN.UTF-8`; English for all that have no catalogue. */
export const languageOf = (locale: string | undefined): Language => (/^zh\b|^zh_/iu.test(locale ?? "") ? "zh" : "en");
