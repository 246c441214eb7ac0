import { isObject, type Json } from "../case-file.ts";
import type { Deviation } from "./deviation.ts";

const field = (value: Json, key: string): string => {
  const found = isObject(value) ? value[key] : undefined;
  return typeof found === "string" ? found : "";
};

/** The beginning and the end of a secret, or stars. */
const MASKED = /[\w.-]{6}\.\.\.[\w.-]{4}|\*\*\*|\[REDACTED[^\]]*\]/gu;
const isMasked = (text: string): boolean => text.search(MASKED) >= 0;

const REASON = "a mark tells the kind of a secret and whether two are the same, and no character of it";
const SPEC = "decision 0052; security.md §3.13";

const IN_ADDRESS = /([?&](?:access_token|token|code|api_key|key|sig|signature)=|:\/\/[^\s:/]+:)[^&\s@]+/gu;
const isInAddress = (text: string): boolean => text.search(IN_ADDRESS) >= 0;
/** The middle of a telephone number. */
const TELEPHONE = /\+\d{2,5}\*{4}\d{2,4}/u;

export const REDACTION_DEVIATIONS: readonly Deviation[] = [
  {
    area: "redaction",
    applies: (_input, expect) => isMasked(field(expect, "text")),
    ours: (_input, expect) => ({ text: field(expect, "text").replace(MASKED, "‹redacted›") }),
    reason: REASON,
    spec: SPEC,
  },
  {
    area: "redaction",
    applies: (input) => isInAddress(field(input, "text")),
    ours: (input) => ({ text: field(input, "text").replace(IN_ADDRESS, "$1‹redacted›") }),
    reason: "a token in an address opens what it was given for, as any other does",
    spec: SPEC,
  },
  {
    area: "redaction",
    applies: (_input, expect) => TELEPHONE.test(field(expect, "text")),
    ours: (input) => ({ text: field(input, "text") }),
    reason: "a telephone number opens nothing, and who works with people needs it",
    spec: "security.md §3.13 (what is a secret)",
  },
  {
    area: "redaction",
    applies: (input) => /^eyJ[\w-]{12,}$/u.test(field(input, "text")),
    ours: () => ({ text: "‹redacted›" }),
    reason: "the head of a token stands for the token: what cut it off may come with the rest",
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
