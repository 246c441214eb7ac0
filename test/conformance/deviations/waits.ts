import { isObject, type Json } from "../case-file.ts";
import type { Deviation } from "./deviation.ts";

const repliesIn = (input: Json): readonly Json[] => {
  const replies = isObject(input) ? input["responses"] : undefined;
  return Array.isArray(replies) ? (replies as readonly Json[]) : [];
};

/** What the server asks for, seconds. */
const askedIn = (input: Json): readonly number[] =>
  repliesIn(input).flatMap((reply) => {
    const asked = isObject(reply) ? reply["error_retry_after_s"] : undefined;
    return typeof asked === "number" ? [asked] : [];
  });

export const WAIT_DEVIATIONS: readonly Deviation[] = [
  {
    area: "retry_run",
    applies: (input) => askedIn(input).length > 0,
    ours: (input, expect) => ({ ...(isObject(expect) ? expect : {}), sleeps: askedIn(input) }),
    reason: "what the server asks for is waited, and not a second more: it knows its own clock",
    spec: "hermes.md §9.2 step 23",
  },
];
