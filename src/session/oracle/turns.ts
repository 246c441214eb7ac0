import type { Fact, TurnStart } from "../../protocol/fact.ts";
import type { AuditedSession, AuditedTurn } from "../../protocol/store-audit.ts";
import type { Given } from "../../protocol/oracle.ts";
import type { Moment, Tell, Watch } from "./walk.ts";

/** What is recorded of a session, and of no turn. */
const OF_SESSION: ReadonlySet<Fact["type"]> = new Set([
  "session-forked",
  "history-imported",
  "auxiliary-run",
  "history-compacted",
  "compaction-failed",
  "compaction-judged",
  "summary-start",
  "prompt-built",
]);

const isBefore = (row: AuditedTurn | undefined, at: number): boolean => row !== undefined && row.first < at;

/** What only a turn does that goes on. */
const GOES_ON: ReadonlySet<Fact["type"]> = new Set(["attempt-start", "segment-start", "turn-resumed", "turn-end"]);

/**
 * I6: of the turns of a session only the last may be open. It runs under a lease, waits for a person, or was left by a process
 * that died: each of these is a state, since whoever opens the session takes it up (design: resume). What cannot be
 * taken up any more is a breach: a turn that others were begun behind, or that its row says has ended.
 */
export function watchTurns(tell: Tell, session: AuditedSession, given: Given): Watch {
  const rows = session.turns.values();
  let row: AuditedTurn | undefined;
  let open = false;
  let parked = false;
  /** A turn cannot be read, and others may have begun in what cannot. */
  let unknown = false;
  const begin = ({ turnId, idempotencyKey }: TurnStart, at: number): void => {
    if (open && !unknown) tell("turn-left-open", row?.turnId ?? "");
    do row = rows.next().value;
    while (unknown && isBefore(row, at));
    if (row?.turnId !== turnId || row.first !== at) tell("turn-row-differs", `it begins in row ${at}`);
    else if (row.key !== (idempotencyKey ?? null)) tell("key-differs", `${idempotencyKey}: ${row.key}`);
    open = true;
    parked = false;
    unknown = false;
  };
  const inTurn = ({ type }: Fact, at: number): void => {
    if (!open && !OF_SESSION.has(type)) tell("fact-outside-turn", `${type} (row ${at})`);
    if (parked && GOES_ON.has(type)) tell("went-on-parked", `${type} (row ${at})`);
    if (type === "turn-parked" || type === "turn-unparked") parked = type === "turn-parked";
    if (type === "turn-end") finish(at);
  };
  const finish = (at: number): void => {
    if (open && row?.last !== at) tell("turn-row-differs", `it ends in row ${at}`);
    open = false;
  };
  const checkEnd = (): void => {
    if (open && row !== undefined && row.last !== null) tell("turn-row-differs", `it ends in row ${row.last}`);
    for (const left of rows) tell("turn-row-differs", `nothing of ${left.turnId} is in the journal`);
    if (open && !parked && given.ended === true) tell("turn-unfinished", session.sessionId);
  };
  return {
    fact: ({ fact, row: { id } }: Moment) => (fact.type === "turn-start" ? begin(fact, id) : inTurn(fact, id)),
    lost: () => {
      unknown = true;
    },
    end: () => {
      if (!unknown) checkEnd();
      if (given.idle === true && session.lease !== null) tell("lease-left", session.lease.owner);
    },
  };
}
