import type { StatementSync } from "node:sqlite";
import { crc32 } from "node:zlib";
import type { RequestColumns } from "./requests.ts";
import type { MessageRow } from "./rows.ts";

/** CRC-32 over a message row, with its place: a row that is found under another place is told as well. */
export const messageSum = (session: number, { seq, part, body }: MessageRow): number =>
  crc32(body, crc32(`${session}/${seq}/${part}/`));

export interface Summed {
  readonly at: number;
  readonly facts: string;
  /** Null: of a row that was written before there were sums. */
  readonly sum: number | null;
}

/** CRC-32 over a journal row; `request`: of what left behind it. */
export function journalSum(session: number, { at, facts }: Omit<Summed, "sum">, request?: RequestColumns): number {
  const sum = crc32(facts, crc32(`${session}/${at}/`));
  if (request === undefined) return sum;
  const { opening, added, tail } = request;
  return crc32(tail, crc32(added, opening === null ? sum : crc32(opening, sum)));
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
