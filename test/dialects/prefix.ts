import type { Agent } from "../../src/index.ts";
import type { Cause } from "../../src/session/cache/cause.ts";
import { type CacheReport, cacheReport } from "../../src/session/cache/report.ts";
import { commonBytes } from "../support/prefix-cache.ts";
import { answers, Clinic, looks } from "./clinic.ts";
import { type Mode, refuses } from "./script.ts";

/** What consecutive requests of a session have in common. */
export interface Prefix {
  readonly requests: number;
  /** Of all heads that a request was to go on from, without those that a fact says are broken. */
  readonly headBytes: number;
  /** Of these, the bytes that the request does begin with. */
  readonly equalBytes: number;
  /** Why the other heads are broken, as the facts say. */
  readonly named: readonly string[];
  /** Breaks that no fact names. */
  readonly unnamed: readonly string[];
}

/** Whether a fact says so: an adjustment, a compaction, another model or program, a prompt that was built. */
function isNamed(cause: Cause): boolean {
  switch (cause.type) {
    case "model-switch":
    case "compaction":
    case "adjustment":
    case "program":
    case "turn-prompt":
      return true;
    case "prompt":
      return cause.state !== undefined;
    default:
      return false;
  }
}

/** The requests of turns of one session, in order, held against what the doctor says of each. */
export function prefixOf(store: Agent["store"], turnIds: readonly string[]): Prefix {
  let before: Buffer | undefined;
  let [requests, headBytes, equalBytes] = [0, 0, 0];
  const named: string[] = [];
  const unnamed: string[] = [];
  for (const turnId of turnIds) {
    const rows = new Map(reportOf(store, turnId).rows.map((row) => [row.request, row]));
    for (const { attempt, body, head } of store.requests(turnId)) {
      const bytes = Buffer.from(body);
      const cause = rows.get(attempt)?.differs?.cause;
      requests++;
      if (cause !== undefined) (isNamed(cause) ? named : unnamed).push(cause.type);
      else if (before !== undefined) {
        headBytes += before.length;
        equalBytes += commonBytes(before, bytes);
      }
      before = Buffer.from(body.slice(0, head));
    }
  }
  return { requests, headBytes, equalBytes, named, unnamed };
}

function reportOf(store: Agent["store"], turnId: string): CacheReport {
  const turn = store.turn(turnId);
  if (turn === undefined) throw new Error(`there is no turn ${turnId}`);
  return cacheReport(turn, store);
}

const paths = (from: number, count: number): string[] => Array.from({ length: count }, (_, at) => `p${from + at}`);

/**
 * A session of three turns, the first of `iterations` with tools; the third is had by a process that begins anew. Then
 * what a fact names: a compaction, and another model.
 */
export async function prefixAcross(mode: Mode, iterations: number): Promise<Prefix & { readonly missed: number }> {
  await using clinic = await Clinic.open(mode);
  await clinic.turn([...paths(0, iterations).map(looks), answers("One.")]);
  await clinic.turn([...paths(100, 3).map(looks), refuses("overloaded"), answers("Two.")]);
  await clinic.turn([...paths(200, 3).map(looks), answers("Three.")], {});
  const missed = missedIn(clinic.agentNow.store, clinic.turnIds);
  await clinic.turn([refuses("context_too_long"), looks("p300"), answers("Shorter.")]);
  await clinic.turn([looks("p400"), answers("Another.")], { model: OTHER[mode] });
  const { store } = clinic.agentNow;
  const kept = clinic.turnIds.flatMap((turnId) => [...store.requests(turnId)].map(({ body }) => body));
  const left = clinic.server.requests.map(({ text }) => text);
  if (kept.join("\n") !== left.join("\n")) throw new Error("what is kept is not what was sent");
  return { ...prefixOf(store, clinic.turnIds), missed };
}

const missedIn = (store: Agent["store"], turnIds: readonly string[]): number =>
  turnIds.reduce((sum, turnId) => sum + reportOf(store, turnId).missed, 0);

const OTHER: Readonly<Record<Mode, string>> = {
  chat_completions: "fake-2",
  anthropic_messages: "claude-fake-2",
  bedrock_converse: "us.anthropic.claude-sonnet-4",
  codex_responses: "gpt-fake-2",
  gemini: "gemini-2.0-fake",
};
