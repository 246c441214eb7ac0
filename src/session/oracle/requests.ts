import type { Given } from "../../protocol/oracle.ts";
import type { AuditedSession } from "../../protocol/store-audit.ts";
import type { Moment, Tell, Watch } from "./walk.ts";

/**
 * I14: what a model was sent can be read again, attempt by attempt. Turns that were recorded elsewhere come without it: of
 * a session in which nothing was kept so far, only somebody else knows whether that is right.
 */
export function watchRequests(tell: Tell, _session: AuditedSession, { recordedHere }: Given): Watch {
  let keeps = recordedHere === true;
  return {
    fact: ({ fact, row: { request } }: Moment) => {
      if (fact.type !== "attempt-start") return;
      keeps ||= request !== null;
      // Another runtime asks its own model, and shows us no request.
      if (request === null && fact.size !== undefined && keeps) tell("request-missing", `${fact.attempt}`);
      if (request !== null && request !== "whole") tell("request-unreadable", `${fact.attempt}: ${request.trouble}`);
    },
  };
}
