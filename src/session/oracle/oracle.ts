import type { Breach, Given } from "../../protocol/oracle.ts";
import type { Store } from "../../protocol/store.ts";
import { checkCounted, newCount, watchAccount } from "./account.ts";
import { watchApprovals } from "./approvals.ts";
import { watchArrivals } from "./arrivals.ts";
import { watchCalls } from "./calls.ts";
import { checkFile } from "./file.ts";
import { watchInbound } from "./inbound.ts";
import { checkLeft, checkSecrets, checkSeen, heardBy, newHeard, startedIn } from "./given.ts";
import { watchLineage } from "./lineage.ts";
import { watchMessages } from "./messages.ts";
import { watchOutcome } from "./outcome.ts";
import { watchPlaces } from "./places.ts";
import { watchRequests } from "./requests.ts";
import { watchStarts } from "./starts.ts";
import { watchTurns } from "./turns.ts";
import { Findings, type NewWatch, SessionWalk } from "./walk.ts";

/** In the order in which they are told. */
const WATCHES: readonly NewWatch[] = [
  watchTurns,
  watchInbound,
  watchArrivals,
  watchCalls,
  watchMessages,
  watchStarts,
  watchApprovals,
  watchLineage,
  watchOutcome,
  watchRequests,
  watchPlaces,
];

/** How far a look has come. */
export interface Progress {
  readonly sessions: number;
}

/**
 * Whatever does not hold of a store, out of the store alone and what is `given`; nothing is changed. It reads every row
 * once and holds no more than one turn. Throws StoreError where the file cannot be read at all.
 */
export function findBreaches(
  store: Pick<Store, "audit">,
  given: Given = {},
  onProgress: (progress: Progress) => void = () => {},
): Breach[] {
  const findings = new Findings();
  store.audit((audit) => {
    checkFile(audit, findings);
    const count = newCount();
    const heard = newHeard();
    const started = new Set<string>();
    const watches = [...WATCHES, watchAccount(count), heardBy(heard), startedIn(started)];
    let sessions = 0;
    for (const session of audit.sessions) {
      new SessionWalk(session, findings, given, watches).walk();
      onProgress({ sessions: ++sessions });
    }
    checkCounted(count, given, findings);
    checkSeen(given, heard, started, findings);
  });
  checkSecrets(given, findings);
  checkLeft(given, findings);
  return findings.breaches;
}
