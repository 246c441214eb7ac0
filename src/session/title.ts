/** What somebody wants to call a session, made one clean line. */
export type TitleReading =
  | { readonly type: "title"; readonly title: string }
  | { readonly type: "blank" }
  | { readonly type: "too-long"; readonly characters: number };

/** hermes.md §20: the longest title, in characters. */
export const MAX_TITLE = 100;

/** C0, DEL and C1 but for white space, and what has no width or reorders its neighbours. */
const INVISIBLE = /[^\P{Cc}\s]|[\p{Cf}\p{Cs}]/gu;

export function readTitle(raw: string): TitleReading {
  const title = raw.replaceAll(INVISIBLE, "").replaceAll(/\s+/gu, " ").trim();
  const characters = Array.from(title).length;
  if (characters === 0) return { type: "blank" };
  return characters > MAX_TITLE ? { type: "too-long", characters } : { type: "title", title };
}
