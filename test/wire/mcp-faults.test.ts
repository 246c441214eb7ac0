import { expect, test } from "vitest";
import type { Clock } from "../../src/protocol/ports.ts";
import { systemClock } from "../../src/session/system-clock.ts";
import { goesSoon } from "../support/gone.ts";
import { callIn, contextOf, McpPlace, toolIn } from "../support/mcp.ts";

/** Every process that a server has had. */
async function allGone(place: McpPlace, fault: string): Promise<boolean> {
  const pids = [...place.pids(fault), ...place.pids(fault, "child")];
  for (const pid of pids) if (!(await goesSoon(pid))) return false;
  return pids.length > 0;
}

/** Resolves when a server has come so far. */
async function noted(place: McpPlace, fault: string, what: string): Promise<void> {
  while (!place.notes(fault).some((line) => line.startsWith(what)))
    await new Promise((resolve) => setImmediate(resolve));
}

test("[R26] [A17] [MCP-08] a server that ends as it begins is told once with its last words, tried five times more, and harms no other", async () => {
  await using place = new McpPlace();
  let nowMs = 0;
  const clock: Clock = { ...systemClock, elapsed: () => nowMs };
  const desk = place.desk([place.faulty("exits-at-init"), place.faulty("none")], { clock });
  for (let turn = 0; turn < 12; turn++) {
    expect((await desk.tools(["mcp__exits-at-init__echo"])).map(({ name }) => name)).toEqual([
      "mcp__none__echo",
      "mcp__none__reads",
    ]);
    nowMs += 45_000;
  }
  expect(place.pids("exits-at-init")).toHaveLength(6);
  expect(place.told).toEqual([["exits-at-init", expect.stringMatching(/code 3.*no database here/u)]]);
  expect(desk.status()).toMatchObject([{ state: "off", why: expect.any(String), tools: [] }, { state: "ready" }]);
  expect(await callIn(await desk.tools(), "mcp__none__echo")).toBe("echo {}");
}, 60_000);

test("[A17] [R26] a server that never begins delays one turn, for a moment, and no other; it ends with its program", async () => {
  await using place = new McpPlace();
  const slept: number[] = [];
  const clock: Clock = {
    now: () => 0,
    elapsed: () => 0,
    sleep: (ms, signal) => {
      slept.push(ms);
      return ms <= 500 ? Promise.resolve() : systemClock.sleep(ms, signal);
    },
  };
  const desk = place.desk([place.faulty("never-begins")], { clock, waitMs: 500 });
  expect(await desk.tools()).toEqual([]);
  expect(await desk.tools()).toEqual([]);
  expect(slept.filter((ms) => ms === 500)).toHaveLength(1);
  expect(desk.status()).toMatchObject([{ state: "connecting" }]);
  await desk.close();
  expect(place.told).toEqual([]);
}, 60_000);

test("[A17] [R26] a slow server has a limit: then it is told of, and nothing of it runs on", async () => {
  await using place = new McpPlace();
  const desk = place.desk([place.faulty("never-begins", { initMs: 1_500 })]);
  expect(await desk.tools()).toEqual([]);
  expect(place.told).toEqual([["never-begins", expect.stringContaining("nothing came within")]]);
  for (const pid of place.pids("never-begins")) expect(await goesSoon(pid)).toBe(true);
}, 60_000);

test.for([
  ["exits-in-call", 30_000, /code 4/u],
  ["floods", 30_000, /32 MB without an answer/u],
  ["long-line", 30_000, /a line of more than 10485760 bytes/u],
  ["silent", 700, /nothing came within/u],
  ["wrong-id", 700, /nothing came within/u],
  ["ignores-term", 700, /nothing came within/u],
] as const)(
  "[R26] [MCP-04] a server that is %s fails the call with the reason, is not asked twice, harms no other, and is gone with all it has started",
  { timeout: 60_000 },
  async ([fault, callMs, reason]) => {
    await using place = new McpPlace();
    const desk = place.desk([place.faulty(fault, { callMs }), place.faulty("none")]);
    const tools = await desk.tools();
    const before = process.memoryUsage().rss;
    await expect(callIn(tools, `mcp__${fault}__echo`)).rejects.toThrow(reason);
    expect(process.memoryUsage().rss - before).toBeLessThan(200 * 1024 * 1024);
    await noted(place, fault, "call echo");
    expect(place.notes(fault).filter((line) => line === "call echo")).toHaveLength(1);
    expect(await callIn(tools, "mcp__none__echo")).toBe("echo {}");
    await desk.close();
    expect(await allGone(place, fault)).toBe(true);
  },
);

