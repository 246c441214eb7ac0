/** A name with `$` before it, as a word of its own (nanobot.md §6). */
const REFERENCE = /(?<![\p{L}\p{M}\p{N}_$])\$([a-z0-9]+(?:-[a-z0-9]+)*)(?!-*[A-Za-z0-9_])/gu;

/** The skills that a message names, each once, in their order; nobody has looked whether there are such. */
export const skillRefs = (text: string): string[] => [
  ...new Set([...text.matchAll(REFERENCE)].flatMap(([, name = ""]) => (name.length <= 64 ? [name] : []))),
];
