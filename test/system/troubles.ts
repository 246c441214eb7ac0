import { findBreaches } from "../../src/session/oracle/oracle.ts";
import { openAudit } from "../../src/store/sqlite/open-audit.ts";

/** What the oracle says against a store that nobody writes, each in a line. */
export function findTroubles(path: string): readonly string[] {
  const audit = openAudit(path);
  try {
    return findBreaches(audit).map(({ invariant, kind, detail }) => `${invariant} ${kind}: ${detail.en}`);
  } finally {
    audit.close();
  }
}
