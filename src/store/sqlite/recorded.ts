import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { Fact } from "../../protocol/fact.ts";
import type { RecordedTurn } from "../../protocol/replay.ts";
import { KitReading } from "./kits.ts";
import type { Reading, SessionContent, TurnRow } from "./reading.ts";

/** What a session knew of its requests when a turn of it began. */
type Known = Pick<RecordedTurn, "compaction" | "strikes" | "learnt">;

const NAMES = ["history-compacted", "compaction-judged", "request-adjusted"] as const;

/** All that is kept of single turns. */
export class RecordedReading {
  readonly #reading: Reading;
  readonly #kits: KitReading;
  readonly #notes: StatementSync;
  readonly #named: StatementSync;

  constructor(db: DatabaseSync, reading: Reading) {
    this.#reading = reading;
    this.#kits = new KitReading(db);
    this.#notes = db.prepare("select nonce from session where id = ?");
    const like = NAMES.map((name) => `facts like '%"type":"${name}"%'`).join(" or ");
    this.#named = db.prepare(
      `select id, facts from journal where session = ? and id <= ? and (${like}) order by id desc`,
    );
  }

  recorded(turnId: string): RecordedTurn | undefined {
    const row = this.#reading.turnRow(turnId);
    if (row === undefined) return undefined;
    const turn = this.#reading.stored(row);
    const [begin] = turn.facts;
    if (begin?.fact.type !== "turn-start") return undefined;
    const last = row.last ?? Number.MAX_SAFE_INTEGER;
    const content = this.#reading.content(row.session);
    return {
      turnId: turn.turnId,
      sessionId: turn.sessionId,
      facts: turn.facts,
      requests: [...this.#reading.kept.ofTurn(row.session, row.first)],
      history: content.history.slice(0, begin.fact.seq),
      kits: this.#kits.ofTurn({ session: row.session, first: row.first, last }, turn.turnId),
      nonce: String(this.#notes.get(row.session)?.["nonce"] ?? ""),
      system: content.prompt.state === "present" ? content.prompt.text : "",
      ...this.#known(row, content),
    };
  }

  /** What facts before the turn say; where none does, what the session was made with. */
  #known({ session, first, name }: TurnRow, content: SessionContent): Known {
    const before = this.#before(session, first, name);
    const find = <T extends Fact["type"]>(type: T): Extract<Fact, { type: T }> | undefined =>
      before.find((fact): fact is Extract<Fact, { type: T }> => fact.type === type);
    const compacted = find("history-compacted");
    const learnt = before.find((fact) => fact.type === "request-adjusted" && fact.learnt !== undefined);
    return {
      compaction: compacted?.compaction ?? (this.#ever(session, NAMES[0]) ? undefined : content.compaction),
      strikes: find("compaction-judged")?.strikes ?? 0,
      learnt:
        learnt?.type === "request-adjusted"
          ? learnt.learnt
          : this.#ever(session, NAMES[2])
            ? undefined
            : content.learnt,
    };
  }

  /** The newest first. */
  #before(session: number, first: number, turnId: string): readonly Fact[] {
    const rows = this.#named.all(session, first) as unknown as { readonly id: number; readonly facts: string }[];
    return rows.flatMap(({ id, facts }) => {
      const all = JSON.parse(facts) as Fact[];
      const starts = id === first ? all.findIndex((fact) => fact.type === "turn-start" && fact.turnId === turnId) : -1;
      return (starts < 0 ? all : all.slice(0, starts)).toReversed();
    });
  }

  #ever(session: number, name: (typeof NAMES)[number]): boolean {
    return this.#before(session, Number.MAX_SAFE_INTEGER, "").some((fact) => fact.type === name);
  }
}
