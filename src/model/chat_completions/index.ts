import type { Dialect } from "../dialect.ts";
import { failureOfError, failureOfStatus } from "../failure/refusal.ts";
import { sseFrames } from "../sse.ts";
import { chatEvents } from "./decode.ts";
import { encodeNext, encodeOpening, encodeTail } from "./encode.ts";

/** OpenAI's first dialect, which most servers speak. */
export const chatCompletions: Dialect = {
  mode: "chat_completions",
  route: ({ streaming }) => ({
    path: "/chat/completions",
    headers: { accept: streaming ? "text/event-stream" : "application/json" },
  }),
  listing: "/models",
  authorisation: (key) => ({ authorization: `Bearer ${key}` }),
  encodeOpening,
  encodeMessage: encodeNext,
  encodeTail,
  frames: sseFrames,
  events: chatEvents,
  failureOfStatus,
  failureOfError,
};
