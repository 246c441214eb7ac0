import type { Dialect } from "../dialect.ts";
import { failureOfError, failureOfStatus } from "../failure/refusal.ts";
import { sseFrames } from "../sse.ts";
import { chatEvents } from "./decode.ts";
import { encodeNext, encodeOpening, encodeTail } from "./encode.ts";
import { stopsShort } from "./natural-ending.ts";
import { quirksOf } from "./quirks.ts";

/** OpenAI's first dialect, which most servers speak. */
export const chatCompletions: Dialect = {
  mode: "chat_completions",
  route: ({ streaming }) => ({
    path: "/chat/completions",
    headers: { accept: streaming ? "text/event-stream" : "application/json" },
  }),
  version: "/v1",
  listing: "/models",
  authorisation: (key) => ({ authorization: `Bearer ${key}` }),
  forbidsCalls: (reader) => !quirksOf(reader).noToolChoice,
  encodeOpening,
  encodeMessage: encodeNext,
  encodeTail,
  frames: sseFrames,
  events: chatEvents,
  seemsCut: (text, asked) => asked.local && asked.afterTools && quirksOf(asked).endsEarly && stopsShort(text),
  failureOfStatus,
  failureOfError,
};
