import { setUp } from "../setup/set-up.mjs";
import { campaign, replay, replayLine } from "../../test/cli/fuzz/campaign.ts";

export const about = "500 command lines of chance that fail: form, code, cause, next step, time (2 minutes)";

const COUNT = 500;
/** Every so many-th is a process of its own. */
const PROCESS_EVERY = 5;
/** Of a run by itself; `CLI_FUZZ=SEED` takes another one, `CLI_FUZZ=SEED/INDEX` one command line of it. */
const SEED = 1;

/**
 * @param {string} root
 * @returns {Promise<import("../show.mjs").Figure[]>}
 */
export async function measure(root) {
  await setUp(root, { bundle: true });
  const [seed = SEED, index, as] = (process.env["CLI_FUZZ"] ?? String(SEED)).split("/");
  if (index !== undefined) return [figureOf([await again(Number(seed), Number(index), as === "process")], 1)];
  /** @type {import("../../test/cli/fuzz/campaign.ts").Failing[]} */
  const all = [];
  for await (const failing of campaign({ seed: Number(seed), count: COUNT, processEvery: PROCESS_EVERY })) {
    all.push(failing);
    if (failing.breaches.length === 0) continue;
    console.log(`FAIL  ${JSON.stringify(failing.invocation.argv)}\n      ${failing.breaches.join("; ")}`);
    console.log(`      ${replayLine(Number(seed), failing)}`);
  }
  const codes = Map.groupBy(all, ({ outcome }) => outcome.code);
  const counts = [...codes].map(([code, of]) => `${code}: ${of.length}`).toSorted();
  console.log(`seed ${seed}; exit codes ${counts.join(", ")}`);
  return [figureOf(all, COUNT), slowest(all), shareOfProcesses(all)];
}

/**
 * @param {number} seed
 * @param {number} index
 * @param {boolean} asProcess
 */
async function again(seed, index, asProcess) {
  const failing = await replay(seed, index, asProcess);
  const { invocation, outcome } = failing;
  console.log(JSON.stringify({ ...invocation, stdin: String(invocation.stdin) }, undefined, 2));
  console.log(
    `code ${outcome.code} after ${Math.round(outcome.ms)} ms\nstdout:\n${outcome.stdout}\nstderr:\n${outcome.stderr}`,
  );
  for (const breach of failing.breaches) console.log(`FAIL  ${breach}`);
  return failing;
}

/**
 * @param {readonly import("../../test/cli/fuzz/campaign.ts").Failing[]} all
 * @param {number} count
 * @returns {import("../show.mjs").Figure}
 */
function figureOf(all, count) {
  const held = all.filter(({ breaches }) => breaches.length === 0).length;
  return {
    figure: "failing command lines that keep every promise",
    value: `${held} of ${all.length}`,
    goal: `all of ${count}`,
    pass: held === count,
  };
}

/**
 * @param {readonly import("../../test/cli/fuzz/campaign.ts").Failing[]} all
 * @returns {import("../show.mjs").Figure}
 */
function slowest(all) {
  const ms = Math.max(...all.map(({ outcome }) => outcome.ms));
  return { figure: "the slowest of them", value: `${(ms / 1000).toFixed(1)} s`, goal: "<= 10 s", pass: ms <= 10_000 };
}

/**
 * @param {readonly import("../../test/cli/fuzz/campaign.ts").Failing[]} all
 * @returns {import("../show.mjs").Figure}
 */
function shareOfProcesses(all) {
  const count = all.filter(({ process }) => process).length;
  return { figure: "run as processes of their own", value: String(count), goal: ">= 50", pass: count >= 50 };
}
