import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import type { Agent } from "../../src/index.ts";
import { bench, tool } from "../support/agent-in-folder.ts";
import { callTools, refuse, say } from "../support/wire-script.ts";
import { unmarked } from "../support/marks.ts";

const bodies = (bot: Agent, turnId = "last"): string[] => [...bot.store.requests(turnId)].map(({ body }) => body);

function sizesIn(folder: string): number[] {
  const db = new DatabaseSync(join(folder, "evander.db"), { readOnly: true });
  const rows = db.prepare("select length(added) as bytes from journal where tail is not null order by id").all();
  db.close();
  return rows.map((row) => Number(row["bytes"]));
}

const keptBytes = (folder: string): number => sizesIn(folder).reduce((sum, bytes) => sum + bytes, 0);

function openings(folder: string): number {
  const db = new DatabaseSync(join(folder, "evander.db"), { readOnly: true });
  const found = Number(db.prepare("select count(distinct opening) as n from journal").get()?.["n"]);
  db.close();
  return found;
}

const echo = tool("echo", (input) => Promise.resolve(`heard ${JSON.stringify(input)} 中文 "quoted"`));
const call = (id: string): ReturnType<typeof callTools> =>
  callTools([{ id, name: "echo", arguments: { text: "naïve 🚢" } }]);
const retry = { baseMs: 1, maxMs: 1 };

test("[X7] every request of a turn is kept byte for byte: retries, tool results, and the last word with its note", async () => {
  await using world = await bench(refuse(429, {}), call("a"), refuse(500, {}), call("b"), say("Enough."));
  const bot = world.agent({ tools: [echo], maxIterations: 2, retry });
  const { turnId, attempts } = await bot.run("go");
  expect(attempts).toBe(5);
  expect(bodies(bot, turnId ?? "")).toEqual(world.provider.requests.map(({ text }) => text));
  expect([...bot.store.requests("last")].map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4, 5]);
  expect(bodies(bot, "nothing")).toEqual([]);
});

test("[X7] another process goes on where the kept head ends: what is kept already is not kept twice", async () => {
  await using world = await bench(call("a"), say("One."), say("Two."), say("Three.", { newHead: true }));
  const first = world.agent({ tools: [echo] });
  await first.run("go", { sessionId: "s" });
  await first.close();
  const before = keptBytes(world.folder);
  const second = world.agent({ tools: [echo] });
  const { turnId } = await second.run("and then", { sessionId: "s" });
  expect(bodies(second, turnId ?? "")).toEqual([world.provider.requests[2]?.text]);
  // The answer to the first message, and the second.
  expect(keptBytes(world.folder) - before).toBeLessThan(100);
  // A head that began otherwise, here with other tools, is one of its own.
  await second.close();
  const third = world.agent({ tools: [] });
  await third.run("and now", { sessionId: "s" });
  expect(bodies(third)).toEqual([world.provider.requests[3]?.text]);
});

test("[X7] sessions that begin alike share what they begin with", async () => {
  await using world = await bench(say("One."), say("Two."));
  const bot = world.agent({ tools: [echo] });
  await bot.run("hello");
  await bot.run("hello");
  expect(openings(world.folder)).toBe(1);
  expect(sizesIn(world.folder)).toHaveLength(2);
});

test("[X7] a key that a tool printed goes no further; one that a person wrote is sent, and masked in what is kept", async () => {
  const key = "sk-secret-0123456789";
  await using world = await bench(call("a"), say("Done."));
  const leak = tool("echo", () => Promise.resolve(`KEY=${key}`));
  const bot = world.agent({ tools: [leak], apiKey: key });
  await bot.run(`use ${key}`);
  const sent = world.provider.requests.map(({ text }) => text);
  expect(unmarked(sent[1] ?? "")).toContain("KEY=***");
  expect(sent[1]).toContain(`use ${key}`);
  expect(bodies(bot).map(unmarked)).toEqual(sent.map((text) => unmarked(text.replaceAll(key, "***"))));
});

test("[X7] what is kept for an iteration does not grow with the history, nor much beyond its content", async () => {
  const iterations = 60;
  const output = "a line that a tool has read\n".repeat(40);
  const eight = (turn: number): ReturnType<typeof callTools> =>
    callTools(Array.from({ length: 8 }, (_, at) => ({ id: `c${turn}-${at}`, name: "read", arguments: { turn, at } })));
  await using world = await bench(...Array.from({ length: iterations }, (_, turn) => eight(turn)), say("Done."));
  const bot = world.agent({ tools: [tool("read", () => Promise.resolve(output))] });
  await bot.run("go");
  const sizes = sizesIn(world.folder);
  const grown = (from: number, to: number): number => sizes.slice(from, to).reduce((sum, bytes) => sum + bytes, 0);
  expect(grown(40, 60)).toBeLessThanOrEqual(grown(20, 40) * 1.02);
  expect(grown(40, 60) / 20).toBeLessThanOrEqual(8 * (output.length * 1.1 + 200) + 200);
});
