import { atMost } from "../at-most.ts";
import { check, type Verdict } from "./check.ts";
import type { Row } from "./row.ts";
import { MACHINE_ROWS } from "./rows-machine.ts";
import { REPLY_ROWS } from "./rows-replies.ts";
import { WIRE_ROWS } from "./rows-wire.ts";

export const ROWS: readonly Row[] = [...REPLY_ROWS, ...WIRE_ROWS, ...MACHINE_ROWS];

export interface Scored extends Verdict {
  readonly row: Row;
}

/** Every row whose id begins with `prefix`, three at once. */
export async function score(prefix = ""): Promise<Scored[]> {
  const rows = ROWS.filter(({ id }) => id.startsWith(prefix));
  return Promise.all(rows.map((row) => atMost(async () => ({ row, ...(await check(row)) }))));
}
