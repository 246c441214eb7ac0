import { performance } from "node:perf_hooks";
import { goesSoon } from "../../test/support/gone.ts";
import { callIn, McpPlace } from "../../test/support/mcp.ts";

export const about = "MCP servers that go wrong in twelve ways, with the limits as they are (R26)";

/** A limit is noticed a moment after it: security.md R26 says 30 s for a call. */
const LIMIT_MS = 31_000;
const MOST_MB = 200;
const MOST_STARTS = 6;

/** Those that fail a call, and those that a call comes through all the same. */
const FAILING = ["exits-in-call", "floods", "long-line", "silent", "wrong-id", "ignores-term"];
const NEVER = ["exits-at-init", "never-begins", "wrong-protocol"];
const WORKING = ["garbage", "stderr-flood", "zombies", "none"];

/**
 * All at once: one that goes wrong must not hold up the others.
 * @returns {Promise<import("../show.mjs").Figure[]>}
 */
export async function measure() {
  await using place = new McpPlace();
  const before = process.memoryUsage().rss;
  let peak = before;
  const watch = setInterval(() => (peak = Math.max(peak, process.memoryUsage().rss)), 50);
  const desk = place.desk(
    [...FAILING, ...NEVER, ...WORKING].map((fault) => place.faulty(fault)),
    { waitMs: 3_000 },
  );
  const tools = await desk.tools();
  /** @param {string} fault */
  const call = async (fault) => {
    const start = performance.now();
    const said = await callIn(tools, `mcp__${fault}__echo`, { storm: 1_000 }).then(
      () => "answered",
      (/** @type {Error} */ error) => error.message,
    );
    return { fault, said, ms: performance.now() - start };
  };
  const calls = await Promise.all([...FAILING, ...WORKING].map(call));
  for (let turn = 0; turn < 10; turn += 1) await desk.tools();
  clearInterval(watch);
  await desk.close();
  const faults = [...FAILING, ...NEVER, ...WORKING];
  const pids = faults.flatMap((fault) => [...place.pids(fault), ...place.pids(fault, "child")]);
  const left = (await Promise.all(pids.map(goesSoon))).filter((gone) => !gone).length;
  const failed = calls.filter(({ fault }) => FAILING.includes(fault));
  const worked = calls.filter(({ fault }) => WORKING.includes(fault));
  const slowest = Math.max(...failed.map(({ ms }) => ms));
  const starts = Math.max(...faults.map((fault) => place.pids(fault).length));
  const mb = (peak - before) / 1024 / 1024;
  return [
    {
      figure: "calls that fail, with a reason",
      value: `${failed.filter(({ said }) => said !== "answered" && said !== "").length} of ${failed.length}, the slowest after ${(slowest / 1_000).toFixed(1)} s`,
      goal: `all, within ${LIMIT_MS / 1_000} s`,
      pass: failed.every(({ said, ms }) => said !== "answered" && said !== "" && ms <= LIMIT_MS),
    },
    {
      figure: "calls of the others",
      value: `${worked.filter(({ said }) => said === "answered").length} of ${worked.length} answered`,
      goal: "all",
      pass: worked.every(({ said }) => said === "answered"),
    },
    { figure: "starts of one server", value: `${starts}`, goal: `<= ${MOST_STARTS}`, pass: starts <= MOST_STARTS },
    { figure: "memory more", value: `${mb.toFixed(0)} MB`, goal: `<= ${MOST_MB} MB`, pass: mb <= MOST_MB },
    { figure: "processes left", value: `${left} of ${pids.length}`, goal: "0", pass: left === 0 },
  ];
}
