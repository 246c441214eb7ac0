/** A mark, the end of a code block, a picture (hermes.md §26.3). */
const ENDING = /(?:```|[.!?:)"'\]}^。！？：）】」』》]|[\u{1F300}-\u{10FFFF}])$/u;

/** Whether a text ends as people end theirs. */
export const endsNaturally = (text: string): boolean => ENDING.test(text.trimEnd());

/** Shorter answers need no mark at their end, characters (hermes.md §7.2). */
const SHORT = 20;

/** The text stops in the middle, though its server calls that an end. */
export function stopsShort(text: string): boolean {
  const said = text.trim();
  return said.length >= SHORT && /\s/.test(said) && !endsNaturally(said);
}
