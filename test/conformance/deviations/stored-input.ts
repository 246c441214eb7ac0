import { isObject, type Json } from "../case-file.ts";
import type { Deviation } from "./deviation.ts";

const field = (value: Json, key: string): Json => (isObject(value) ? (value[key] ?? null) : null);

const blocksOf = (input: Json): readonly Json[] => {
  const blocks = field(input, "blocks");
  return Array.isArray(blocks) ? (blocks as readonly Json[]) : [];
};

/** Anything that 7 bits cannot say. */
const BEYOND_ASCII = /[^\p{ASCII}]/u;

export const STORED_INPUT_DEVIATIONS: readonly Deviation[] = [
  {
    area: "runtime_context",
    applies: (input) => blocksOf(input).length > 0,
    ours: (input, expect) => ({
      ...(isObject(expect) ? expect : {}),
      model_content: { $CONTAINS: [field(input, "content"), ...blocksOf(input)] },
    }),
    reason: "what others add to a question is fenced and named, so that it is not taken for the user's words",
    spec: "features.md A11, A12",
  },
  {
    area: "runtime_context",
    applies: (input) => field(input, "stored") !== null,
    ours: (input) => ({ public_content: field(input, "stored") }),
    reason: "our contexts are parts of their own; the marker of another program in a text that is taken over is text",
    spec: "features.md A12, C5",
  },
  {
    area: "save_boundary",
    applies: (input) => field(input, "input_persisted_early") !== true,
    ours: (input) => ({ skip: field(input, "initial_message_count") }),
    reason:
      "the question is always stored before the model is asked, so nothing the run begins with is left to be saved",
    spec: "features.md A9",
  },
  {
    area: "ascii_fallback",
    applies: (input) => BEYOND_ASCII.test(JSON.stringify(input)),
    ours: (input) => ({ changed: false, messages: field(input, "messages") }),
    reason:
      "no text of ours is ever encoded as ASCII, so no letter is lost; a key no header can carry is refused at the start",
    spec: "hermes.md §5.10, in TypeScript keep the surrogate and header parts",
  },
];
