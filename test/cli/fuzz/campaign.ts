import { breaches, type Outcome } from "./contract.ts";
import { type Invocation, invocationOf } from "./invocation.ts";
import { runHere, runProcess } from "./run.ts";
import { BrokenServers } from "./servers.ts";

export interface Failing {
  readonly invocation: Invocation;
  readonly outcome: Outcome;
  readonly process: boolean;
  /** Empty: it keeps every promise. */
  readonly breaches: readonly string[];
}

interface Campaign {
  readonly seed: number;
  /** Invocations that must have failed. */
  readonly count: number;
  /** Every so many-th is a process of its own. */
  readonly processEvery: number;
}

/** Runs invocations one after the other until so many have failed; those that went well do not count. */
export async function* campaign({ seed, count, processEvery }: Campaign): AsyncGenerator<Failing> {
  await using servers = await BrokenServers.open();
  let failed = 0;
  for (let index = 0; failed < count; index++) {
    const ran = await runOne(invocationOf(seed, index), index % processEvery === 0, servers);
    if (ran.outcome.code === 0) continue;
    failed += 1;
    yield ran;
  }
}

/** One of them again. */
export async function replay(seed: number, index: number, process: boolean): Promise<Failing> {
  await using servers = await BrokenServers.open();
  return await runOne(invocationOf(seed, index), process, servers);
}

async function runOne(invocation: Invocation, process: boolean, servers: BrokenServers): Promise<Failing> {
  const outcome = await (process ? runProcess : runHere)(invocation, servers);
  return { invocation, outcome, process, breaches: breaches(invocation, outcome) };
}

/** How a failing one is run again, alone. */
export const replayLine = (seed: number, { invocation, process }: Failing): string =>
  `CLI_FUZZ=${seed}/${invocation.index}${process ? "/process" : ""} npm run show -- cli-fuzz`;
