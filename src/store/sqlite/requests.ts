import { createHash, type Hash } from "node:crypto";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { RequestRecord } from "../../protocol/ports.ts";
import type { StoredRequest } from "../../protocol/store.ts";

/** The end of a head that is stored: its last piece, and what hashes on from there. */
interface Head {
  readonly piece: number;
  readonly hash: Hash;
}

export interface AttemptRequest {
  readonly attempt: number;
  readonly request: RequestRecord;
}

export class RequestStatements {
  readonly newestHead: StatementSync;
  readonly pieceByHash: StatementSync;
  readonly piece: StatementSync;
  readonly request: StatementSync;

  constructor(db: DatabaseSync) {
    this.newestHead = db.prepare(
      `select piece.id, piece.hash, piece.bytes from request join piece on piece.id = request.head
        where session = ? order by turn desc, request.id desc limit 1`,
    );
    this.pieceByHash = db.prepare("select id from piece where hash = ?");
    this.piece = db.prepare(
      "insert into piece(hash, parent, bytes, body) select ?1, ?2, coalesce((select bytes from piece where id = ?2), 0) + length(?3), ?3",
    );
    this.request = db.prepare(
      "insert into request(session, turn, attempt, head, tail) select ?1, max(id), ?2, ?3, ?4 from turn where session = ?1",
    );
  }
}

/** Keeps the requests of one session. A write may be rolled back: only `committed` moves on. */
export class RequestWriter {
  readonly #statements: RequestStatements;
  readonly #session: number;
  #head: Head | undefined;
  #written: Head | undefined;

  constructor(statements: RequestStatements, session: number) {
    this.#statements = statements;
    this.#session = session;
  }

  /** Inside a transaction. */
  write(requests: readonly AttemptRequest[]): void {
    this.#written = this.#head;
    for (const { attempt, request } of requests) {
      const { piece } = (this.#written = this.#place(request, this.#written));
      this.#statements.request.run(this.#session, attempt, piece, request.tail);
    }
  }

  committed(): void {
    this.#head = this.#written;
  }

  #place({ continues, add }: RequestRecord, before: Head | undefined): Head {
    const { head, rest } = (continues ? undefined : this.#resumed(add)) ?? {
      head: continues ? before : undefined,
      rest: add,
    };
    let end = head;
    for (const piece of rest) end = this.#extend(end, piece);
    if (end === undefined) throw new Error("a request goes on from one that was never kept");
    return end;
  }

  /** A new process encodes a whole head again: what is stored of it already is not stored twice. */
  #resumed(add: readonly Uint8Array[]): { readonly head: Head; readonly rest: readonly Uint8Array[] } | undefined {
    const newest = this.#statements.newestHead.get(this.#session);
    const whole = Buffer.concat(add);
    const bytes = Number(newest?.["bytes"]);
    if (newest === undefined || bytes > whole.length) return undefined;
    const hash = createHash("sha256").update(whole.subarray(0, bytes));
    if (
      !hash
        .copy()
        .digest()
        .equals(newest["hash"] as Uint8Array)
    )
      return undefined;
    const rest = bytes === whole.length ? [] : [whole.subarray(bytes)];
    return { head: { piece: Number(newest["id"]), hash }, rest };
  }

  #extend(head: Head | undefined, body: Uint8Array): Head {
    const { piece, pieceByHash } = this.#statements;
    const hash = (head?.hash.copy() ?? createHash("sha256")).update(body);
    const name = hash.copy().digest();
    const known = pieceByHash.get(name)?.["id"];
    return { piece: Number(known ?? piece.run(name, head?.piece ?? null, body).lastInsertRowid), hash };
  }
}

const REQUESTS = "select attempt, head, tail from request where session = ? and turn = ? order by id";

interface Row {
  readonly attempt: number;
  readonly head: number;
  readonly tail: string;
}

/** Rebuilds requests from their pieces. */
export class RequestReading {
  readonly #requests: StatementSync;
  readonly #piece: StatementSync;

  constructor(db: DatabaseSync) {
    this.#requests = db.prepare(REQUESTS);
    this.#piece = db.prepare("select parent, body from piece where id = ?");
  }

  *of(session: number, turn: number): Generator<StoredRequest> {
    let head = { id: 0, text: "" };
    for (const row of this.#requests.all(session, turn) as unknown as Row[]) {
      head = { id: row.head, text: this.#text(row.head, head) };
      yield { attempt: row.attempt, body: head.text + row.tail };
    }
  }

  /** The head that ends with this piece; `before` is one that is known already. */
  #text(head: number, before: { readonly id: number; readonly text: string }): string {
    const bodies: Uint8Array[] = [];
    let id: number | null = head;
    for (; id !== null && id !== before.id;) {
      const row = this.#piece.get(id) as { parent: number | null; body: Uint8Array } | undefined;
      if (row === undefined) throw new SyntaxError(`a request points to a missing piece ${id}`);
      bodies.push(row.body);
      id = row.parent;
    }
    return (id === null ? "" : before.text) + Buffer.concat(bodies.toReversed()).toString();
  }
}
