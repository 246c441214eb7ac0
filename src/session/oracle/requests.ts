import { ELSEWHERE } from "../../protocol/taint.ts";
import type { Moment, Tell, Watch } from "./walk.ts";

/** I14: what a model was sent can be read again, attempt by attempt; a turn that was recorded elsewhere has come without it. */
export function watchRequests(tell: Tell): Watch {
  let elsewhere = false;
  return {
    fact: ({ fact, row: { request } }: Moment) => {
      if (fact.type === "turn-start") elsewhere = fact.message.tainted === ELSEWHERE;
      if (fact.type !== "attempt-start") return;
      // Another runtime asks its own model, and shows us no request.
      if (request === null && fact.size !== undefined && !elsewhere) tell("request-missing", `${fact.attempt}`);
      if (request !== null && request !== "whole") tell("request-unreadable", `${fact.attempt}: ${request.trouble}`);
    },
  };
}
