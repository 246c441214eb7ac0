import { expect, test, vi } from "vitest";
import type { Tool } from "../../src/index.ts";
import type { Diagnostic } from "../../src/session/diagnostic.ts";
import { type Bench, bench, tool } from "../support/agent-in-folder.ts";
import { guarded } from "../support/tools.ts";
import { callTools, delta, PAUSE, say, stream } from "../support/wire-script.ts";

const systems = (on: Bench): unknown[] => on.provider.requests.map(({ body }) => body.messages[0]?.content);

test("[A15] a caller's system text of one turn stands behind the agent's own, also where another process goes on with it", async () => {
  const call = callTools([{ id: "g", name: "guarded", arguments: { text: "x" } }]);
  await using on = await bench(call, say("Done.", { newHead: true }), say("Plain.", { newHead: true }));
  const options = { system: "You are a clerk.", tools: [guarded()] };
  const first = on.agent({ ...options, approvals: "park" });
  const { turnId } = await first.run("go", { sessionId: "s", system: "Speak French.", ephemeralSystem: "It rains." });
  await first.close();
  const second = on.agent({ ...options, approvals: "all" });
  expect((await (await second.sessions.lane("s")).resume().result).answer).toBe("Done.");
  await second.run("and now", { sessionId: "s" });
  const own = /^You are a clerk\.\n\nWhile tools run,[^]+with no\nreply of yours behind them\./u.source;
  expect(systems(on)).toEqual([
    expect.stringMatching(new RegExp(`${own}\n\nSpeak French\\.\n\nIt rains\\.$`, "u")),
    expect.stringMatching(new RegExp(`${own}\n\nSpeak French\\.$`, "u")),
    expect.stringMatching(new RegExp(`${own}$`, "u")),
  ]);
  const kept = [...second.store.requests(turnId ?? "")].map(({ body }) => body.includes("Speak French."));
  expect(kept).toEqual([true, true]);
});

test("[A1][A9][J5] a turn is set up, driven and finished in this order, each stage once", async () => {
  await using on = await bench(callTools([{ id: "a", name: "look", arguments: {} }]), say("Done."));
  const seen: string[] = [];
  const lines: Diagnostic[] = [];
  const note = (text: string) => (): undefined => void seen.push(text);
  const bot = on.agent({
    tools: [tool("look", () => (seen.push("tool"), "x"))],
    plugins: [{ name: "p", beforeTurn: note("before"), afterAnswer: note("after"), onSessionEnd: note("end") }],
    hooks: [{ step: note("step") }],
    onDiagnostic: (line) => void (line.fields["event"] === "turn-end" && seen.push("diagnostic") && lines.push(line)),
  });
  const turn = bot.start("go", { sessionId: "s" });
  for await (const { type } of turn) if (type === "turn-start" || type === "turn-end") seen.push(type);
  expect((await turn.result).ok).toBe(true);
  expect(seen).toEqual(["turn-start", "before", "step", "tool", "step", "turn-end", "diagnostic", "after", "end"]);
  expect(lines).toHaveLength(1);
});

test("[J2] the line of a turn counts replies that asked for tools, of this turn alone", async () => {
  const two = (id: string) => callTools(["a", "b"].map((at) => ({ id: id + at, name: "look", arguments: { at } })));
  await using on = await bench(two("1"), two("2"), say("Done."), say("Plain."));
  const lines: Diagnostic[] = [];
  const bot = on.agent({
    tools: [tool("look", () => "x")],
    onDiagnostic: (line) => void (line.fields["event"] === "turn-end" && lines.push(line)),
  });
  await bot.run("go", { sessionId: "s" });
  await bot.run("again", { sessionId: "s" });
  const facts = "reason=text_response model=fake-1";
  expect(lines).toEqual([
    {
      level: "info",
      line: `turn-end ${facts} calls=3 budget=3/500 tool_turns=2 last_role=assistant response_chars=5 session=s`,
      fields: expect.objectContaining({ event: "turn-end", session: "s", calls: 3, tool_turns: 2, code: 0 }),
    },
    {
      level: "info",
      line: `turn-end ${facts} calls=1 budget=1/500 tool_turns=0 last_role=assistant response_chars=6 session=s`,
      fields: expect.objectContaining({ event: "turn-end", session: "s", calls: 1, tool_turns: 0, code: 0 }),
    },
  ]);
});

