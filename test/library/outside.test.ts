import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Agent, AgentOptions } from "../../src/index.ts";
import type { ReceiptFact } from "../../src/protocol/fact.ts";
import { builtInTools } from "../../src/tools/built-in.ts";
import { bench, type Bench } from "../support/agent-in-folder.ts";
import { callTools, say } from "../support/wire-script.ts";

type Given = readonly [name: string, input: object];

const STOP = "Stop: do not try it again";
let id = 0;
const calls = (...given: readonly Given[]) =>
  callTools(given.map(([name, input]) => ({ id: `c${id++}`, name, arguments: JSON.stringify(input) })));

function botIn(on: Bench, approvals: AgentOptions["approvals"]): Agent {
  const cwd = join(on.folder, "work");
  mkdirSync(join(cwd, "sub"), { recursive: true });
  writeFileSync(join(on.folder, "other.txt"), "other\n");
  return on.agent({ tools: builtInTools({ cwd, home: on.folder, env: {} }), ...(approvals && { approvals }) });
}

const receipts = (on: Bench): readonly ReceiptFact[] => on.facts().filter((fact) => fact.type === "receipt");
const stops = (on: Bench): readonly boolean[] =>
  receipts(on).map(({ message }) => message.parts.some((part) => part.type === "text" && part.text.includes(STOP)));

const READ: Given = ["read_file", { path: "../other.txt" }];
const CAT: Given = ["terminal", { command: "cat ../other.txt" }];
const WRITE: Given = ["write_file", { path: "sub/../../other.txt", content: "x" }];

test("[E9] the third try at one place outside, by whatever tools, is told to stop and to ask the user", async () => {
  await using on = await bench(calls(READ), calls(CAT), calls(WRITE), say("What now?"));
  await botIn(on, "never").run("go");
  expect(stops(on)).toEqual([false, false, true]);
  expect(receipts(on).map(({ message }) => message.status)).toEqual(["denied", "denied", "denied"]);
});

test("[E9] the calls of one reply do not count for each other, but for the next one; each place counts for itself", async () => {
  const elsewhere: Given = ["read_file", { path: "../another.txt" }];
  await using on = await bench(calls(READ, CAT, WRITE, elsewhere), calls(elsewhere, READ), say("What now?"));
  await botIn(on, "never").run("go");
  expect(stops(on)).toEqual([false, false, false, false, true, false]);
});

test("[E9] nobody is asked a third time about one place that was refused twice", async () => {
  await using on = await bench(calls(READ), calls(CAT), calls(WRITE), say("What now?"));
  const turn = botIn(on, "ask").start("go");
  let asks = 0;
  for await (const event of turn) {
    if (event.type !== "approval-requested") continue;
    asks += event.callIds.length;
    for (const callId of event.callIds) await turn.approve(callId, false);
  }
  expect([asks, stops(on)]).toEqual([2, [false, false, true]]);
});

test("[E9] tries that somebody allowed count for nothing, nor do those of another turn", async () => {
  await using on = await bench(
    calls(READ),
    calls(CAT),
    calls(READ),
    calls(CAT),
    say("Done."),
    calls(READ),
    calls(CAT),
    say("1"),
    calls(READ),
    say("2"),
  );
  await botIn(on, "all").run("go", { sessionId: "a" });
  expect(stops(on)).toEqual([false, false, false, false]);
  const bot = botIn(on, "never");
  await bot.run("go", { sessionId: "b" });
  await bot.run("again", { sessionId: "b" });
  expect(stops(on)).toEqual([false]);
});
