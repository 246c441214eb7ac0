import { type Guardrails, UNATTENDED_GUARDRAILS } from "../protocol/guardrails.ts";
import type { JsonObject } from "../protocol/json.ts";

const WORDS: ReadonlyMap<string, boolean> = new Map([
  ...["on", "yes", "true", "1", "enabled"].map((word) => [word, true] as const),
  ...["off", "no", "false", "0", "disabled"].map((word) => [word, false] as const),
]);

/** Every key, with what it takes. */
export const GUARDRAIL_KEYS: readonly (readonly [keyof Guardrails, string])[] = [
  ["warnings", "on or off: the model is told when calls repeat themselves"],
  ["hardStop", "on or off: calls that repeat themselves end the turn; on where nobody attends"],
  ["exactFailureWarnAfter", "failures of the same call: a whole number above zero"],
  ["exactFailureStopAfter", "failures of the same call: a whole number above zero"],
  ["sameToolFailureWarnAfter", "failures of one tool in a row: a whole number above zero"],
  ["sameToolFailureStopAfter", "failures of one tool in a row: a whole number above zero"],
  ["noProgressWarnAfter", "equal results of the same read-only call: a whole number above zero"],
  ["noProgressStopAfter", "equal results of the same read-only call: a whole number above zero"],
];

/**
 * What was set, as far as it can be read: a value that means nothing leaves the default, because a typing error must
 * not take the guards away (hermes.md §15).
 */
export function readGuardrails(given: JsonObject): Partial<Guardrails> {
  const entries = GUARDRAIL_KEYS.flatMap(([key]) => {
    const value = typeof UNATTENDED_GUARDRAILS[key] === "boolean" ? readSwitch(given[key]) : readCount(given[key]);
    return value === undefined ? [] : [[key, value] as const];
  });
  return Object.fromEntries(entries);
}

const readSwitch = (value: unknown): boolean | undefined =>
  typeof value === "boolean" ? value : WORDS.get(String(value).trim().toLowerCase());

function readCount(value: unknown): number | undefined {
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return typeof number === "number" && Number.isSafeInteger(number) && number >= 1 ? number : undefined;
}