test("[C17] a past that only thought is not sent, and the questions around it become one", async () => {
  await using on = await bench(say("Here."));
  const bot = on.agent();
  const thought = { role: "assistant", content: null, reasoning_content: "hm" };
  await bot.importMessages("s", [{ role: "user", content: "a" }, thought, { role: "user", content: "b" }, thought]);
  await bot.run("c", { sessionId: "s" });
  expect(on.provider.requests[0]?.body.messages.slice(1)).toEqual([{ role: "user", content: "a\n\nb\n\nc" }]);
  expect(bot.store.history("s")).toHaveLength(6);
});

/** A tool on one path that tells when it runs, and waits for its neighbours to have a chance. */
const onPath = (name: string, writes: boolean, log: string[]): Tool =>
  tool(
    name,
    async ({ path }) => {
      log.push(`+${String(path)}`);
      await new Promise((resolve) => setImmediate(resolve));
      log.push(`-${String(path)}`);
      return "x";
    },
    {
      concurrency: "paths",
      claim: ({ path }) => ({
        mode: "paths",
        reads: writes ? [] : [String(path)],
        writes: writes ? [String(path)] : [],
      }),
    },
  );

test("[E3][E2] calls of one reply run side by side unless one writes where another works, or needs to be alone", async () => {
  const log: string[] = [];
  const alone = tool("alone", () => `${log.push("alone")}`, { concurrency: "exclusive" });
  const calls = [
    ["read", "/a"],
    ["read", "/a/b"],
    ["write", "/ab"],
    ["write", "/a/b/c"],
    ["alone", ""],
    ["read", "/z"],
  ].map(([name = "", path = ""]) => ({ id: `${name}${path}`, name, arguments: { path } }));
  await using on = await bench(callTools(calls), say("Done."));
  const bot = on.agent({ tools: [onPath("read", false, log), onPath("write", true, log), alone] });
  const result = await bot.run("go");
  expect(log).toEqual(["+/a", "+/a/b", "+/ab", "-/a", "-/a/b", "-/ab", "+/a/b/c", "-/a/b/c", "alone", "+/z", "-/z"]);
  expect(result.messages.flatMap((message) => (message.role === "tool" ? [message.callId] : []))).toEqual(
    calls.map(({ id }) => id),
  );
});

test("[B16][B17] while a model is silent, and while a tool runs, the turn tells at least every 30 s that it lives", async () => {
  const hold = Promise.withResolvers<string>();
  const half = stream([PAUSE, ...callTools([{ id: "a", name: "wait", arguments: {} }]).frames]);
  await using on = await bench(half, stream([delta({ content: "Done." }, "stop")]));
  const bot = on.agent({ tools: [tool("wait", () => hold.promise)] });
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  try {
    const turn = bot.start("go");
    const alive = new Set<string>();
    const running = Promise.withResolvers<void>();
    const watching = (async () => {
      for await (const event of turn) {
        if (event.type === "activity-delta") alive.add(event.waiting.type);
        if (event.type === "segment-start") running.resolve();
      }
    })();
    await on.provider.paused();
    await vi.advanceTimersByTimeAsync(30_000);
    expect([...alive]).toEqual(["model-reply"]);
    on.provider.release();
    await running.promise;
    await vi.advanceTimersByTimeAsync(30_000);
    expect([...alive]).toEqual(["model-reply", "tools"]);
    hold.resolve("waited");
    expect((await turn.result).answer).toBe("Done.");
    await watching;
  } finally {
    vi.useRealTimers();
  }
});
