/** A name with `$` before it, as a word of its own (nanobot.md §6): all that is joined to it belongs to it. */
const REFERENCE = /(?<![\p{L}\p{N}_$])\$([A-Za-z0-9_-]+)/gu;

/** The names with `$` in a message, each once, in their order; nobody has looked whether there are such skills. */
export const skillRefs = (text: string): string[] => [
  ...new Set([...text.matchAll(REFERENCE)].map(([, name = ""]) => name)),
];
