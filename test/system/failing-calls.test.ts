import assert from "node:assert/strict";
import { beforeAll, test } from "vitest";
import { FAILING_CALLS, wrongWith } from "./failing-calls.ts";
import { needStrace } from "./strace.ts";

beforeAll(needStrace);

for (const given of FAILING_CALLS) {
  const { call, error, nth, only = false } = given;
  test(`[R5][G1] ${error} of ${call} ${only ? "at" : "from"} ${nth}: told in a sentence, nothing is lost, and it goes on later`, async () => {
    assert.deepEqual(await wrongWith(given), []);
  });
}
