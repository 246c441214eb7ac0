import { createHash } from "node:crypto";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { Fact } from "../../protocol/fact.ts";
import type { RequestRecord } from "../../protocol/ports.ts";
import type { StoredRequest } from "../../protocol/store.ts";
import { ENTRY, soundEntry, type Summed } from "./sums.ts";

/** What a journal row says of the request that left behind it: its head has `added` behind that of the request before it. */
export interface RequestColumns {
  /** The hash of what the head begins with; null: it goes on from the head of the session's request before it. */
  readonly opening: Uint8Array | null;
  readonly added: Uint8Array;
  /** What stood behind the head. */
  readonly tail: string;
}

type Row = RequestColumns & Summed;

const NOTHING = Buffer.alloc(0);
const MISSING = "a request goes on from one that is missing";

/** Rebuilds requests from what was kept of each. */
export class RequestReading {
  readonly #ofTurn: StatementSync;
  readonly #before: StatementSync;
  readonly #opening: StatementSync;

  constructor(db: DatabaseSync) {
    const rows = `${ENTRY} where session = ? and tail is not null`;
    this.#ofTurn = db.prepare(`${rows} and id >= ?2
      and id < coalesce((select min(first) from turn where session = ?1 and first > ?2), ${Number.MAX_SAFE_INTEGER})
      order by id`);
    this.#before = db.prepare(`${rows} and id < ? order by id desc`);
    this.#opening = db.prepare("select body from opening where hash = ?");
  }

  /** `first` is the journal row in which the turn began. */
  *ofTurn(session: number, first: number): Generator<StoredRequest> {
    let head: Buffer | undefined;
    for (const found of this.#ofTurn.iterate(session, first)) {
      const row = soundEntry(session, found as unknown as Row);
      const begun = row.opening === null ? (head ?? this.#headBefore(session, first)) : this.#openingOf(row.opening);
      if (begun === undefined) throw new SyntaxError(MISSING);
      head = Buffer.concat([begun, row.added]);
      const text = head.toString();
      yield { attempt: attemptIn(row.facts), body: text + row.tail, head: text.length };
    }
  }

  /** The head of the session's newest request. */
  newestHead(session: number): Buffer | undefined {
    return this.#headBefore(session, Number.MAX_SAFE_INTEGER);
  }

  #headBefore(session: number, journalRow: number): Buffer | undefined {
    const pieces: Uint8Array[] = [];
    for (const found of this.#before.iterate(session, journalRow)) {
      const { opening, added } = soundEntry(session, found as unknown as Row);
      pieces.unshift(added);
      if (opening !== null) return Buffer.concat([this.#openingOf(opening), ...pieces]);
    }
    if (pieces.length > 0) throw new SyntaxError(MISSING);
    return undefined;
  }

  #openingOf(hash: Uint8Array): Uint8Array {
    const body = this.#opening.get(hash)?.["body"] as Uint8Array | undefined;
    if (body === undefined || !hashOf(body).equals(hash)) throw new SyntaxError("the opening of a request is missing");
    return body;
  }
}

function attemptIn(facts: string): number {
  const start = (JSON.parse(facts) as Fact[]).find((fact) => fact.type === "attempt-start");
  if (start === undefined) throw new SyntaxError("a request is kept without its attempt");
  return start.attempt;
}

/** What is to be kept of a request, and its opening where that may be new. */
export interface Keeping {
  readonly columns: RequestColumns;
  readonly opening?: Uint8Array;
}

/** Called inside the transaction that writes the row: it may read what was kept before. */
export function keepingOf({ continues, add, tail }: RequestRecord, newestHead: () => Buffer | undefined): Keeping {
  if (continues) return { columns: { opening: null, added: joined(add), tail } };
  const newest = newestHead();
  const whole = newest === undefined ? NOTHING : Buffer.concat(add);
  // A new process encodes a whole head again: what is kept of it already is not kept twice.
  if (newest !== undefined && newest.equals(whole.subarray(0, newest.length)))
    return { columns: { opening: null, added: whole.subarray(newest.length), tail } };
  // Sessions that begin alike share what they begin with.
  const [opening = NOTHING, ...rest] = add;
  const hash = hashOf(opening);
  return { columns: { opening: hash, added: joined(rest), tail }, opening };
}

/** By which an opening is found. */
export const hashOf = (body: Uint8Array): Buffer => createHash("sha256").update(body).digest();

const joined = (pieces: readonly Uint8Array[]): Uint8Array =>
  pieces.length > 1 ? Buffer.concat(pieces) : (pieces[0] ?? NOTHING);
