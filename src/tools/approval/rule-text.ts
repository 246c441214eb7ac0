import type { Rule } from "../../protocol/approval.ts";
import { isObject } from "../../protocol/json.ts";

const VERSION = 1;

/** What the file says. Throws for what this program has not written: nobody's words are guessed at where they allow things. */
export function parseRules(text: string | undefined): readonly Rule[] {
  if (text === undefined) return [];
  const read: unknown = JSON.parse(text);
  const rules = isObject(read) && read["version"] === VERSION ? read["rules"] : undefined;
  if (!Array.isArray(rules) || !rules.every(isRule)) throw new Error("these are no rules of this version");
  return rules;
}

export const writtenRules = (rules: readonly Rule[]): string =>
  `${JSON.stringify({ version: VERSION, rules }, null, 2)}\n`;

const isText = (value: unknown): boolean => typeof value === "string";
const isMaybe = (value: unknown, is: (value: unknown) => boolean): boolean => value === undefined || is(value);
const isTime = (value: unknown): boolean => typeof value === "number" && Number.isFinite(value);

function isRule(value: unknown): value is Rule {
  if (!isObject(value)) return false;
  const { id, tool, program, prefix, folder, content, sessionId, createdMs, usedMs, hits } = value;
  return (
    [id, tool, folder].every(isText) &&
    [program, content, sessionId].every((text) => isMaybe(text, isText)) &&
    Array.isArray(prefix) &&
    prefix.every(isText) &&
    [createdMs, hits].every(isTime) &&
    isMaybe(usedMs, isTime)
  );
}
