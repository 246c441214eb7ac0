import type { ContextPart } from "./message.ts";

/** What would look like a fence inside a context. */
const FENCE = /<(?=\/?context\b)/giu;

/** One or more of these behind the user's words. */
const FENCED = /(?:\n\n<context source="[^"\n]*">\n(?:(?!<\/?context\b).)*\n<\/context>)+$/su;

/** What the user said, of a message as a model is sent it; contexts in the middle of it are the user's own. */
export const withoutContexts = (content: string): string => content.replace(FENCED, "");

/** A context as the model reads it, in every dialect: fenced and named, so that it is not taken for the user's words. */
export const fenced = ({ source, text }: ContextPart): string =>
  `<context source="${source.replaceAll(/[\p{Cc}"<>]/gu, "_")}">\n${text.replaceAll(FENCE, "‹").trim()}\n</context>`;
