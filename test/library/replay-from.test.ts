import { expect, test } from "vitest";
import type { Agent, AgentOptions } from "../../src/index.ts";
import type { Fact } from "../../src/protocol/fact.ts";
import { type Bench, bench, tool } from "../support/agent-in-folder.ts";
import { callTools, delta, PAUSE, refuse, reply, say, type Step, stream } from "../support/wire-script.ts";

const call = (id: string, name: string): Step => callTools([{ id, name, arguments: { id } }]);

/** The server has seen what goes on otherwise from there. */
const anew = (step: Step): Step => ({ ...step, newHead: true });

/** What was sent of the conversation, by attempt. */
const sent = ({ provider }: Bench, index: number): string =>
  JSON.stringify(provider.requests[index]?.body.messages).slice(0, -1);

const types = (bot: Agent, turnId: string | null): string[] =>
  (bot.store.turn(turnId ?? "")?.facts ?? []).map(({ fact }: { readonly fact: Fact }) => fact.type);

test("[X7] what stood in the history before iteration N is taken over, a steer with it, and what came later is not", async () => {
  const ran: string[] = [];
  const note = tool("note", (input) => `noted ${String(ran.push(JSON.stringify(input)))}`, { effect: "effect" });
  let steered: Promise<unknown> = Promise.resolve();
  const slow = tool("slow", async () => {
    steered = turn.steer("only the tests");
    await steered;
    return "slow is done";
  });
  await using world = await bench(
    call("a", "note"),
    call("b", "slow"),
    call("c", "note"),
    say("Done."),
    anew(call("d", "note")),
    say("Otherwise."),
    anew(say("Again.")),
  );
  const options: Partial<AgentOptions> = { tools: [note, slow], system: "Be brief." };
  const bot = world.agent(options);
  const turn = bot.start("go", { sessionId: "s" });
  const first = await turn;
  await steered;
  expect(first).toMatchObject({ ok: true, answer: "Done." });
  const again = await bot.replayFrom(first.turnId ?? "", 3, { title: "other way" });
  expect(again).toMatchObject({ ok: true, answer: "Otherwise.", iterations: { used: 2 } });
  expect(ran).toEqual(['{"id":"a"}', '{"id":"c"}', '{"id":"d"}']);
  expect(sent(world, 4)).toBe(sent(world, 2));
  expect(sent(world, 4)).toContain("only the tests");
  expect(sent(world, 5)).not.toContain('\\"c\\"');
  expect(types(bot, again.turnId).slice(0, 3)).toEqual(["turn-start", "history-imported", "attempt-start"]);
  expect(types(bot, again.turnId)).not.toContain("steer-accepted");
  expect(bot.store.list().find(({ sessionId }) => sessionId === again.sessionId)).toMatchObject({
    title: "other way",
    forkOf: { sessionId: "s", at: 0 },
  });
  // What was done before stands on the account of the turn that did it, and is undone with that.
  expect(again).toMatchObject({ attempts: 2 });
  expect(await bot.replayFrom(again.turnId ?? "", 2)).toMatchObject({ ok: true, answer: "Again." });
  expect(sent(world, 6)).toBe(sent(world, 5));
  expect(ran).toHaveLength(3);
});

test("[X7] nothing is left where the turn cannot be gone on with: the sentence says why", async () => {
  await using world = await bench(
    say("One."),
    reply({ text: "" }),
    say("Two."),
    stream([delta({ content: "Half" }), PAUSE]),
  );
  const bot = world.agent({});
  const why = async (turnId: string | null, from: number): Promise<string> => {
    const { ok, error } = await bot.replayFrom(turnId ?? "", from);
    expect(ok).toBe(false);
    return error?.message ?? "";
  };
  const { turnId } = await bot.run("first", { sessionId: "s" });
  expect(await why("none", 1)).toContain("none");
  expect(await why(turnId, 2)).toContain("no iteration 2: --from takes 1 to 1");
  expect(await why(turnId, Number.NaN)).toContain("no iteration");
  const nudged = await bot.run("second", { sessionId: "s" });
  expect(nudged.iterations.used).toBe(2);
  expect(await why(nudged.turnId, 2)).toContain("only goes on with a reply that was empty or cut off");
  const running = bot.start("third", { sessionId: "s" });
  for await (const event of running) if (event.type === "text-delta") break;
  const open = bot.store.openTurns()[0]?.turnId ?? "";
  expect(await why(open, 1)).toContain(`still runs in process ${process.pid}`);
  await running.interrupt();
  await running;
  expect(bot.store.list()).toHaveLength(1);
});

test("[X7] behind a compaction of its own a turn is not left; before it, it goes on from all that was said", async () => {
  const read = tool("read", ({ id }) => Promise.resolve(`${String(id)} holds:\n${"a line of a file\n".repeat(200)}`));
  await using world = await bench(
    call("a", "read"),
    call("b", "read"),
    refuse(413, "too large"),
    anew(call("c", "read")),
    say("Read."),
    anew(say("Read otherwise.")),
  );
  const bot = world.agent({ tools: [read], summary: false });
  const { turnId } = await bot.run("read", { sessionId: "s" });
  expect((await bot.replayFrom(turnId ?? "", 4)).error?.message).toContain(
    "had compacted its history before iteration 4",
  );
  const again = await bot.replayFrom(turnId ?? "", 3);
  expect(again).toMatchObject({ answer: "Read otherwise." });
  expect(sent(world, 5)).toBe(sent(world, 2));
});
