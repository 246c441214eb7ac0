import { callsOf } from "../../protocol/message.ts";
import type { AuditedSession } from "../../protocol/store-audit.ts";
import { placesOf } from "../fact-check.ts";
import type { Moment, Tell, Watch } from "./walk.ts";

/** I14: every message has a fact that it came with and every place one message; nothing is between them that is not. */
export function watchPlaces(tell: Tell, session: AuditedSession): Watch {
  const first = session.parent?.shared ?? 0;
  const filled = new Set<string>();
  /** Of receipts: who is missing there is told of with its call (calls.ts). */
  const reserved = new Set<number>();
  let unknown = false;
  /** Where a fork left: it begins with so many, its own or another's. */
  let left: number | undefined;
  const fill = (places: readonly string[]): void => {
    for (const place of places) {
      if (filled.has(place)) tell("place-twice", place);
      filled.add(place);
    }
  };
  const checkGaps = (): void => {
    let next = first;
    for (const { seq, part } of session.places) {
      if (seq < first) tell("child-overlaps", `${seq}`);
      if (!filled.has(`${seq}/${part}`)) tell("message-unknown", `${seq}/${part}`);
      if (part > 0) continue;
      for (; next < seq; next++) if (!reserved.has(next)) tell("place-gap", `${next}`);
      next = seq + 1;
    }
    if (left !== undefined && next < left) tell("place-gap", `${next}`);
    if (left !== undefined && first > left) tell("child-overlaps", `${left}`);
  };
  return {
    fact: ({ fact }: Moment) => {
      fill(placesOf(fact));
      if (fact.type === "session-forked") left = fact.at;
      if (fact.type === "assistant-message")
        callsOf(fact.message).forEach((_call, at) => reserved.add(fact.seq + 1 + at));
    },
    lost: (places) => {
      fill(places);
      unknown = true;
    },
    // What is missing where something cannot be read is told of where a fact points to it.
    end: () => (unknown ? undefined : checkGaps()),
  };
}
