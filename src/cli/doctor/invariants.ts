import type { Breach, BreachKind } from "../../protocol/oracle.ts";
import { BREACHES, INVARIANTS } from "../../protocol/oracle.ts";
import { StoreError } from "../../protocol/store.ts";
import { findBreaches } from "../../session/oracle/oracle.ts";
import { DOCTOR } from "../../words/doctor.ts";
import type { Adapters } from "../adapters.ts";
import type { Io } from "../io.ts";
import { say } from "../io.ts";
import { broken, type Finding, ok, warning } from "./finding.ts";

/** Of one kind so many are told. */
const MOST_TOLD = 5;
/** Whoever waits longer is told how far it has come, ms. */
const SILENT_MS = 1_000;

/** `--check`: whether all that holds of every store holds of this one. It reads, and writes nothing. */
export async function checkInvariants(
  adapters: Adapters,
  folder: string,
  { io, language }: { readonly io: Io; readonly language: "en" | "zh" },
): Promise<Finding[]> {
  try {
    const file = await adapters.openAudit(folder);
    if (file === undefined) return [ok("invariants", DOCTOR.noJournal)];
    try {
      if (file.older) return [warning("invariants", DOCTOR.olderStore, "evander session list")];
      let sessions = 0;
      const tell = every(SILENT_MS, () => say(io.stderr, DOCTOR.checked(sessions)[language]));
      const breaches = findBreaches(file, {}, (progress) => {
        ({ sessions } = progress);
        tell();
      });
      return breaches.length === 0 ? [ok("invariants", DOCTOR.sound(sessions, INVARIANTS.length))] : told(breaches);
    } finally {
      file.close();
    }
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    const command = error.fault === "corrupt" ? "evander store recover" : "evander where";
    return [broken("invariants", DOCTOR.trouble(error.sentence), command)];
  }
}

function every(ms: number, work: () => void): () => void {
  let due = performance.now() + ms;
  return () => {
    if (performance.now() < due) return;
    due = performance.now() + ms;
    work();
  };
}

function told(breaches: readonly Breach[]): Finding[] {
  return (Object.keys(BREACHES) as BreachKind[]).flatMap((kind) => {
    const found = breaches.filter((breach) => breach.kind === kind);
    const lines = found.slice(0, MOST_TOLD).map((breach) => findingOf(breach));
    const more = found.length - lines.length;
    return more > 0 ? [...lines, broken(`invariants.${BREACHES[kind]}`, DOCTOR.more(more, kind))] : lines;
  });
}

/** What brings the file itself in order; of anything else the session is looked at. */
function commandFor({ invariant, kind, sessionId }: Breach): string {
  if (kind === "search-differs") return "evander store rebuild";
  if (invariant === "I9") return "evander store recover";
  return sessionId === undefined ? "evander where" : `evander session show ${sessionId}`;
}

function findingOf(breach: Breach): Finding {
  const { invariant, sessionId, turnId, detail } = breach;
  const place = [sessionId, turnId].filter((each) => each !== undefined).join(" ");
  const text = place === "" ? detail : { en: `${place}: ${detail.en}`, zh: `${place}：${detail.zh}` };
  return broken(`invariants.${invariant}`, text, commandFor(breach));
}
