import type { DatabaseSync, StatementSync } from "node:sqlite";
import { crc32 } from "node:zlib";
import type { RequestColumns } from "./requests.ts";
import type { MessageRow } from "./rows.ts";

/** CRC-32 over a message row, with its place: a row that is found under another place is told as well. */
export const messageSum = (session: number, { seq, part, body }: MessageRow): number =>
  crc32(bytesOf(body), crc32(`${session}/${seq}/${part}/`));

/** In a damaged store anything may stand anywhere. */
const bytesOf = (value: unknown): string | Uint8Array => (value instanceof Uint8Array ? value : String(value));

export interface Summed {
  readonly at: number;
  readonly facts: string;
  /** Null: of a row that was written before there were sums. */
  readonly sum: number | null;
}

/** CRC-32 over a journal row; `request`: of what left behind it. */
export function journalSum(session: number, { at, facts }: Omit<Summed, "sum">, request?: RequestColumns): number {
  const sum = crc32(bytesOf(facts), crc32(`${session}/${at}/`));
  if (request === undefined) return sum;
  const { opening, added, tail } = request;
  return crc32(bytesOf(tail), crc32(bytesOf(added), opening === null ? sum : crc32(bytesOf(opening), sum)));
}

/** What SQLite gives of the columns of a request, where none left they are null. */
export type KeptColumns = { readonly [K in keyof RequestColumns]: RequestColumns[K] | null };

export const requestIn = ({ opening, added, tail }: KeptColumns): RequestColumns | undefined =>
  added === null || tail === null ? undefined : { opening, added, tail };

interface SummedMessage extends MessageRow {
  readonly sum: number | null;
}

/** Throws a SyntaxError where the body is not what was written. */
function soundBody(session: number, row: SummedMessage): string {
  if (row.sum !== null && row.sum !== messageSum(session, row))
    throw new SyntaxError("a message is not as it was saved");
  return row.body;
}

/** Message rows of a session as they were written. Throws a SyntaxError where one is not. */
export function soundRows(session: number, rows: readonly unknown[]): readonly MessageRow[] {
  const found = rows as readonly SummedMessage[];
  for (const row of found) soundBody(session, row);
  return found;
}

/** `statement` finds `body` and `sum` by the place. Throws a SyntaxError where they do not agree. */
export function soundBodyAt(
  statement: StatementSync,
  session: number,
  place: Pick<MessageRow, "seq" | "part">,
): string | undefined {
  const found = statement.get(session, place.seq, place.part) as unknown as Pick<SummedMessage, "body" | "sum">;
  return found === undefined ? undefined : soundBody(session, { ...place, ...found });
}

/** What every reader of the journal asks for. */
export const ENTRY = "select at, facts, opening, added, tail, sum from journal";

export type EntryRow = Summed & KeptColumns;

/** Journal rows of a session as they were written. Throws a SyntaxError where one is not. */
export const soundEntries = (session: number, rows: readonly unknown[]): readonly EntryRow[] =>
  (rows as readonly EntryRow[]).map((row) => soundEntry(session, row));

export function soundEntry<T extends EntryRow>(session: number, row: T): T {
  if (row.sum !== null && row.sum !== journalSum(session, row, requestIn(row)))
    throw new SyntaxError("a row of the journal is not as it was saved");
  return row;
}

const HAS_SUMS = "select 1 from pragma_table_info('message') where name = 'sum'";

/** Rows that are not as they were saved, so many at most. Reads every row. */
export function changedRows(db: DatabaseSync, most: number): string[] {
  if (db.prepare(HAS_SUMS).get() === undefined) return []; // of a format that had none
  const found: string[] = [];
  const messages = db.prepare(
    "select id, session, seq, part, body, sum from message not indexed where sum is not null",
  );
  for (const each of messages.iterate()) {
    const row = each as unknown as SummedMessage & { readonly id: number; readonly session: number };
    if (found.length < most && row.sum !== messageSum(row.session, row)) found.push(`message ${row.id}`);
  }
  const entries = db.prepare(
    "select id, session, at, facts, opening, added, tail, sum from journal where sum is not null",
  );
  for (const each of entries.iterate()) {
    const row = each as unknown as EntryRow & { readonly id: number; readonly session: number };
    if (found.length < most && row.sum !== journalSum(row.session, row, requestIn(row)))
      found.push(`journal ${row.id}`);
  }
  return found;
}
