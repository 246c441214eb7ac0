import { expect, test } from "vitest";
import { bench, tool } from "../support/agent-in-folder.ts";
import { FakeProvider } from "../support/fake-provider.ts";
import { callTools, refuse, say } from "../support/wire-script.ts";

const call = (id: string): { id: string; name: string; arguments: object } => ({ id, name: "look", arguments: {} });

test("[D10] a turn asks another model in its middle, with all it has so far, and the next turn asks its own again", async () => {
  await using world = await bench(callTools([call("a")]), say("mine again"));
  await using other = await new FakeProvider([say("done elsewhere")]).listen();
  const looked = tool("look", async () => {
    expect(await turn.switchModel({ model: "other-1", baseUrl: other.baseUrl, provider: "elsewhere" })).toBe(true);
    return "seen";
  });
  const bot = world.agent({ tools: [looked] });
  const turn = bot.start("go", { sessionId: "s" });
  const result = await turn;
  expect(result).toMatchObject({ answer: "done elsewhere", provider: "elsewhere", model: "other-1" });
  const [request] = other.requests;
  expect(request?.body).toMatchObject({
    model: "other-1",
    messages: [{ role: "system" }, { role: "user", content: "go" }, { role: "assistant" }, { content: "seen" }],
  });
  const switched = world.facts().find((fact) => fact.type === "model-switched");
  expect(switched).toMatchObject({ provider: "elsewhere", model: "other-1", wire: { api: "chat_completions" } });
  expect(await bot.run("and now", { sessionId: "s" })).toMatchObject({ answer: "mine again", model: "fake-1" });
  expect(await turn.switchModel({ model: "x", baseUrl: other.baseUrl })).toBe(false);
});

test("[D10] [X7] what was sent is kept as it left, also when the turn comes back to a model it had asked", async () => {
  await using world = await bench(callTools([call("a")]), say("first"), say("second"));
  await using other = await new FakeProvider([callTools([call("b")]), say("done elsewhere")]).listen();
  const elsewhere = { model: "other-1", baseUrl: other.baseUrl };
  const bot = world.agent({ tools: [tool("look", async () => String(await turn.switchModel(elsewhere)))] });
  const turn = bot.start("go", { sessionId: "s" });
  const turnIds = [(await turn).turnId];
  turnIds.push(
    (await bot.run("and now", { sessionId: "s" })).turnId,
    (await bot.run("again", { sessionId: "s" })).turnId,
  );
  const kept = turnIds.flatMap((id) => [...bot.store.requests(id ?? "")].map(({ body }) => body));
  const [first, ...own] = world.provider.requests.map(({ text }) => text);
  expect(kept).toEqual([first, ...other.requests.map(({ text }) => text), ...own]);
});

test("[D10] [B5] a wait for a server ends when another one is to be asked", async () => {
  await using world = await bench(refuse(503, "busy"));
  await using other = await new FakeProvider([say("here")]).listen();
  const bot = world.agent({ retry: { baseMs: 30_000, maxMs: 30_000, maxWaitMs: 60_000 } });
  const turn = bot.start("go");
  for await (const event of turn)
    if (event.type === "retry-scheduled") await turn.switchModel({ model: "other-1", baseUrl: other.baseUrl });
  expect(await turn).toMatchObject({ answer: "here", model: "other-1", attempts: 2 });
});

test("[D10] [G3] whoever resumes a turn that another process had switched asks its own model", async () => {
  await using world = await bench(callTools([call("a")]), say("resumed"));
  await using other = await new FakeProvider([callTools([{ ...call("b"), name: "risky" }])]).listen();
  const looked = tool("look", async () => {
    await turn.switchModel({ model: "other-1", baseUrl: other.baseUrl });
    return "seen";
  });
  const tools = [looked, tool("risky", () => "did it", { effect: "effect", ask: () => "It is risky." })];
  const first = world.agent({ tools, approvals: "park" });
  const turn = first.start("go");
  const { turnId, exit, model } = await turn;
  expect({ reason: exit.reason, model }).toEqual({ reason: "parked_for_approval", model: "other-1" });
  await first.close();
  const parked = await world.agent({ tools, approvals: "park" }).open(turnId ?? "");
  await parked?.decide(parked.pending[0]?.approvalId ?? "", true);
  expect(await parked?.resume()).toMatchObject({ answer: "resumed", model: "fake-1" });
});

test("[D10] [J3] a model that cannot be had is an error with one sentence", async () => {
  await using world = await bench(say("fine"));
  const turn = world.agent().start("go");
  await expect(turn.switchModel({ model: "m", baseUrl: "nowhere" })).rejects.toThrow(/base URL "nowhere" is not/);
  expect((await turn).answer).toBe("fine");
});
