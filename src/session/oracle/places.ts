import type { AuditedSession } from "../../protocol/store-audit.ts";
import { placesOf } from "../fact-check.ts";
import type { Moment, Tell, Watch } from "./walk.ts";

/** I14: every message has a fact that it came with and every place one message; nothing is between them that is not. */
export function watchPlaces(tell: Tell, session: AuditedSession): Watch {
  const first = session.parent?.shared ?? 0;
  const filled = new Set<string>();
  const fill = (places: readonly string[]): void => {
    for (const place of places) {
      if (filled.has(place)) tell("place-twice", place);
      filled.add(place);
    }
  };
  let unknown = false;
  return {
    fact: ({ fact }: Moment) => fill(placesOf(fact)),
    lost: (places) => {
      fill(places);
      unknown = true;
    },
    end: (state) => {
      // What is missing there was told of where a fact points to it.
      if (unknown) return;
      const reserved = new Set([...(state?.open.values() ?? [])].map(({ seq }) => seq));
      let next = first;
      for (const { seq, part } of session.places) {
        if (seq < first) tell("child-overlaps", `${seq}`);
        if (!filled.has(`${seq}/${part}`)) tell("message-unknown", `${seq}/${part}`);
        if (part > 0) continue;
        for (; next < seq; next++) if (!reserved.has(next)) tell("place-gap", `${next}`);
        next = seq + 1;
      }
    },
  };
}
