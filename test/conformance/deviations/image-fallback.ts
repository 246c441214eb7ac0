import { isObject, type Json } from "../case-file.ts";
import type { Deviation } from "./deviation.ts";

const field = (value: Json, key: string): Json => (isObject(value) ? (value[key] ?? null) : null);

function firstWords(input: Json): string {
  const responses = field(input, "responses");
  const [first] = Array.isArray(responses) ? (responses as readonly Json[]) : [];
  const words = field(first ?? null, "content");
  return typeof words === "string" ? words : "";
}

const SPEAKS_OF_PICTURES = /image|vision|modal/iu;

export const IMAGE_FALLBACK_DEVIATIONS: readonly Deviation[] = [
  {
    area: "image_fallback",
    applies: (input) => !SPEAKS_OF_PICTURES.test(firstWords(input)),
    ours: (input, expect) => ({
      calls: 1,
      final: firstWords(input),
      second_request: null,
      caller_messages_after: field(expect, "caller_messages_after"),
    }),
    reason:
      "only a refusal that speaks of pictures is asked again without them: any other would cost a call for nothing",
    spec: "hermes.md §10.2",
  },
];
