import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { OnPages } from "../../../protocol/store-care.ts";
import { isObject } from "../../../protocol/json.ts";
import { hashOf, type RequestColumns } from "../requests.ts";
import { journalSum, messageSum } from "../sums.ts";
import { Pages } from "./pages.ts";
import { type RawRow, rowsIn, type Value } from "./records.ts";

/** What was found in the pages of a damaged store. */
export interface Salvaged {
  readonly sessions: number;
  readonly messages: number;
  readonly journalRows: number;
  /** Rows that lay where rows lie and could not be read, or were not as they had been written. */
  readonly broken: number;
  /** Pages that are missing, or hold nothing that can be read; whatever was in them is lost. */
  readonly lostPages: number;
  /** Messages that can be read and are not as they had been written, as session and place. */
  readonly changed: readonly { readonly session: number; readonly seq: number }[];
}

type Kind = "session" | "message" | "journal" | "opening";

/** A row of ours: of which table, and how sure it is; undefined for any other. */
interface Found {
  readonly kind: Kind;
  readonly columns: readonly Value[];
  /** `sealed`: its checksum holds; `plain`: it has none; `changed`: it does not hold. */
  readonly trust: "sealed" | "plain" | "changed";
}

/** What the columns behind the number of a row are: `t`ext, `n`umber, `b`ytes; what follows may be anything. */
const SHAPES: readonly (readonly [Kind, RegExp])[] = [
  ["session", /^tn.{4,}$/u],
  ["message", /^nnnt/u],
  ["journal", /^nnt/u],
  ["opening", /^bb$/u],
];

const letterOf = (value: Value): string =>
  value === null ? "-" : value instanceof Uint8Array ? "b" : typeof value === "string" ? "t" : "n";

/** Rows are told apart by what stands in their columns: no schema is needed. */
function kindOf({ values }: RawRow): Kind | undefined {
  const [id, ...columns] = values;
  if (id !== null) return undefined;
  const shape = columns.map(letterOf).join("");
  return SHAPES.find(([, pattern]) => pattern.test(shape))?.[0];
}

function parsed(text: Value | undefined): unknown {
  try {
    return JSON.parse(String(text));
  } catch {
    return undefined;
  }
}

const ROLES: ReadonlySet<unknown> = new Set(["user", "assistant", "tool"]);

/** A part that came to a message later has no role. */
function isBody(text: Value | undefined, part: number): boolean {
  const body = parsed(text);
  return isObject(body) && (part > 0 || (ROLES.has(body["role"]) && Array.isArray(body["parts"])));
}

function readMessage({ values }: RawRow): Found | undefined {
  const [, session, seq, part, body, sum] = values as [null, number, number, number, string, Value | undefined];
  if (!isBody(body, part)) return undefined;
  const row = { seq, part, body };
  const right = messageSum(session, row);
  return { kind: "message", columns: [session, seq, part, body, right], trust: trustIn(sum, right) };
}

function trustIn(sum: Value | undefined, right: number): Found["trust"] {
  if (sum === null || sum === undefined) return "plain";
  return sum === right ? "sealed" : "changed";
}

const isBytes = (value: Value | undefined): value is Uint8Array => value instanceof Uint8Array;

/** A journal row that was changed is none: what it says cannot be told from what was said. */
function readEntry({ values }: RawRow): Found | undefined {
  const [, session, at, facts, opening, added, tail, sum] = values as [null, number, number, string, ...Value[]];
  if (!Array.isArray(parsed(facts))) return undefined;
  const request = requestOf(opening, added, tail);
  const right = journalSum(session, { at, facts }, request);
  const trust = trustIn(sum, right);
  if (trust === "changed") return undefined;
  const kept = request === undefined ? [null, null, null] : [request.opening, request.added, request.tail];
  return { kind: "journal", columns: [session, at, facts, ...kept, right], trust };
}

function requestOf(opening?: Value, added?: Value, tail?: Value): RequestColumns | undefined {
  if (!isBytes(added) || typeof tail !== "string") return undefined;
  return { opening: isBytes(opening) ? opening : null, added, tail };
}

