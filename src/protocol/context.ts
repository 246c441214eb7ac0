import type { ContextPart } from "./message.ts";

/** What would look like a fence inside a context. */
const FENCE = /<(?=\/?context\b)/giu;

/** A context as the model reads it, in every dialect: fenced and named, so that it is not taken for the user's words. */
export const fenced = ({ source, text }: ContextPart): string =>
  `<context source="${source.replaceAll(/[\p{Cc}"<>]/gu, "_")}">\n${text.replaceAll(FENCE, "‹").trim()}\n</context>`;
