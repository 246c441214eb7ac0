import { type AssistantMessage, callsOf } from "../../protocol/message.ts";
import type { Moment, Tell, Watch } from "./walk.ts";

/** I4: whoever is sent this history by whatever wire, it is legal, and what belongs together stands together. */
export function watchMessages(tell: Tell): Watch {
  return {
    fact: ({ fact, state }: Moment) => {
      switch (fact.type) {
        case "assistant-message":
        case "closing-message":
          return checkSaid(fact.message, `${fact.type} ${fact.seq}`, tell);
        case "turn-end":
          if (state !== undefined && state.history.at(-1)?.role !== "assistant")
            tell("last-word-missing", `${state.history.length - 1}`);
          return;
        default:
      }
    },
  };
}

function checkSaid(message: AssistantMessage, what: string, tell: Tell): void {
  const { parts } = message;
  if (!parts.some((part) => part.type === "tool-call" || part.text !== "" || part.opaque !== undefined))
    tell("assistant-empty", what);
  const ids = callsOf(message).map(({ callId }) => callId);
  if (ids.includes("") || new Set(ids).size < ids.length) tell("call-id-bad", what);
  // What was signed is only ever sent back to whoever signed it.
  if (parts.some((part) => part.opaque !== undefined && part.provenance === undefined))
    tell("signature-homeless", what);
}
