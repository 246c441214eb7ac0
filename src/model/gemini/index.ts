import type { Dialect } from "../dialect.ts";
import { sseFrames } from "../sse.ts";
import { geminiEvents } from "./decode.ts";
import { encodeNext, encodeOpening, encodeTail } from "./encode.ts";
import { failureOfError, failureOfStatus } from "./failure.ts";
import { listed, modelPath } from "./models.ts";

/** Google's own dialect, generateContent (row C3). */
export const gemini: Dialect = {
  mode: "gemini",
  route: ({ model, streaming }) => ({
    path: `/v1beta/${modelPath(model)}:${streaming ? "streamGenerateContent?alt=sse" : "generateContent"}`,
    headers: { accept: streaming ? "text/event-stream" : "application/json" },
  }),
  listing: "/v1beta/models?pageSize=1000",
  listed,
  authorisation: (key) => ({ "x-goog-api-key": key }),
  encodeOpening,
  encodeMessage: encodeNext,
  encodeTail,
  frames: sseFrames,
  events: geminiEvents,
  failureOfStatus,
  failureOfError,
};
