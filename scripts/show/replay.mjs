import { replayTurn } from "../../src/agent/replaying.ts";
import { Recording } from "../../test/dialects/recorded-turns.ts";
import { SUBJECTS } from "../../test/dialects/subjects.ts";
import { counter } from "../report/progress.mjs";

export const about =
  "1,000 turns of every dialect run again against their records: texts, tools, retries, arrivals, compactions, crashes (a minute)";

const ROUNDS = 16;
/** Row X7: replays in a minute. */
const GOAL = 1_000;
const MINUTE_MS = 60_000;

/**
 * What came of all replays.
 * @typedef {{ turns: number, facts: number, requests: number, ms: number, different: string[], unchecked: string[] }} Seen
 */

/**
 * @param {Recording} recording
 * @param {Seen} seen
 */
async function replayAll({ store, turnIds }, seen) {
  for (const id of turnIds) {
    const began = performance.now();
    const replay = await replayTurn(store, id);
    seen.ms += performance.now() - began;
    seen.turns++;
    if (replay === undefined || replay.unchecked.length > 0) seen.unchecked.push(`${id}: ${JSON.stringify(replay)}`);
    if (replay === undefined) continue;
    if (replay.difference !== null) seen.different.push(JSON.stringify(replay));
    seen.facts += replay.facts;
    seen.requests += replay.requests;
  }
}

/**
 * @returns {Promise<import("../show.mjs").Figure[]>}
 */
export async function measure() {
  /** @type {Seen} */
  const seen = { turns: 0, facts: 0, requests: 0, ms: 0, different: [], unchecked: [] };
  const progress = counter("rounds of turns", SUBJECTS.length * ROUNDS);
  for (const side of SUBJECTS) {
    await using recording = await Recording.begin(side);
    for (let round = 0; round < ROUNDS; round++, progress.step()) await recording.round();
    await replayAll(recording, seen);
  }
  progress.end();
  const { turns, facts, requests, ms, different, unchecked } = seen;
  for (const line of [...different, ...unchecked].slice(0, 10)) console.log(line);
  const inAMinute = Math.round((turns / ms) * MINUTE_MS);
  return [
    {
      figure: "replays in a minute",
      value: `${inAMinute} (${turns} turns in ${(ms / 1000).toFixed(1)} s)`,
      goal: `>= ${GOAL}, of >= ${GOAL} turns`,
      pass: inAMinute >= GOAL && turns >= GOAL,
    },
    {
      figure: "turns that came out otherwise",
      value: `${different.length} (${facts} facts, ${requests} requests in ${SUBJECTS.length} dialects)`,
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
