import { expect, test } from "vitest";
import { type Agent, agent, type ParkedTurn, type TurnEvent } from "../../src/index.ts";
import { fail, say, script } from "../../src/testing.ts";
import { bench, tool } from "../support/agent-in-folder.ts";
import { callTools, say as reply } from "../support/wire-script.ts";
import { guarded } from "../support/tools.ts";

test("[J7] a turn is awaited for its result, and looped over to watch it; leaving the loop stops nothing", async () => {
  await using bot = agent({ model: script([say.text(["One ", "by ", "one."])]) });
  const turn = bot.start("go", { sessionId: "s" });
  const types: TurnEvent["type"][] = [];
  for await (const event of turn) {
    types.push(event.type);
    if (event.type === "text-delta") break;
  }
  expect(types).toContain("turn-start");
  const result = await turn;
  expect(result).toMatchObject({ answer: "One by one.", sessionId: turn.sessionId });
  expect(await turn.result).toBe(result);
});

test("[B5] the signal a turn was started with stops it, also one that is aborted already", async () => {
  const model = script([fail.stall("Hm")]);
  await using bot = agent({ model });
  const stop = new AbortController();
  const turn = bot.start("go", { signal: stop.signal });
  for await (const event of turn) if (event.type === "text-delta") stop.abort();
  expect(await turn).toMatchObject({ interrupted: true, exit: { code: 130 } });
  expect(await bot.run("go", { signal: AbortSignal.abort() })).toMatchObject({ interrupted: true });
  expect(model.requests).toHaveLength(1);
});

test("[B5] `await using` stops a turn where its block ends; a turn that was detached goes on", async () => {
  const began = Promise.withResolvers<void>();
  const look = tool("look", (_input, { signal }) => {
    began.resolve();
    return new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(new Error("stopped"))));
  });
  await using bot = agent({ model: script([say.tool("look", {}), say.text("Done.")]), tools: [look] });
  let stopped;
  {
    await using turn = bot.start("go");
    stopped = turn.result;
    await began.promise;
  }
  expect(await stopped).toMatchObject({ interrupted: true });
  let goesOn;
  {
    const signal = new AbortController();
    await using turn = bot.start("again", { signal: signal.signal });
    turn.detach();
    signal.abort();
    goesOn = turn.result;
  }
  expect(await goesOn).toMatchObject({ ok: true, answer: "Done." });
});

test("[B5] [G3] closing an agent stops the turns that still run, and keeps them", async () => {
  await using on = await bench(callTools([{ id: "a", name: "look", arguments: {} }]), reply("Fine."));
  const began = Promise.withResolvers<void>();
  const look = tool("look", (_input, { signal }) => {
    began.resolve();
    return new Promise((resolve) => signal.addEventListener("abort", () => resolve("no more")));
  });
  const first = on.agent({ tools: [look] });
  const turn = first.start("go", { sessionId: "s" });
  await began.promise;
  await first.close();
  expect(await turn).toMatchObject({ interrupted: true, exit: { code: 143 }, cleanupErrors: [] });
  expect(await on.agent({ tools: [look] }).run("and now?", { sessionId: "s" })).toMatchObject({ answer: "Fine." });
});

test("[B2] one turn may have fewer iterations than its agent; a limit that cannot be used is refused", async () => {
  const model = script([say.tool("look", {}), say.text("So far."), say.text("Whole.")]);
  await using bot = agent({ model, tools: [tool("look", () => "seen")], maxIterations: 7 });
  expect(await bot.run("go", { maxIterations: 1 })).toMatchObject({
    exit: { reason: "max_iterations_reached" },
    iterations: { limit: 1 },
  });
  expect((await bot.run("go")).iterations.limit).toBe(7);
  await expect(bot.run("go", { maxIterations: 0 })).rejects.toThrow(RangeError);
});

async function opened(bot: Agent, turnId: string | null): Promise<ParkedTurn> {
  const turn = await bot.open(String(turnId));
  if (turn === undefined) throw new Error("There is no such turn.");
  return turn;
}

test("[E10] [G3] a parked turn is opened by its id, decided and taken up; an answer reaches its own question alone", async () => {
  const ask = callTools([
    { id: "a", name: "guarded", arguments: { text: "one" } },
    { id: "b", name: "guarded", arguments: { text: "two" } },
  ]);
  await using on = await bench(ask, reply("Changed one."));
  const work = guarded();
  const before = on.agent({ tools: [work], approvals: "park" });
  const parked = await before.run("go");
  expect(parked.exit.reason).toBe("parked_for_approval");
  await before.close();

  const after = on.agent({ tools: [work], approvals: "park" });
  const turn = await opened(after, parked.turnId);
  const [one = "", two = ""] = turn.pending.map(({ approvalId }) => approvalId);
  expect(turn.pending).toEqual(parked.waitingFor);
  expect(await turn.decide("nobody", true)).toBe(false);
  expect(await turn.decide(one, true)).toBe(true);
  expect(await turn.decide(one, false)).toBe(false);
  expect(turn.pending.map(({ approvalId }) => approvalId)).toEqual([two]);
  expect(await turn.decide(two, false)).toBe(true);
  expect(await turn.resume()).toMatchObject({ answer: "Changed one.", turnId: parked.turnId });
  expect(work.runs).toEqual(["one"]);
  expect(await after.open(String(parked.turnId))).toBeUndefined();
  expect(await after.open("no such turn")).toBeUndefined();
});

test("[X6] [E10] a parked turn can be decided and taken up also when its session was let go meanwhile", async () => {
  const ask = callTools([{ id: "a", name: "guarded", arguments: { text: "one" } }]);
  const others = Array.from({ length: 40 }, () => reply("Fine."));
  await using on = await bench(ask, ...others, reply("Changed one."));
  const work = guarded();
  const bot = on.agent({ tools: [work], approvals: "park" });
  const parked = await bot.run("go", { sessionId: "s" });
  const turn = await opened(bot, parked.turnId);
  for (const [at] of others.entries()) await bot.run("hello", { sessionId: `s${at}` });
  // Nobody holds it any more: another process could go on with it.
  const elsewhere = on.agent({ tools: [work], approvals: "park" });
  expect((await opened(elsewhere, parked.turnId)).pending).toEqual(turn.pending);
  await elsewhere.close();
  expect(await turn.decide(String(turn.pending[0]?.approvalId), true)).toBe(true);
  expect(turn.pending).toEqual([]);
  expect(await turn.resume()).toMatchObject({ answer: "Changed one.", turnId: parked.turnId });
  expect(work.runs).toEqual(["one"]);
});

test("[J7] options that contradict each other are refused at once, in one sentence", () => {
  expect(() => agent({ baseUrl: "http://127.0.0.1:9/v1" })).toThrow(/^Name the model/u);
  expect(() => agent({ model: "m", apiKey: "k" })).toThrow(/^An apiKey needs the baseUrl/u);
});
