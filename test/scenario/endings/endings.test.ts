import assert from "node:assert/strict";
import { test } from "vitest";
import { atMost } from "../at-most.ts";
import { check } from "./check.ts";
import { KNOWN } from "./known.ts";
import { ROWS } from "./score.ts";

for (const row of ROWS)
  test.concurrent(`[${row.shows}] a hostile ending, from outside: ${row.id}`, async () => {
    const { faults } = await atMost(() => check(row));
    if (row.id in KNOWN) assert.notDeepEqual(faults, [], `${row.id} holds: take it out of KNOWN`);
    else assert.deepEqual(faults, []);
  });

test("[J1] the table of hostile endings names each row once, and knows the rows it says fail", () => {
  const ids = ROWS.map(({ id }) => id);
  assert.equal(new Set(ids).size, ids.length);
  assert.deepEqual(
    Object.keys(KNOWN).filter((id) => !ids.includes(id)),
    [],
  );
});
