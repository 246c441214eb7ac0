import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";

/** Runs of a property: how many, from which seed on (by chance where there is none). */
export interface Job {
  readonly runs: number;
  readonly seed?: number;
  /** A run is over. */
  readonly onProgress?: () => void;
}

/** How often what happened in all runs. */
export type Tally = Readonly<Record<string, number>>;

/** The properties that `shard.ts` knows. */
export type PropertyName = "random-turns" | "races" | "session-ops";

/** What a shard says. */
export type Said =
  | { readonly type: "progress" }
  | { readonly type: "done"; readonly tally: Tally }
  | { readonly type: "failed"; readonly why: string };

/**
 * The same property as the tests hold, with as many runs as are asked for, on all cores. Rejects with the first
 * counterexample. Every shard has seeds of its own.
 */
export async function inShards(name: PropertyName, { runs, seed = 1, onProgress = () => {} }: Job): Promise<Tally> {
  const shards = Math.min(availableParallelism(), runs);
  const parts = Array.from({ length: shards }, (_, at) => ({
    runs: Math.floor(runs / shards) + Number(at < runs % shards),
    seed: seed + at * runs,
  }));
  const tallies = await Promise.all(parts.map((job) => inWorker(name, job, onProgress)));
  const sum: Record<string, number> = {};
  for (const tally of tallies) for (const [what, times] of Object.entries(tally)) sum[what] = (sum[what] ?? 0) + times;
  return sum;
}

function inWorker(name: PropertyName, job: Job, onRun: () => void): Promise<Tally> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL("./shard.ts", import.meta.url), { workerData: { name, job } });
    worker.on("error", reject);
    worker.on("exit", (code) => reject(new Error(`a shard ended with ${code} before it was done`)));
    worker.on("message", (said: Said) => {
      if (said.type === "progress") onRun();
      else if (said.type === "done") resolve(said.tally);
      else reject(new Error(said.why));
    });
  });
}
