import type { IsTrusted } from "../protocol/taint.ts";
import type { Tool } from "../protocol/tool.ts";
import { matchName } from "./repair-name.ts";

/** Whose results are this program's own words. Of what models write in another way, what is surely meant counts: a guess is nobody's word. */
export function trustedIn(tools: ReadonlyMap<string, Tool>): IsTrusted {
  const isTool = (name: string): boolean => tools.has(name);
  return (name, result) => {
    const trusted = tools.get(matchName(name, isTool) ?? "")?.trusted ?? false;
    return typeof trusted === "function" ? trusted(result) : trusted;
  };
}
