import { join } from "node:path";
import { openSqliteStore } from "../../src/store/sqlite/store.ts";
import { Place, resultOf } from "../../test/scenario/program.ts";
import { EndlessProvider } from "../../test/support/endless-provider.ts";
import { say } from "../../test/support/wire-script.ts";

export const about = "a killed turn taken up again, in a store of 100,000 messages: all in its session, and in others";

const MESSAGES = 100_000;
const GOAL_MS = 2_000;
const ROUNDS = 5;
/** Of one turn here: what was asked, a call, its receipt, the answer. */
const OF_A_TURN = 4;

/** @returns {Promise<import("../show.mjs").Figure[]>} */
export async function measure() {
  return [
    await slowest("all of them in the session, most of them left out of its requests", 1),
    await slowest("in 1,000 other sessions", 1_000),
  ];
}

/**
 * @param {string} where
 * @param {number} sessions
 * @returns {Promise<import("../show.mjs").Figure>}
 */
async function slowest(where, sessions) {
  const place = new Place();
  let requestedMs = 0;
  const provider = new EndlessProvider(() => ({ ...say("went on"), newHead: true }), {
    onRequest: () => {
      requestedMs = performance.now();
    },
  });
  try {
    await provider.server.listen();
    const { baseUrl } = provider.server;
    console.error(`evander: writing ${MESSAGES} messages …`);
    await fill(place, sessions);
    const times = [];
    for (let round = 0; round < ROUNDS; round++) {
      const killed = await place.run(
        baseUrl,
        ["-p", `go ${round}`, ...(sessions === 1 || round > 0 ? ["--resume", "last"] : [])],
        {
          killAt: "after-commit:attempt-start",
        },
      );
      if (killed.signal !== "SIGKILL") throw new Error(`it was not killed: ${killed.stderr}`);
      const startedMs = performance.now();
      const resumed = await place.run(baseUrl, ["session", "resume", "last", "--continue", "--output", "json"]);
      if (resultOf(resumed).answer !== "went on") throw new Error(`it did not go on: ${resumed.stderr}`);
      times.push(requestedMs - startedMs);
    }
    const worst = Math.max(...times);
    return {
      figure: `from the command to the request of the resumed turn, the slowest of ${ROUNDS}; ${where}`,
      value: `${Math.round(worst)} ms`,
      goal: `<= ${GOAL_MS} ms`,
      pass: worst <= GOAL_MS,
    };
  } finally {
    await provider.close();
    place.remove();
  }
}

/**
 * @param {Place} place
 * @param {number} sessions
 */
async function fill(place, sessions) {
  const store = openSqliteStore({ path: join(place.home, "evander.db") });
  const each = MESSAGES / sessions;
  for (let n = 0; n < sessions; n++)
    await store.restore({ sessionId: `old-${n}`, title: `Old ${n}`, createdMs: n, facts: factsOf(`old-${n}`, each) });
  store.close();
}

/**
 * @param {string} session
 * @param {number} messages
 * @returns {Generator<import("../../src/protocol/store.ts").TimedFact>}
 */
function* factsOf(session, messages) {
  for (let seq = 0; seq < messages; seq += OF_A_TURN) {
    const facts = turn(`${session}-${seq}`, seq);
    // Of a long talk only the end is sent.
    if (seq + OF_A_TURN >= messages) facts.splice(1, 0, leftOut(seq));
    for (const fact of facts) yield { atMs: seq + 1, fact };
  }
}

/**
 * @param {number} seq
 * @returns {import("../../src/protocol/fact.ts").Fact}
 */
const leftOut = (seq) => ({
  type: "history-compacted",
  compaction: { through: seq + 1, from: Math.max(0, seq - 40), instruction: seq, cutBefore: 0 },
});

/**
 * @param {string} turnId
 * @param {number} seq
 * @returns {import("../../src/protocol/fact.ts").Fact[]}
 */
function turn(turnId, seq) {
  const text = "Some words as people and models write them, about a file and what stands in it. ".repeat(2);
  const call = {
    type: /** @type {const} */ ("tool-call"),
    callId: `c${seq}`,
    name: "read_file",
    input: '{"path":"a.txt"}',
  };
  return [
    {
      type: "turn-start",
      turnId,
      seq,
      message: { role: "user", parts: [{ type: "text", text }] },
      model: "m",
      provider: "mine",
      maxIterations: 90,
    },
    { type: "attempt-start", attempt: 1, iteration: 1, model: "m" },
    {
      type: "assistant-message",
      seq: seq + 1,
      message: { role: "assistant", parts: [call] },
      finish: "tool_calls",
      inspections: [{ effect: "pure", claim: { mode: "shared" } }],
    },
    { type: "segment-start", callIds: [call.callId], effect: "pure" },
    {
      type: "receipt",
      seq: seq + 2,
      message: { role: "tool", callId: call.callId, status: "ok", parts: [{ type: "text", text }] },
    },
    { type: "attempt-start", attempt: 2, iteration: 2, model: "m" },
    {
      type: "assistant-message",
      seq: seq + 3,
      message: { role: "assistant", parts: [{ type: "text", text }] },
      finish: "stop",
    },
    { type: "turn-end", outcome: { exit: "text_response", answer: text } },
  ];
}
