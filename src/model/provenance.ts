import type { Provenance } from "../protocol/message.ts";

/** Gemini's models read each other's signatures. */
const GEMINI = /gemini|gemma/i;

/** What is opaque goes back to the provider that sent it, and there to the same model or its kin (hermes.md §5.3). */
export const isAtHome = (made: Provenance | undefined, reader: Provenance): boolean =>
  made !== undefined &&
  made.provider === reader.provider &&
  (made.model === reader.model || (GEMINI.test(made.model) && GEMINI.test(reader.model)));
