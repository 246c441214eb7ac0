import assert from "node:assert/strict";
import type { Breach, Given } from "../../src/protocol/oracle.ts";
import { findBreaches } from "../../src/session/oracle/oracle.ts";
import { openAudit } from "../../src/store/sqlite/open-audit.ts";

/** What does not hold of the store in a file; nothing where there is none. The file is only read. */
export function breachesIn(path: string, given?: Given): Breach[] {
  const file = openAudit(path);
  if (file === undefined) return [];
  try {
    return findBreaches(file, given);
  } finally {
    file.close();
  }
}

/** Fails with what does not hold of the store in a file, each in a line. */
export function assertSound(path: string, given?: Given): void {
  assertNoBreaches(breachesIn(path, given));
}

function assertNoBreaches(breaches: readonly Breach[]): void {
  const lines = breaches.map(
    ({ invariant, kind, sessionId = "", turnId = "", detail }) =>
      `${invariant} ${kind} ${sessionId} ${turnId}: ${detail.en}`,
  );
  assert.equal(lines.join("\n"), "", "the store is not sound");
}
