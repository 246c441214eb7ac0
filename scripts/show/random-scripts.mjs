import { inShards } from "../../test/properties/shards.ts";
import { counter } from "../report/progress.mjs";

export const about =
  "random turns, each also crashed after every fact of its journal (3 to 4 minutes on two cores; SEED=n repeats)";

const SCRIPTS = 2_000;
/** What has to have come often for the rest to mean anything, and how often. */
const KINDS = [
  "steers on a receipt",
  "injections delivered",
  "redirects delivered",
  "model switches",
  "stops",
  "deadlines",
  "approvals decided",
  "turns parked",
  "resumes",
  "compactions",
];
const OFTEN = 50;

/**
 * @returns {Promise<import("../show.mjs").Figure[]>}
 */
export async function measure() {
  const seed = Number(process.env["SEED"] ?? Math.floor(Math.random() * 1e9));
  console.log(`seed ${seed}`);
  const progress = counter("scripts", SCRIPTS);
  /** @type {import("../../test/properties/shards.ts").Tally} */
  let tally = {};
  let violations = "0 violations";
  try {
    tally = await inShards("random-turns", { runs: SCRIPTS, seed, onProgress: progress.step });
  } catch (error) {
    violations = "a violation, see above";
    console.log(error instanceof Error ? error.message : error);
  }
  progress.end();
  const lives = tally["lives"] ?? 0;
  const kinds = KINDS.map((kind) => ({ kind, times: tally[kind] ?? 0 }));
  return [
    {
      figure: "random scripts, crashed after every fact, on a file",
      value: `${SCRIPTS} scripts, ${lives} lives: ${violations}`,
      goal: `>= ${SCRIPTS} scripts, 0 violations`,
      pass: lives > SCRIPTS,
    },
    {
      figure: "what came to them",
      value: kinds.map(({ kind, times }) => `${times} ${kind}`).join(", "),
      goal: `each >= ${OFTEN}`,
      pass: kinds.every(({ times }) => times >= OFTEN),
    },
  ];
}
