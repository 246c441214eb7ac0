import { isObject, type Json } from "../case-file.ts";
import type { Deviation } from "./deviation.ts";

const field = (value: Json, key: string): string => {
  const found = isObject(value) ? value[key] : undefined;
  return typeof found === "string" ? found : "";
};

/** The beginning and the end of a secret, or stars. */
const MASKED = /[\w-]{6}\.\.\.[\w-]{4}|\*\*\*/u;

const REASON = "a mark tells the kind of a secret and whether two are the same, and no character of it";
const SPEC = "decision 0052; security.md §3.13";

const IN_ADDRESS = /([?&]access_token=)[^&\s]+/u;

export const REDACTION_DEVIATIONS: readonly Deviation[] = [
  {
    area: "redaction",
    applies: (_input, expect) => MASKED.test(field(expect, "text")),
    ours: (_input, expect) => ({ text: field(expect, "text").replace(MASKED, "‹redacted›") }),
    reason: REASON,
    spec: SPEC,
  },
  {
    area: "redaction",
    applies: (input) => IN_ADDRESS.test(field(input, "text")),
    ours: (input) => ({ text: field(input, "text").replace(IN_ADDRESS, "$1‹redacted›") }),
    reason: "a token in an address opens what it was given for, as any other does",
    spec: SPEC,
  },
  {
    area: "mask_secret",
    applies: () => true,
    ours: () => ({ masked: "‹redacted›" }),
    reason: REASON,
    spec: SPEC,
  },
];
