import { createHash } from "node:crypto";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { RequestRecord } from "../../protocol/ports.ts";
import type { StoredRequest } from "../../protocol/store.ts";

export interface AttemptRequest {
  readonly attempt: number;
  readonly request: RequestRecord;
}

/** A request row: its head is the head of `base`, or else its opening, with `body` behind it. */
interface Row {
  readonly id: number;
  readonly attempt: number;
  readonly base: number | null;
  readonly opening: number | null;
  readonly body: Uint8Array;
  readonly tail: string;
}

/** A head as far as it is known: the request it belongs to, and its bytes. */
interface Head {
  readonly id: number;
  readonly bytes: Buffer;
}

const NO_HEAD: Head = { id: 0, bytes: Buffer.alloc(0) };

/** Rebuilds requests from what was kept of each. */
export class RequestReading {
  readonly #ofTurn: StatementSync;
  readonly #byId: StatementSync;
  readonly #newest: StatementSync;
  readonly #opening: StatementSync;

  constructor(db: DatabaseSync) {
    const rows = "select request.* from journal join request on request.id = journal.id where session = ?";
    this.#ofTurn = db.prepare(`${rows} and turn = ? and journal.id >= ? order by journal.id`);
    this.#newest = db.prepare(`${rows} order by journal.id desc limit 1`);
    this.#byId = db.prepare("select * from request where id = ?");
    this.#opening = db.prepare("select body from opening where id = ?");
  }

  *ofTurn(session: number, turn: number, first: number): Generator<StoredRequest> {
    let head = NO_HEAD;
    for (const found of this.#ofTurn.iterate(session, turn, first)) {
      const row = found as unknown as Row;
      head = this.#headOf(row, head);
      yield { attempt: row.attempt, body: head.bytes.toString() + row.tail };
    }
  }

  /** The head of the session's newest request. */
  newestHead(session: number): Head | undefined {
    const row = this.#newest.get(session) as Row | undefined;
    return row === undefined ? undefined : this.#headOf(row, NO_HEAD);
  }

  /** `known` is the head of another request, which may be one that it goes on from. */
  #headOf(request: Row, known: Head): Head {
    const pieces: Uint8Array[] = [];
    let row = request;
    for (; row.id !== known.id; row = this.#present(this.#byId.get(row.base)) as unknown as Row) {
      pieces.unshift(row.body);
      if (row.base === null) break;
    }
    const { body } = row.id === known.id ? { body: known.bytes } : this.#present(this.#opening.get(row.opening));
    return { id: request.id, bytes: Buffer.concat([body as Uint8Array, ...pieces]) };
  }

  #present<T>(row: T | undefined): T {
    if (row === undefined) throw new SyntaxError("a request goes on from one that is missing");
    return row;
  }
}

/** What is shared by the writers of all sessions. */
export class RequestStatements {
  readonly reading: RequestReading;
  readonly knownOpening: StatementSync;
  readonly opening: StatementSync;
  readonly request: StatementSync;

  constructor(db: DatabaseSync, reading: RequestReading) {
    this.reading = reading;
    this.knownOpening = db.prepare("select id from opening where hash = ?");
    this.opening = db.prepare("insert into opening(hash, body) values(?, ?)");
    this.request = db.prepare(
      `insert into request(id, turn, attempt, base, opening, body, tail)
        select ?2, max(id), ?3, ?4, ?5, ?6, ?7 from turn where session = ?1`,
    );
  }
}

const NOTHING = new Uint8Array();

/** Keeps the requests of one session. A write may be rolled back: only `committed` moves on. */
export class RequestWriter {
  readonly #statements: RequestStatements;
  readonly #session: number;
  #last: number | undefined;
  #written: number | undefined;

  constructor(statements: RequestStatements, session: number) {
    this.#statements = statements;
    this.#session = session;
  }

  /** Inside the transaction that wrote the journal row of the attempt. */
  write({ attempt, request }: AttemptRequest, journalRow: number): void {
    const { base, opening, body } = this.#placeOf(request);
    this.#statements.request.run(this.#session, journalRow, attempt, base, opening, body, request.tail);
    this.#written = journalRow;
  }

  committed(): void {
    this.#last = this.#written;
  }

  #placeOf({ continues, add }: RequestRecord): Pick<Row, "base" | "opening" | "body"> {
    if (continues) {
      if (this.#last === undefined) throw new Error("a request goes on from one that was never kept");
      return { base: this.#last, opening: null, body: joined(add) };
    }
    const newest = this.#statements.reading.newestHead(this.#session);
    const whole = newest === undefined ? NOTHING : Buffer.concat(add);
    // A new process encodes a whole head again: what is kept of it already is not kept twice.
    if (newest !== undefined && newest.bytes.equals(whole.subarray(0, newest.bytes.length)))
      return { base: newest.id, opening: null, body: whole.subarray(newest.bytes.length) };
    const [opening = NOTHING, ...rest] = add;
    return { base: null, opening: this.#openingId(opening), body: joined(rest) };
  }

  /** Sessions that begin alike share what they begin with. */
  #openingId(body: Uint8Array): number {
    const { knownOpening, opening } = this.#statements;
    const hash = createHash("sha256").update(body).digest();
    return Number(knownOpening.get(hash)?.["id"] ?? opening.run(hash, body).lastInsertRowid);
  }
}

const joined = (pieces: readonly Uint8Array[]): Uint8Array =>
  pieces.length > 1 ? Buffer.concat(pieces) : (pieces[0] ?? NOTHING);
