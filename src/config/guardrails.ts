import { type Guardrails, UNATTENDED_GUARDRAILS } from "../protocol/guardrails.ts";
import type { JsonObject } from "../protocol/json.ts";
import { readSwitch } from "./values.ts";

const NAMES = Object.keys(UNATTENDED_GUARDRAILS) as (keyof Guardrails)[];

/**
 * What was set, as far as it can be read: a value that means nothing leaves the default, because a typing error must
 * not take the guards away (hermes.md §15).
 */
export function readGuardrails(given: JsonObject): Partial<Guardrails> {
  const entries = NAMES.flatMap((key) => {
    const value = typeof UNATTENDED_GUARDRAILS[key] === "boolean" ? readSwitch(given[key]) : readCount(given[key]);
    return value === undefined ? [] : [[key, value] as const];
  });
  return Object.fromEntries(entries);
}

function readCount(value: unknown): number | undefined {
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return typeof number === "number" && Number.isSafeInteger(number) && number >= 1 ? number : undefined;
}
