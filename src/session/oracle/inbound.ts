import type { AuditedSession } from "../../protocol/store-audit.ts";
import type { Tell, Watch } from "./walk.ts";

/** I2: what the user said stands in the order in which it came. */
export function watchInbound(tell: Tell, session: AuditedSession): Watch {
  let last = (session.parent?.shared ?? 0) - 1;
  return {
    fact: ({ fact }) => {
      switch (fact.type) {
        case "turn-start":
        case "injection-delivered":
        case "redirect-delivered":
          if (fact.seq <= last) tell("inbound-order", `${fact.type}: ${fact.seq} behind ${last}`);
          last = fact.seq;
          return;
        case "history-imported":
          last = Math.max(last, fact.seq + fact.messages.length - 1);
          return;
        default:
      }
    },
  };
}
