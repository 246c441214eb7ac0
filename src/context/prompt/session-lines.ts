import type { ModelName } from "../../protocol/ports.ts";

const DAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"] as const;
const MONTHS = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
] as const;

/** The day here, and no time: the same bytes for a whole day. */
export function dayOf(ms: number): string {
  const day = new Date(ms);
  return `${DAYS[day.getDay()]}, ${MONTHS[day.getMonth()]} ${day.getDate()}, ${day.getFullYear()}`;
}

export const workingFolderLine = (shown: string): string => `Working folder: ${shown}`;

/** The last block of a prompt (hermes.md §3.2). */
export const sessionLines = (started: string, { model, provider }: ModelName): string =>
  [`Conversation started: ${started}`, `Model: ${model}`, `Provider: ${provider}`].join("\n");

/** What the last line of this kind says; empty: there is none. */
export function lastOf(prompt: string, kind: "Conversation started" | "Model" | "Provider"): string {
  const mark = `\n${kind}:`;
  const all = `\n${prompt}`;
  const at = all.lastIndexOf(mark);
  if (at < 0) return "";
  const end = all.indexOf("\n", at + 1);
  return all.slice(at + mark.length, end < 0 ? undefined : end).trim();
}