/** Its hash is its name: one that was changed is found by no request. */
function readOpening({ values }: RawRow): Found | undefined {
  const [, hash, body] = values as [null, Uint8Array, Uint8Array];
  return hashOf(body).equals(hash) ? { kind: "opening", columns: [hash, body], trust: "sealed" } : undefined;
}

function read(row: RawRow): Found | "broken" | undefined {
  const kind = kindOf(row);
  switch (kind) {
    case undefined:
      return undefined;
    case "message":
      return readMessage(row) ?? "broken";
    case "journal":
      return readEntry(row) ?? "broken";
    case "opening":
      return readOpening(row) ?? "broken";
    case "session":
      return { kind, columns: row.values.slice(1), trust: "plain" };
  }
}

/** So many columns of a session there are beside its number; a store of an older format has the first of them. */
const SESSION =
  "key, epoch, owner, expires, created, title, compaction, nonce, parent, shared, purpose, learnt, prompt, strikes, named, pinned";
const SESSION_COLUMNS = SESSION.split(", ").length;

/** What stands there already stays: the newest page comes first. */
const prepare = (db: DatabaseSync): Readonly<Record<Kind, StatementSync>> => ({
  session: db.prepare(`insert or ignore into session(id, ${SESSION}) values(?${", ?".repeat(SESSION_COLUMNS)})`),
  message: db.prepare("insert or ignore into message(id, session, seq, part, body, sum) values(?, ?, ?, ?, ?, ?)"),
  journal: db.prepare(
    "insert or ignore into journal(id, session, at, facts, opening, added, tail, sum) values(?, ?, ?, ?, ?, ?, ?, ?)",
  ),
  opening: db.prepare("insert or ignore into opening(id, hash, body) values(?, ?, ?)"),
});

/** Behind the columns that were written, those that came later are empty. */
const filled = (columns: readonly Value[]): Value[] =>
  Array.from({ length: SESSION_COLUMNS }, (_, at) => columns[at] ?? null);

/** Takes rows in: those that are sure at once, the others where nothing else came. */
class Intake {
  readonly counts: Record<Kind, number> = { session: 0, message: 0, journal: 0, opening: 0 };
  readonly changed: { session: number; seq: number }[] = [];
  broken = 0;
  private readonly later: { readonly id: number; readonly found: Found }[] = [];
  private readonly statements: Readonly<Record<Kind, StatementSync>>;

  constructor(db: DatabaseSync) {
    this.statements = prepare(db);
  }

  take(row: RawRow | undefined, sure: boolean): void {
    const found = row === undefined ? "broken" : read(row);
    if (found === "broken" || row === undefined) this.broken++;
    else if (found !== undefined && sure && found.trust !== "changed") this.put(row.id, found);
    else if (found !== undefined) this.later.push({ id: row.id, found });
  }

  takeRest(): void {
    for (const { id, found } of this.later) {
      if (!this.put(id, found) || found.trust !== "changed") continue;
      this.broken++;
      this.changed.push({ session: Number(found.columns[0]), seq: Number(found.columns[1]) });
    }
  }

  private put(id: number, { kind, columns }: Found): boolean {
    const values = kind === "session" ? filled(columns) : [...columns];
    const isNew = Number(this.statements[kind].run(id, ...values).changes) > 0;
    if (isNew) this.counts[kind]++;
    return isNew;
  }
}

/**
 * Brings every row that can be read in the files of a store at `path`, whatever else is broken in them, into `db`, an
 * empty store of the newest format and inside a transaction. The files are only read.
 */
export function salvage(path: string, db: DatabaseSync, onPages: OnPages = () => {}): Salvaged {
  const pages = new Pages(path);
  const intake = new Intake(db);
  try {
    for (const { number, page, sure } of pages.all()) {
      for (const row of rowsIn(pages, number, page)) intake.take(row, sure);
      onPages(number, pages.count);
    }
    intake.takeRest();
    const { counts, broken, changed } = intake;
    const { session: sessions, message: messages, journal: journalRows } = counts;
    return { sessions, messages, journalRows, broken, lostPages: pages.lost(), changed };
  } finally {
    pages.close();
  }
}
