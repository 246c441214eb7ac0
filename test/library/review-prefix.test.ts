import { expect, test } from "vitest";
import type { RunSpec, Tool } from "../../src/index.ts";
import type { ToolContext } from "../../src/protocol/tool.ts";
import { type Bench, bench, tool } from "../support/agent-in-folder.ts";
import { callTools, say } from "../support/wire-script.ts";

const REVIEW: RunSpec = { prompt: "What is worth keeping?", purpose: "review", parent: "s", tools: ["memory"] };
const call = (name: string, id: string = name): ReturnType<typeof callTools> =>
  callTools([{ id, name, arguments: {} }]);

/** All of a request that another one goes on from. */
const headOf = (text: string): string => text.slice(0, text.lastIndexOf("]"));
const sent = ({ provider }: Bench, at: number): string => provider.requests[at]?.text ?? "";

test("[J6][A7] the first request of a review begins with every byte of the last one of its parent: prompt, tools, contexts, calls", async () => {
  await using world = await bench(call("look"), say("Tea."), call("look", "look2"), say("Still tea."), say("Nothing."));
  const bot = world.agent({
    system: "You are a butler.",
    tools: [tool("look", () => "a cup"), tool("memory", () => "kept"), tool("z_last", () => "x")],
    tellTime: true,
    memory: { name: "recall", prefetch: () => "the user liked tea once" },
    maxOutput: 500,
  });
  await bot.run("what is it?", { sessionId: "s" });
  await bot.run("and now?", { sessionId: "s" });
  const before = world.provider.requests.length;
  expect(await bot.runSpec(REVIEW)).toMatchObject({ ok: true, answer: "Nothing." });
  const parent = headOf(sent(world, before - 1));
  expect(parent).toContain("the user liked tea once");
  expect(sent(world, before).slice(0, parent.length)).toBe(parent);
});

test("[J6] a review may use what it was given alone: any other tool is refused in words, and nothing runs", async () => {
  await using world = await bench(
    say("Hi."),
    callTools([
      { id: "a", name: "look", arguments: {} },
      { id: "b", name: "LOOK", arguments: {} },
      { id: "c", name: "memory", arguments: {} },
    ]),
    say("Noted."),
  );
  const ran: string[] = [];
  const seen: ToolContext[] = [];
  const counted = (name: string): Tool =>
    tool(name, (_input, context) => {
      ran.push(name);
      seen.push(context);
      return "done";
    });
  const bot = world.agent({ tools: [counted("look"), counted("memory")] });
  const { turnId } = await bot.run("hi", { sessionId: "s" });
  const review = await bot.runSpec({ ...REVIEW, turnId: turnId ?? "" });
  expect(review.toolEvents).toMatchObject([
    { name: "look", status: "error", detail: expect.stringContaining("nothing but memory can be used") },
    { name: "LOOK", status: "error" },
    { name: "memory", status: "ok" },
  ]);
  expect(ran).toEqual(["memory"]);
  expect(seen[0]).toMatchObject({ author: { by: "review", sessionId: "s", turnId } });
});
