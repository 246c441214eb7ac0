import { isDeepStrictEqual } from "node:util";
import type { AuditedSession } from "../../protocol/store-audit.ts";
import type { Moment, Tell, Watch } from "./walk.ts";

const PLACES = ["through", "from", "instruction", "cutBefore"] as const;

/** I8: what a session goes on from is there, and what is sent of it points to messages that are. */
export function watchLineage(tell: Tell, session: AuditedSession): Watch {
  checkParent(session, tell);
  let compaction: unknown;
  let learnt: unknown;
  let strikes: number | undefined;
  let unknown = false;
  return {
    fact: ({ fact, state }: Moment) => {
      switch (fact.type) {
        case "history-compacted": {
          ({ compaction } = fact);
          const length = state?.history.length ?? Infinity;
          const places = fact.compaction as unknown as Readonly<Record<string, unknown>>;
          if (!PLACES.every((name) => isPlace(places[name], length))) tell("compaction-astray", JSON.stringify(places));
          return;
        }
        case "session-forked":
          ({ compaction, learnt } = fact);
          return;
        case "request-adjusted":
          learnt = fact.learnt ?? learnt;
          return;
        case "compaction-judged":
          ({ strikes } = fact);
          return;
        default:
      }
    },
    lost: () => {
      unknown = true;
    },
    end: () => {
      if (unknown) return;
      const { notes, parent } = session;
      // A child begins with those of its parent.
      const differs = (kept: unknown, told: unknown): boolean =>
        told === undefined ? parent === null && kept !== null : !isDeepStrictEqual(kept, plain(told));
      if (differs(notes.compaction, compaction)) tell("note-differs", "compaction");
      if (differs(notes.learnt, learnt)) tell("note-differs", "learnt");
      if (notes.strikes !== (strikes ?? 0)) tell("note-differs", "strikes");
    },
  };
}

const isPlace = (value: unknown, length: number): boolean =>
  Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) <= length;

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

function checkParent({ parent, sessionId }: AuditedSession, tell: Tell): void {
  if (parent === null) return;
  if (parent.sessionId === undefined) tell("parent-missing", sessionId);
  else if ((parent.shared ?? 0) > parent.messages) tell("parent-short", `${parent.messages} of ${parent.shared}`);
}
