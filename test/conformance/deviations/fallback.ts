import { isObject, type Json, type JsonObject } from "../case-file.ts";
import type { Deviation } from "./deviation.ts";

const objectIn = (value: Json, key: string): JsonObject => {
  const found = isObject(value) ? value[key] : undefined;
  return isObject(found ?? null) ? (found as JsonObject) : {};
};

const listIn = (value: Json, key: string): readonly Json[] => {
  const found = isObject(value) ? value[key] : undefined;
  return Array.isArray(found) ? (found as readonly Json[]) : [];
};

const words = (reply: Json | undefined): string => {
  const content = isObject(reply ?? null) ? (reply as JsonObject)["content"] : undefined;
  return typeof content === "string" ? content : "";
};

const failsAlways = (input: Json): boolean =>
  listIn(input, "primary").every((reply) => isObject(reply) && reply["finish_reason"] === "error");

/** The answer of the first model behind, asked `calls` times after the first. */
const answeredBehind = (input: Json, calls: number): Json => {
  const [first] = listIn(input, "fallbacks");
  const [reply] = Array.isArray(first) ? (first as readonly Json[]) : [];
  return { finals: [words(reply)], finish: ["stop"], primary_calls: calls, fallback_calls: [1] };
};

const LIMITED = /rate limit|too many requests/iu;
const isLimited = (input: Json): boolean => LIMITED.test(words(listIn(input, "primary")[0]));

export const FALLBACK_DEVIATIONS: readonly Deviation[] = [
  {
    area: "fallback_chain",
    applies: (input) => failsAlways(input) && isLimited(input),
    ours: (input) => answeredBehind(input, 1),
    reason: "a rate limit that no other key helps is not waited for while another model can be asked",
    spec: "features.md D6, D11; hermes.md §9.2 step 17",
  },
  {
    area: "fallback_chain",
    applies: (input) => failsAlways(input) && !isLimited(input),
    ours: (input) => answeredBehind(input, 3),
    reason: "three attempts for each model, and a failure that nobody knows is tried with the next one at last",
    spec: "design.md §5.1; hermes.md §9.2 step 22",
  },
  {
    area: "nous_rate_guard",
    applies: (input, expect) => {
      const names = Object.keys(objectIn(input, "headers"));
      const isTold = names.every((name) => name.startsWith("x-ratelimit-reset"));
      return isTold && names.length > 0 && isObject(expect) && typeof expect["seconds"] === "number";
    },
    ours: () => ({ seconds: null }),
    reason: "when a bucket is filled again says nothing where nobody says that it is empty",
    spec: "features.md D4; hermes.md §9.2 step 18",
  },
];
