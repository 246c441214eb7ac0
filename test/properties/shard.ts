/** One worker's share of the runs of a property; see `shards.ts`. */
import { parentPort, workerData } from "node:worker_threads";
import { randomTurns } from "./random-turns.ts";
import { races } from "./race.ts";
import { sessionOps } from "./session-ops.ts";
import type { Job, PropertyName, Said, Tally } from "./shards.ts";

const PROPERTIES: Readonly<Record<PropertyName, (job: Job) => Promise<Tally>>> = {
  "random-turns": randomTurns,
  races,
  "session-ops": sessionOps,
};

const { name, job } = workerData as { readonly name: PropertyName; readonly job: Job };
const tell = (said: Said): void => parentPort?.postMessage(said);

try {
  tell({ type: "done", tally: await PROPERTIES[name]({ ...job, onProgress: () => tell({ type: "progress" }) }) });
} catch (error) {
  tell({ type: "failed", why: error instanceof Error ? error.message : String(error) });
}
