import { monitorEventLoopDelay } from "node:perf_hooks";
import { DatabaseSync } from "node:sqlite";
import { openWhenFree } from "../../src/store/sqlite/open-when-free.ts";
import { FAILING_CALLS, wrongWith } from "../../test/system/failing-calls.ts";
import { FULL_DISKS, notSaid } from "../../test/system/full-disks.ts";
import { Bench, loseAgain, lossesOf, recordLives, wrongAfter } from "../../test/system/power-losses.ts";
import { needBubblewrap, onSmallDisk } from "../../test/system/small-disk.ts";
import { needStrace } from "../../test/system/strace.ts";
import { counter } from "../report/progress.mjs";
import { setUp } from "../setup/set-up.mjs";

export const about =
  "losses of power, full disks, failing calls and locks (needs strace and bubblewrap, about 3 minutes)";

/** security.md R4, R5, R6. */
const GOAL = { losses: 200, stallMs: 50 };
const LOSSES = 1_000;
const DOUBLE = 60;

/**
 * @param {string} root
 * @returns {Promise<import("../show.mjs").Figure[]>}
 */
export async function measure(root) {
  needStrace();
  needBubblewrap();
  await setUp(root, { bundle: true });
  return [...losses(), await full(), await failing(), await stall()];
}

function losses() {
  using bench = new Bench();
  const progress = counter("losses", LOSSES + DOUBLE);
  const lives = recordLives(bench);
  const seed = Number(process.env["SEED"] ?? 1);
  /** @type {string[][]} */
  const wrong = [[], []];
  for (const [nth, life] of lives.entries()) {
    for (const loss of lossesOf(life, seed + nth * LOSSES, Math.ceil(LOSSES / lives.length))) {
      wrong[0]?.push(...told(wrongAfter(bench, loss), `${life.name}, behind ${loss.at}`));
      progress.step();
    }
    for (const loss of lossesOf(life, seed + nth, DOUBLE / lives.length)) {
      wrong[1]?.push(...told(wrongAfter(bench, loseAgain(bench, loss)), `${life.name}, behind ${loss.at}, and again`));
      progress.step();
    }
  }
  progress.end();
  return [
    figure(
      `losses of power (SEED=${seed})`,
      LOSSES,
      wrong[0] ?? [],
      `0 of >= ${GOAL.losses} silently short or refused`,
    ),
    figure("losses of power, and again in recovery", DOUBLE, wrong[1] ?? [], "0"),
  ];
}

const told = (/** @type {string | undefined} */ wrong, /** @type {string} */ where) =>
  wrong === undefined ? [] : [`${where}: ${wrong}`];

async function full() {
  const wrong = [];
  for (const { says, name, ...disk } of FULL_DISKS) {
    const said = await onSmallDisk({ ...disk });
    if (notSaid(said, says) !== undefined) wrong.push(name);
  }
  return figure("small disks that are full", FULL_DISKS.length, wrong, "0 not told, not readable or not gone on with");
}

async function failing() {
  const wrong = [];
  for (const given of FAILING_CALLS) wrong.push(...(await wrongWith(given)));
  return figure("system calls that fail", FAILING_CALLS.length, wrong, "0 not told, lost or not gone on with");
}

/** Another connection holds the file for two seconds, while a store is opened and a message waits. */
async function stall() {
  using bench = new Bench();
  (await openWhenFree({ path: bench.path })).close();
  const locking = new DatabaseSync(bench.path);
  const lag = monitorEventLoopDelay({ resolution: 1 });
  locking.exec("begin exclusive");
  setTimeout(() => locking.exec("rollback"), 2_000);
  lag.enable();
  const store = await openWhenFree({ path: bench.path });
  locking.exec("begin exclusive");
  setTimeout(() => locking.exec("rollback"), 2_000);
  await store.open("s");
  lag.disable();
  store.close();
  locking.close();
  const ms = lag.max / 1e6;
  return {
    figure: "longest stall of the event loop while a lock is waited for, twice 2 s",
    value: `${ms.toFixed(1)} ms`,
    goal: `<= ${GOAL.stallMs} ms`,
    pass: ms <= GOAL.stallMs,
  };
}

/**
 * @param {string} what
 * @param {number} tried
 * @param {readonly string[]} wrong
 * @param {string} goal
 */
function figure(what, tried, wrong, goal) {
  for (const line of wrong) console.log(line);
  return { figure: what, value: `${tried}, wrong ${wrong.length}`, goal, pass: wrong.length === 0 };
}
