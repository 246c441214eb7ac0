import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { availableParallelism, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate, setTimeout } from "node:timers/promises";
import { text } from "node:stream/consumers";
import { openSqliteStore } from "../../src/store/sqlite/store.ts";
import { sessionSearchTool } from "../../src/tools/session-search.ts";
import { numbers } from "../setup/search-corpus.mjs";
import { fill, index, saying, write } from "../setup/search-store.mjs";

export const about = "searches over 100,000 messages while two processes write turns (minutes)";

const MESSAGES = Number(process.env["MESSAGES"] ?? 100_000);
const OF_A_KIND = 25;
/** issue 8; p95, ms */
const GOAL_MS = 50;
const QUIET_MS = 3_000;
/** Bytes of the file for a byte of what was said. */
const FACTOR_GOAL = 4;

/**
 * @returns {Promise<import("../show.mjs").Figure[]>}
 */
export async function measure() {
  const folder = mkdtempSync(join(tmpdir(), "evander-search-"));
  try {
    const path = join(folder, "evander.db");
    const started = performance.now();
    const bytes = await fill(path, MESSAGES);
    index(path);
    const mega = (/** @type {number} */ n) => `${(n / 1e6).toFixed(0)} MB`;
    const size = statSync(path).size;
    console.error(
      `${MESSAGES} messages, ${mega(bytes)}: ${((performance.now() - started) / 1_000).toFixed(0)} s to write and index`,
    );
    const factor = size / bytes;
    return [
      ...(await searched(path)),
      {
        figure: "the file for what was said",
        value: `${factor.toFixed(2)}x (${mega(size)} / ${mega(bytes)})`,
        goal: `<= ${FACTOR_GOAL}x`,
        pass: factor <= FACTOR_GOAL,
      },
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * @param {string} path
 * @returns {Promise<import("../show.mjs").Figure[]>}
 */
async function searched(path) {
  const beside = spawn(process.execPath, [join(import.meta.dirname, "..", "setup", "search-writer.mjs"), path], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const told = text(beside.stdout);
  // Where it dies, what it told shows it.
  beside.stdin.on("error", () => {});
  const store = openSqliteStore({ path });
  /** @type {{ stopped: boolean, times: number[] }} */
  const work = { stopped: false, times: [] };
  const written = write(store, "here", work);
  await setTimeout(QUIET_MS);
  const quiet = work.times.splice(0);
  console.error(`${(loadavg()[0] ?? 0).toFixed(1)} of ${availableParallelism()} processors are busy`);
  beside.stdin.write("\n");
  const kinds = await searches(store);
  beside.stdin.end("\n");
  work.stopped = true;
  await Promise.all([written, once(beside, "close")]);
  store.close();
  const [theirQuiet, theirs] = JSON.parse(await told);
  const all = kinds.flatMap(({ times }) => times);
  const processor = kinds.flatMap((kind) => kind.processor);
  return [
    ...[...kinds, { kind: `all ${all.length}`, times: all, processor }].map(({ kind, times, ...each }) => ({
      figure: `search: ${kind}`,
      value: `${spread(times)}; p95 of the processor's time ${at(each.processor, 0.95).toFixed(1)}`,
      goal: `p95 <= ${GOAL_MS} ms`,
      pass: at(times, 0.95) <= GOAL_MS,
    })),
    commits("commits here", quiet, work.times),
    commits("commits of the other process", theirQuiet, theirs),
  ];
}

/**
 * @param {import("../../src/protocol/store.ts").Store} store
 * @returns {Promise<{ kind: string, times: number[], processor: number[] }[]>}
 */
async function searches(store) {
  const search = sessionSearchTool(store);
  const signal = new AbortController().signal;
  const context = { callId: "c", sessionId: "here", history: [], signal, output: () => {} };
  const found = [];
  for (const [kind, queries] of Object.entries(queriesOf())) {
    const times = [];
    const processor = [];
    for (const query of queries) {
      const start = performance.now();
      const before = process.threadCpuUsage();
      await search.run({ query }, context);
      const { user, system } = process.threadCpuUsage(before);
      processor.push((user + system) / 1_000);
      times.push(performance.now() - start);
      // The turns of this process go on between two searches, as they do between the calls of a tool.
      await setTimeout(5);
      await setImmediate();
    }
    found.push({ kind, times, processor });
  }
  return found;
}

/** Taken from what was said, so that they stand where they would. */
function queriesOf() {
  const random = numbers(3);
  /** @type {(chinese: boolean) => string} */
  const said = (chinese) => {
    for (let seq = 2; ; seq += 2) {
      const text = saying(random, seq);
      if (/[\u4E00-\u9FFF]/u.test(text) === chinese) return text;
    }
  };
  const word = () => pick(said(false).match(/[a-z]{4,}/gu) ?? [], random);
  /** @type {(length: number) => string} */
  const piece = (length) => {
    const runs = said(true).match(/[\u4E00-\u9FFF]{6,}/gu) ?? [];
    return pick(runs, random).slice(0, length);
  };
  /** @type {(count: number) => string} */
  const phrase = (count) => {
    const words = said(false).split(" ");
    const from = random(words.length - count);
    return `"${words.slice(from, from + count).join(" ")}"`;
  };
  const frequent =
    "the of and to a in is that for it on with as was be by this are from or at file error test build".split(" ");
  /** @type {(make: (n: number) => string) => string[]} */
  const some = (make) => Array.from({ length: OF_A_KIND }, (_, n) => make(n));
  return {
    "one word": some(() => word()),
    "two words": some(() => `${word()} ${word()}`),
    "very frequent words": some((n) => `${frequent[n]} ${frequent[(n * 7 + 3) % 25]}`),
    "a phrase": some((n) => phrase(2 + (n % 3))),
    "frequent words in a row": some((n) => `"${frequent[n]} ${frequent[(n + 1) % 25]} ${frequent[(n + 2) % 25]}"`),
    "the beginning of a word": some((n) => `${word().slice(0, 1 + (n % 4))}*`),
    "OR, AND, NOT": some((n) => `${word()} OR ${frequent[n]} AND ${word()} NOT ${word()}`),
    "a name of a file": some(() => pick(said(false).match(/\w+\.ts/gu) ?? ["a.ts"], random)),
    "Chinese, three and more": some((n) => piece(3 + (n % 4))),
    "Chinese, two": some(() => piece(2)),
    "Chinese, one": some(() => piece(1)),
    "Chinese and a word": some((n) => `${piece(1 + (n % 3))} ${word()}`),
    "nothing there": some((n) => (n % 2 === 0 ? `${word()}q${word()}` : `${piece(2)}龘`)),
    "marks alone, pictures": some((n) => ["🎉", "%", "—", "🚀", "_"][n % 5] ?? ""),
  };
}

/**
 * @param {readonly string[]} list
 * @param {(below: number) => number} random
 */
const pick = (list, random) => list[random(list.length)] ?? "";

/**
 * @param {readonly number[]} times
 * @param {number} share
 */
const at = (times, share) =>
  [...times].sort((a, b) => a - b)[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0;

/** @param {readonly number[]} times */
const spread = (times) =>
  `p50 ${at(times, 0.5).toFixed(1)}, p95 ${at(times, 0.95).toFixed(1)}, max ${at(times, 1).toFixed(1)} ms`;

/**
 * @param {string} figure
 * @param {readonly number[]} quiet
 * @param {readonly number[]} searching
 */
function commits(figure, quiet, searching) {
  return {
    figure: `${figure}, while searches run`,
    value: `${spread(searching)}; without: ${spread(quiet)}`,
    goal: `p50 within 1 ms, p95 <= ${GOAL_MS} ms`,
    pass: at(searching, 0.5) - at(quiet, 0.5) <= 1 && at(searching, 0.95) <= GOAL_MS,
  };
}