test("[R26] what a server does in one life answers no call of another; what its owner calls the same twice is asked again", async () => {
  await using place = new McpPlace();
  let nowMs = 0;
  const clock: Clock = { ...systemClock, elapsed: () => nowMs };
  const desk = place.desk([place.faulty("exits-in-call", { parallel: true })], { clock });
  const tools = await desk.tools();
  expect(toolIn(tools, "mcp__exits-in-call__reads")).toMatchObject({ effect: "idempotent", concurrency: "shared" });
  // It failed a moment ago: the first call after that fails at once, with the reason.
  await expect(callIn(tools, "mcp__exits-in-call__echo")).rejects.toThrow(/code 4/u);
  await expect(callIn(tools, "mcp__exits-in-call__echo")).rejects.toThrow(/cannot be reached: it ended \(code 4\)/u);
  expect(place.pids("exits-in-call")).toHaveLength(1);
  nowMs += 5_000;
  expect(await callIn(tools, "mcp__exits-in-call__reads")).toBe("echo {}");
  expect(place.pids("exits-in-call")).toHaveLength(2);
  // It has not changed meanwhile, so neither has what a turn is told.
  expect(await desk.tools()).toEqual(tools);
}, 60_000);

test.for([["garbage"], ["stderr-flood"], ["zombies"]] as const)(
  "[R26] [MCP-08] a server with %s works, and nothing of it is left",
  { timeout: 60_000 },
  async ([fault]) => {
    await using place = new McpPlace();
    const desk = place.desk([place.faulty(fault)]);
    expect(await callIn(await desk.tools(), `mcp__${fault}__echo`)).toBe("echo {}");
    await desk.close();
    expect(await allGone(place, fault)).toBe(true);
  },
);

test("[R26] a server of another protocol is refused by name", async () => {
  await using place = new McpPlace();
  expect(await place.desk([place.faulty("wrong-protocol")]).tools()).toEqual([]);
  expect(place.told).toEqual([["wrong-protocol", expect.stringMatching(/protocol.*1871/iu)]]);
  expect(await allGone(place, "wrong-protocol")).toBe(true);
}, 60_000);

test("[R26] [A3] a thousand changes of a list are one look at it, when the next turn begins", async () => {
  await using place = new McpPlace();
  const desk = place.desk([place.faulty("none")]);
  const tools = await desk.tools();
  await callIn(tools, "mcp__none__echo", { storm: 1_000, grow: "late" });
  expect(place.notes("none").filter((line) => line === "list")).toHaveLength(1);
  expect((await desk.tools()).map(({ name }) => name)).toEqual([
    "mcp__none__echo",
    "mcp__none__late",
    "mcp__none__reads",
  ]);
  expect(place.notes("none").filter((line) => line === "list")).toHaveLength(2);
}, 60_000);

test("[R13] [I5] a call that is stopped ends at once, and its server is told so", async () => {
  await using place = new McpPlace();
  const tools = await place.desk([place.faulty("silent")]).tools();
  const stop = new AbortController();
  const stopped = Promise.allSettled([toolIn(tools, "mcp__silent__echo").run({}, contextOf(stop.signal))]);
  await noted(place, "silent", "call echo");
  stop.abort(new Error("stopped"));
  expect(await stopped).toMatchObject([{ status: "rejected", reason: { message: "stopped" } }]);
  await noted(place, "silent", "cancelled");
}, 60_000);

test("[I5] what a server tells of its progress is shown", async () => {
  await using place = new McpPlace();
  const tools = await place.desk([place.faulty("progress")]).tools();
  const shown: string[] = [];
  const context = contextOf(new AbortController().signal, (text) => shown.push(text));
  await toolIn(tools, "mcp__progress__echo").run({}, context);
  expect(shown).toEqual(["1 of 3: step 1\n", "2 of 3: step 2\n", "3 of 3: step 3\n"]);
}, 60_000);

test("[MCP-06] [I5] a server that is closed stays closed: its late end begins nothing, and nobody is told of it", async () => {
  await using place = new McpPlace();
  const desk = place.desk([place.faulty("none")]);
  const tools = await desk.tools();
  await desk.close();
  expect(desk.status()).toMatchObject([{ state: "off" }]);
  await expect(callIn(tools, "mcp__none__echo")).rejects.toThrow("cannot be reached");
  expect(await desk.tools()).toEqual([]);
  expect(place.pids("none")).toHaveLength(1);
  expect(place.told).toEqual([]);
}, 60_000);
