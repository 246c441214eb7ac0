import type { Dialect } from "../dialect.ts";
import { failureOfError, failureOfStatus } from "../failure/refusal.ts";
import { sseFrames } from "../sse.ts";
import { messageEvents } from "./decode.ts";
import { encodeMessage, encodeOpening, encodeTail } from "./encode.ts";
import { authorisation, BETAS } from "./key.ts";
import { thinkingOf } from "./models.ts";

const thinksByBudget = (model: string): boolean => /claude/i.test(model) && thinkingOf(model).by === "budget";

/** Anthropic's messages API, and what speaks like it. */
export const anthropicMessages: Dialect = {
  mode: "anthropic_messages",
  route: ({ model, streaming, adjusted }) => ({
    path: "/v1/messages",
    headers: {
      accept: streaming ? "text/event-stream" : "application/json",
      "anthropic-version": "2023-06-01",
      ...(thinksByBudget(model) && adjusted?.betas !== false && { "anthropic-beta": BETAS }),
    },
  }),
  listing: "/v1/models",
  authorisation,
  encodeOpening,
  encodeMessage,
  encodeTail,
  frames: sseFrames,
  events: messageEvents,
  failureOfStatus,
  failureOfError,
};
