import { replayTurn } from "../../src/agent/replaying.ts";
import { Recording } from "../../test/dialects/recorded-turns.ts";
import { SUBJECTS } from "../../test/dialects/subjects.ts";
import { counter } from "../report/progress.mjs";

export const about =
  "1,000 turns of every dialect run again against their records: texts, tools, retries, arrivals, compactions, crashes (a minute)";

const ROUNDS = 16;
/** Issue row X7: replays in a minute. */
const GOAL = 1_000;
const MINUTE_MS = 60_000;

/**
 * @returns {Promise<import("../show.mjs").Figure[]>}
 */
export async function measure() {
  const seen = { turns: 0, facts: 0, requests: 0, ms: 0 };
  /** @type {string[]} */
  const different = [];
  /** @type {string[]} */
  const unchecked = [];
  const progress = counter("rounds of turns", SUBJECTS.length * ROUNDS);
  for (const side of SUBJECTS) {
    await using recording = await Recording.begin(side);
    for (let round = 0; round < ROUNDS; round++, progress.step()) await recording.round();
    const { store, turnIds } = recording;
    for (const id of turnIds) {
      const began = performance.now();
      const replay = await replayTurn(store, id);
      seen.ms += performance.now() - began;
      const what = `${side.wire.mode}, ${replay?.sessionId}: ${JSON.stringify(replay)}`;
      if (replay === undefined || replay.unchecked.length > 0) unchecked.push(what);
      if (replay?.difference) different.push(what);
      seen.turns++;
      seen.facts += replay?.facts ?? 0;
      seen.requests += replay?.requests ?? 0;
    }
  }
  progress.end();
  for (const line of [...different, ...unchecked].slice(0, 10)) console.log(line);
  const inAMinute = Math.round((seen.turns / seen.ms) * MINUTE_MS);
  return [
    {
      figure: "replays in a minute",
      value: `${inAMinute} (${seen.turns} turns in ${(seen.ms / 1000).toFixed(1)} s)`,
      goal: `>= ${GOAL}, of >= ${GOAL} turns`,
      pass: inAMinute >= GOAL && seen.turns >= GOAL,
    },
    {
      figure: "turns that came out otherwise",
      value: `${different.length} (${seen.facts} facts, ${seen.requests} requests in ${SUBJECTS.length} dialects)`,
      goal: "0",
      pass: different.length === 0,
    },
    {
      figure: "turns that could not be run again whole",
      value: String(unchecked.length),
      goal: "0",
      pass: unchecked.length === 0,
    },
  ];
}
