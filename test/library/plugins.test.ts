import { expect, test } from "vitest";
import type { Plugin } from "../../src/index.ts";
import { fenced } from "../../src/protocol/context.ts";
import { toOpenAi } from "../../src/protocol/openai.ts";
import { bench } from "../support/agent-in-folder.ts";
import { echo, guarded } from "../support/tools.ts";
import { callTools, refuse, say } from "../support/wire-script.ts";

const FENCED = `go\n\n${fenced({ type: "context", source: "clock", text: "It is noon on Marsday." })}`;
const clock: Plugin = { name: "clock", beforeTurn: () => "It is noon on Marsday." };

test("[I2][A11][A12] what a plug-in adds is sent fenced with the user's message, the same bytes in every later request", async () => {
  await using world = await bench(say("One."), say("Two."));
  const first = world.agent({ plugins: [clock] });
  expect((await first.run("go", { sessionId: "s" })).ok).toBe(true);
  await first.close();
  // Another process, without the plug-in: the past stays as it was sent.
  expect((await world.agent().run("again", { sessionId: "s" })).ok).toBe(true);
  const sent = world.provider.requests.map(({ body }) => body.messages.filter(({ role }) => role === "user"));
  expect(sent[0]?.map(({ content }) => content)).toEqual([FENCED]);
  expect(sent[1]?.map(({ content }) => content)).toEqual([FENCED, "again"]);
});

test("[A11] search, titles and export never see what a plug-in added", async () => {
  await using world = await bench(say("One."));
  const bot = world.agent({ plugins: [clock] });
  await bot.run("go", { sessionId: "s" });
  expect(bot.store.search("Marsday", 5)).toEqual([]);
  expect(bot.store.search("Ma", 5)).toEqual([]);
  expect(bot.store.list()[0]?.title).toBe("go");
  const history = bot.store.history("s") ?? [];
  expect(history[0]?.parts).toHaveLength(2);
  const exported = toOpenAi(history.filter((message) => message !== undefined));
  expect(exported[0]).toEqual({ role: "user", content: "go" });
});

test("[I2][A9] beforeTurn runs once per turn, after the prompt is kept; a resumed turn does not ask again", async () => {
  await using world = await bench(callTools([{ id: "g", name: "guarded", arguments: { text: "x" } }]), say("Done."));
  const kept: unknown[] = [];
  const bot = world.agent({
    tools: [guarded()],
    approvals: "park",
    plugins: [
      {
        name: "p",
        beforeTurn: ({ isFirst, prompt }) => void kept.push([isFirst, prompt, bot.store.history("s")?.length]),
      },
      clock,
    ],
  });
  await bot.run("go", { sessionId: "s" });
  const lane = await bot.sessions.lane("s");
  await lane.approve("g", true);
  expect((await lane.resume().result).answer).toBe("Done.");
  expect(kept).toEqual([[true, "go", 1]]);
});

test("[I2][J5] at the end the text is transformed, then the answer told, then the session's end; the stored text stays", async () => {
  await using world = await bench(say("Done."));
  const told: string[] = [];
  const plugins: Plugin[] = [
    { name: "nothing", transformOutput: () => "" },
    { name: "loud", transformOutput: (text) => text.toUpperCase() },
    { name: "late", transformOutput: () => "never asked" },
    {
      name: "watch",
      afterAnswer: ({ answer, shown }) => void told.push(`answer ${answer} ${shown}`),
      onSessionEnd: ({ exit }) => void told.push(`end ${exit.reason}`),
    },
  ];
  const bot = world.agent({ plugins });
  const result = await bot.run("go", { sessionId: "s" });
  expect(result).toMatchObject({ answer: "Done.", shown: "DONE.", cleanupErrors: [] });
  expect(told).toEqual(["answer Done. DONE.", "end text_response"]);
  expect(bot.store.history("s")?.at(-1)).toMatchObject({ parts: [{ text: "Done." }] });
});

test("[I2][J5] without an answer nobody is told of one; every end is told, a wait for a person is none", async () => {
  await using world = await bench(
    refuse(400, { error: { message: "no" } }),
    callTools([{ id: "g", name: "guarded", arguments: { text: "x" } }]),
  );
  const told: string[] = [];
  const watch: Plugin = {
    name: "watch",
    afterAnswer: () => void told.push("answer"),
    onSessionEnd: ({ exit }) => void told.push(exit.reason),
  };
  const bot = world.agent({ tools: [guarded()], approvals: "park", plugins: [watch] });
  await bot.run("go");
  await bot.run("go");
  expect(told).toEqual(["request_rejected"]);
});

const METHODS = ["beforeTurn", "transformOutput", "afterAnswer", "onSessionEnd"] as const;

test("[I2] a plug-in that throws, hangs or answers nonsense is named, and loses neither the answer nor the others", async () => {
  const ways: readonly [string, () => unknown][] = [
    [
      "broke",
      () => {
        throw new Error("broke");
      },
    ],
    ["had no answer after 20 ms", () => new Promise(() => {})],
    ["returned no text", () => 7],
  ];
  for (const what of METHODS)
    for (const [why, way] of what === "afterAnswer" || what === "onSessionEnd" ? ways.slice(0, 2) : ways) {
      await using world = await bench(say("Done."));
      const bad = { name: "bad", [what]: way } as unknown as Plugin;
      let ended = false;
      const good: Plugin = { ...clock, transformOutput: (text) => `${text}!`, onSessionEnd: () => void (ended = true) };
      const result = await world.agent({ plugins: [bad, good], extensionLimitMs: 20 }).run("go");
      expect(result).toMatchObject({ ok: true, answer: "Done.", shown: "Done.!" });
      expect(ended).toBe(true);
      expect(result.cleanupErrors).toHaveLength(1);
      expect(result.cleanupErrors[0]).toMatch(new RegExp(`^plug-in bad: ${what}: .*${why}`, "u"));
      expect(world.provider.requests[0]?.body.messages.at(-1)?.content).toBe(FENCED);
    }
});

test("[I2] a plug-in gets a copy of the result", async () => {
  await using world = await bench(say("Done."));
  const vandal: Plugin = {
    name: "v",
    afterAnswer: (result) => void Object.assign(result, { answer: "mine", ok: false }),
  };
  expect(await world.agent({ tools: [echo], plugins: [vandal] }).run("go")).toMatchObject({
    ok: true,
    answer: "Done.",
  });
});
