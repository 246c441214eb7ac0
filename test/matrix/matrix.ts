import { setTimeout } from "node:timers/promises";
import { SUBJECTS } from "../dialects/subjects.ts";
import { type Cell, play } from "./cell.ts";
import { type Family, WAYS } from "./fault.ts";
import { NETWORK } from "./faults-network.ts";
import { ACCOUNT, LIMITS } from "./faults-account.ts";
import { BODIES } from "./faults-body.ts";
import { REPLIES } from "./faults-reply.ts";
import { REQUESTS } from "./faults-request.ts";
import { SERVERS } from "./faults-server.ts";
import { STREAMS } from "./faults-stream.ts";
import { attemptsIn, judge } from "./judge.ts";

export const FAMILIES: readonly Family[] = [NETWORK, REQUESTS, ACCOUNT, LIMITS, SERVERS, BODIES, STREAMS, REPLIES];

export interface Impossible extends Cell {
  readonly why: string;
}

export const ALL: readonly Cell[] = FAMILIES.flatMap(({ faults }) =>
  faults.flatMap((fault) => SUBJECTS.flatMap((side) => WAYS.map((way) => ({ fault, side, way })))),
);

export const reasonAgainst = ({ fault, side, way }: Cell): string | undefined =>
  fault.impossible?.({ mode: side.wire.mode, way });

export const IMPOSSIBLE: readonly Impossible[] = ALL.flatMap((cell) => {
  const why = reasonAgainst(cell);
  return why === undefined ? [] : [{ ...cell, why }];
});

export const CELLS: readonly Cell[] = ALL.filter((cell) => reasonAgainst(cell) === undefined);

const STEP_MS = 20;

/** Longer is a hang, ms. */
export const HANG_MS = 2_000;

export interface Verdict {
  /** One sentence each; none: it holds. */
  readonly problems: readonly string[];
  readonly hung: boolean;
  /** Of the call that was tried most. */
  readonly attempts: number;
  readonly ms: number;
}

export async function verdictOf(cell: Cell): Promise<Verdict> {
  const startedMs = performance.now();
  const over = new AbortController();
  try {
    const seen = await Promise.race([play(cell), tooLong(over.signal)]);
    const ms = performance.now() - startedMs;
    if (seen === "hung") return { problems: [`no end within ${HANG_MS} ms`], hung: true, attempts: 0, ms };
    return { problems: judge(cell, seen), hung: false, attempts: attemptsIn(seen), ms };
  } catch (error) {
    return { problems: [String(error)], hung: false, attempts: 0, ms: performance.now() - startedMs };
  } finally {
    over.abort();
  }
}

/** In short steps, which a busy machine makes longer for whoever is timed and for the time alike. */
async function tooLong(signal: AbortSignal): Promise<"hung"> {
  for (let ms = 0; ms < HANG_MS && !signal.aborted; ms += STEP_MS) await setTimeout(STEP_MS);
  return "hung";
}
