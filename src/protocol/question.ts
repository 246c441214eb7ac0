/** The tool by which a model asks its user. */
export const CLARIFY = "clarify";

/** What a model asks its user: they choose, or say something else. */
export interface Question {
  readonly text: string;
  /** At most four; empty: an answer in words. */
  readonly choices: readonly string[];
}

/** So many choices are offered, beside words of one's own (hermes.md §16). */
export const MOST_CHOICES = 4;

/** What is meant by an answer: a number stands for its choice. */
export function answerMeant({ choices }: Question, said: string): string {
  const text = said.trim();
  return (/^\d$/u.test(text) ? choices[Number(text) - 1] : undefined) ?? text;
}
