import type { Effort } from "../../protocol/provider.ts";
import { type Reader, takes } from "../dialect.ts";
import { nearestWord } from "../effort.ts";
import { quote } from "../wire-text.ts";

/** Models that refuse to be asked for their reasoning: what is not known to the catalogue is told by its name. */
const THOUGHTLESS = /^(?:gpt-3|gpt-4|chatgpt|gpt-[\d.]+-chat)/;

/** Levels that every model of this dialect takes that takes any. */
const COMMON: Readonly<Partial<Record<Effort, string>>> = { low: "low", medium: "medium", high: "high" };

/**
 * What is asked about reasoning: that it comes back encrypted, since nothing is stored at the server; and how much, with
 * a summary, where that was said. Without a word about it there is no summary: some accounts may not ask for one.
 */
export function encodeThinking(reader: Pick<Reader, "model" | "effort" | "thinking" | "without">): string {
  const { model, effort, thinking } = reader;
  const levels = thinking ?? (THOUGHTLESS.test(model.toLowerCase().split("/").at(-1) ?? "") ? {} : COMMON);
  const include = takes(reader, "include") ? `"include":["reasoning.encrypted_content"],` : "";
  const word = effort === undefined ? undefined : nearestWord(effort, levels);
  if (word !== undefined && takes(reader, "reasoning"))
    return `${include}"reasoning":{"effort":${quote(word)},"summary":"auto"},`;
  return Object.keys(levels).length === 0 ? "" : include;
}
