import type { Dialect } from "../dialect.ts";
import { sseFrames } from "../sse.ts";
import { responseEvents } from "./decode.ts";
import { encodeNext, encodeOpening, encodeTail } from "./encode.ts";
import { failureOfError, failureOfStatus } from "./failure.ts";

/** OpenAI's second dialect: items instead of messages, and reasoning that comes back. */
export const codexResponses: Dialect = {
  mode: "codex_responses",
  route: ({ streaming }) => ({
    path: "/responses",
    headers: { accept: streaming ? "text/event-stream" : "application/json" },
  }),
  version: "/v1",
  listing: "/models",
  authorisation: (key) => ({ authorization: `Bearer ${key}` }),
  encodeOpening,
  encodeMessage: encodeNext,
  encodeTail,
  frames: sseFrames,
  events: responseEvents,
  failureOfStatus,
  failureOfError,
};
