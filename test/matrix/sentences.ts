/** Of what is wrong: each sentence whose condition holds. */
export const sentences = (found: readonly (readonly [wrong: boolean, sentence: string])[]): string[] =>
  found.flatMap(([wrong, sentence]) => (wrong ? [sentence] : []));
