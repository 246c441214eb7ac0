import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { explainBehind, explainTurn } from "../../src/session/explain.ts";
import { summaryLines } from "../../src/session/explain-summary.ts";
import { findTurn } from "../../src/session/find-turn.ts";
import { pictureOf } from "../../src/session/picture/picture-of.ts";
import { pictureSvg } from "../../src/session/picture/svg.ts";
import { openSqliteStore } from "../../src/store/sqlite/store.ts";
import { quoted } from "../picture/record.mjs";
import { setUp } from "../setup/set-up.mjs";

export const about = "turn explain, list and show --svg of a turn of 500 iterations behind 100,000 messages";

const ITERATIONS = 500;
const MESSAGES = 100_000;
const ROUNDS = 12;
/** ms: what somebody who asks does not wait for, of 500 iterations. */
const GOAL_MS = 100;

/** @typedef {import("../../src/protocol/store.ts").Writer} Writer */
/** @typedef {import("../../src/protocol/store.ts").Store} Store */

/**
 * @param {string} root
 * @returns {Promise<import("../show.mjs").Figure[]>}
 */
export async function measure(root) {
  const node = await setUp(root, { bundle: true });
  const folder = mkdtempSync(join(tmpdir(), "evander-explain-"));
  try {
    const path = join(folder, "evander.db");
    console.log(`writing ${MESSAGES.toLocaleString("en-US")} messages …`);
    await fill(path);
    const inside = (/** @type {(store: Store) => unknown} */ work) => fastest(() => withStore(path, work));
    const env = { ...process.env, EVANDER_HOME: folder };
    /** @param {string} turn */
    const asProgram = (turn) =>
      fastestProgram(`${quoted(node)} ${quoted(join(root, "bin", "evander.cjs"))} turn explain ${turn}`, env);
    const [short, long] = [asProgram("short"), asProgram("long")];
    return [
      within(`explain ${ITERATIONS} iterations, inside the process, CPU`, inside(explain)),
      within("turn list, 20 of all turns, inside the process, CPU", inside(list)),
      within(`show --svg of ${ITERATIONS} iterations, inside the process, CPU`, inside(draw)),
      {
        figure: "turn explain as a program, CPU, more than of a turn of one iteration",
        value: `${(long - short).toFixed(0)} ms (${long.toFixed(0)} ms / ${short.toFixed(0)} ms)`,
        goal: `<= ${GOAL_MS} ms`,
        pass: long - short <= GOAL_MS,
      },
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @param {string} figure @param {number} ms */
const within = (figure, ms) => ({
  figure,
  value: `${ms.toFixed(1)} ms`,
  goal: `<= ${GOAL_MS} ms`,
  pass: ms <= GOAL_MS,
});

/** Of the processor, ms, in the fastest run: what else goes on at the machine is no part of it. @param {() => void} work */
function fastest(work) {
  const times = Array.from({ length: ROUNDS }, () => {
    const begun = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(begun);
    return (user + system) / 1_000;
  });
  return Math.min(...times);
}

/**
 * The same of a program; the shell says it of what it has run.
 * @param {string} line
 * @param {NodeJS.ProcessEnv} env
 */
function fastestProgram(line, env) {
  const times = Array.from({ length: ROUNDS }, () => {
    const { stdout } = spawnSync("sh", ["-c", `${line} >/dev/null; times`], { env, encoding: "utf8" });
    const [, children = ""] = stdout.trim().split("\n");
    return [...children.matchAll(/(\d+)m([\d.]+)s/gu)].reduce(
      (ms, [, m, s]) => ms + 60_000 * Number(m) + 1_000 * Number(s),
      0,
    );
  });
  return Math.min(...times);
}

/** @param {string} path @param {(store: Store) => unknown} work */
function withStore(path, work) {
  const store = openSqliteStore({ path });
  try {
    work(store);
  } finally {
    store.close();
  }
}

/** @param {Store} store */
function turnIn(store) {
  const found = findTurn(store, "long");
  if (found.type !== "found") throw new Error("the turn is not there");
  return found.turn;
}

/** @param {Store} store All that the command does but writing. */
function explain(store) {
  const turn = turnIn(store);
  const alive = store.openTurns().length > 0;
  return [
    ...explainTurn(turn, { nowMs: Date.now(), alive, language: "en" }),
    ...explainBehind(turn, store.behind(turn.turnId), "en"),
    ...summaryLines(pictureOf(turn), "", "en"),
  ];
}

/** @param {Store} store */
const draw = (store) => pictureSvg(pictureOf(turnIn(store)), "en");

/** @param {Store} store */
function list(store) {
  let count = 0;
  for (const { turnId } of store.turns({})) {
    store.turn(turnId);
    if (++count === 20) return;
  }
}

/** @param {string} path */
async function fill(path) {
  const store = openSqliteStore({ path });
  const session = await store.open("long-session");
  const writer = session.writer(() => undefined);
  let seq = 0;
  /** @param {string} turnId @param {number} iterations */
  const turn = async (turnId, iterations) => {
    for (const fact of turnFacts(turnId, iterations, seq)) {
      writer.append(fact);
      // As a turn that runs commits: before each request at least.
      if (turnId === "long" && fact.type === "attempt-start") await writer.barrier();
    }
    seq += 2 + 3 * iterations;
    await writer.barrier();
  };
  for (let at = 0; seq < MESSAGES; at++) await turn(`turn-${at}`, 10);
  await turn("long", ITERATIONS);
  for (let at = 0; at < 20; at++) await turn(`later-${at}`, 3);
  await turn("short", 1);
  session.release();
  store.close();
}

/**
 * @param {string} turnId
 * @param {number} iterations
 * @param {number} seq
 * @returns {Generator<import("../../src/protocol/fact.ts").Fact>}
 */
function* turnFacts(turnId, iterations, seq) {
  const asked = /** @type {const} */ ({ role: "user", parts: [{ type: "text", text: "do it" }] });
  yield { type: "turn-start", turnId, seq, message: asked, model: "m", provider: "p", maxIterations: ITERATIONS };
  for (let at = 0; at < iterations; at++) {
    const calls = ["a", "b"].map((name) => `${turnId}-${name}${at}`);
    const place = seq + 1 + 3 * at;
    const parts = calls.map((callId) => ({
      type: /** @type {const} */ ("tool-call"),
      callId,
      name: "read_file",
      input: JSON.stringify({ path: `${callId}.txt` }),
    }));
    const usage = { input: 1_000 * (at + 1), output: 50, cacheRead: 0, cacheWrite: 0, reasoning: 0 };
    yield { type: "attempt-start", attempt: at + 1, iteration: at + 1, model: "m" };
    yield { type: "assistant-message", seq: place, message: { role: "assistant", parts }, finish: "tool_calls", usage };
    yield { type: "segment-start", callIds: calls, effect: "pure" };
    for (const [n, callId] of calls.entries()) yield receipt(callId, place + 1 + n);
  }
  const place = seq + 1 + 3 * iterations;
  yield { type: "attempt-start", attempt: iterations + 1, iteration: iterations + 1, model: "m" };
  yield {
    type: "assistant-message",
    seq: place,
    message: { role: "assistant", parts: [{ type: "text", text: "done" }] },
    finish: "stop",
  };
  yield { type: "turn-end", outcome: { exit: "text_response", answer: "done" } };
}

/**
 * @param {string} callId
 * @param {number} seq
 * @returns {import("../../src/protocol/fact.ts").Fact}
 */
const receipt = (callId, seq) => ({
  type: "receipt",
  seq,
  message: { role: "tool", callId, status: "ok", parts: [{ type: "text", text: "a line of a file\n".repeat(60) }] },
});
