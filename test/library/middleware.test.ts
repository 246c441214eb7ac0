import { expect, test } from "vitest";
import type { Middleware } from "../../src/index.ts";
import { bench, tool } from "../support/agent-in-folder.ts";
import { echo, guarded } from "../support/tools.ts";
import { callTools, PAUSE, say, type Step } from "../support/wire-script.ts";

const call = (id: string, name = "echo"): Step => callTools([{ id, name, arguments: { text: id } }]);

test("[I6] middleware stands around the model call, the first outermost; it may answer with a message of its own", async () => {
  await using world = await bench(call("a"), say("The secret is 1234."));
  const order: string[] = [];
  const outer: Middleware = {
    name: "outer",
    modelCall: async ({ iteration, messages }, next) => {
      order.push(`outer ${iteration} ${messages.length}`);
      const reply = await next();
      order.push("outer back");
      return reply;
    },
  };
  const redact: Middleware = {
    name: "redact",
    modelCall: async (_call, next) => {
      order.push("redact");
      const reply = await next();
      if (reply.type !== "message") return reply;
      const parts = reply.message.parts.map((part) =>
        part.type === "text" ? { ...part, text: part.text.replaceAll(/\d/gu, "*") } : part,
      );
      return { ...reply, message: { ...reply.message, parts } };
    },
  };
  const bot = world.agent({ tools: [echo], middleware: [outer, redact] });
  const result = await bot.run("go");
  expect(result).toMatchObject({ ok: true, answer: "The secret is ****.", cleanupErrors: [] });
  expect(result.usage).toMatchObject({ input: 40, output: 10 });
  expect(order).toEqual(["outer 1 1", "redact", "outer back", "outer 2 3", "redact", "outer back"]);
});

test("[I6] a middleware may answer without asking the model", async () => {
  await using world = await bench();
  const cache: Middleware = {
    name: "cache",
    modelCall: () => ({
      type: "message",
      message: { role: "assistant", parts: [{ type: "text", text: "Known." }] },
      finish: "stop",
    }),
  };
  expect(await world.agent({ middleware: [cache] }).run("go")).toMatchObject({
    ok: true,
    answer: "Known.",
    usage: { input: 0 },
  });
});

test("[I6] one that throws, hangs, or returns nonsense is named and passed over; the model is asked exactly once", async () => {
  const never = (): Promise<never> => new Promise(() => {});
  const ways: readonly [string, NonNullable<Middleware["modelCall"]>][] = [
    [
      "before",
      () => {
        throw new Error("before");
      },
    ],
    [
      "after",
      async (_call, next) => {
        await next();
        throw new Error("after");
      },
    ],
    ["no answer after 20 ms", never],
    [
      "no answer after 20 ms",
      async (_call, next) => {
        await next();
        return never();
      },
    ],
    ["neither the reply", () => undefined as never],
    ["neither the reply", async (_call, next) => ({ ...(await next()), type: "odd" }) as never],
    [
      "an id that is taken",
      async (_call, next) => {
        const reply = await next();
        const part = { type: "tool-call", callId: "x", name: "echo", input: "{}" } as const;
        return reply.type === "message" ? { ...reply, message: { role: "assistant", parts: [part, part] } } : reply;
      },
    ],
    [
      "Cannot",
      async (_call, next) => {
        const reply = await next();
        (reply as { type: string }).type = "empty";
        return reply;
      },
    ],
  ];
  for (const [why, modelCall] of ways) {
    await using world = await bench(say("Done."));
    const result = await world.agent({ middleware: [{ name: "bad", modelCall }], extensionLimitMs: 20 }).run("go");
    expect(result, why).toMatchObject({ ok: true, answer: "Done.", usage: { input: 20 } });
    expect(result.cleanupErrors).toEqual([
      expect.stringMatching(new RegExp(`^middleware bad: modelCall: .*${why}`, "u")),
    ]);
  }
});

test("[I6] next has no time limit, and a second next gives the same reply", async () => {
  await using world = await bench({ ...say("Done."), frames: [{ waitMs: 80 }, ...say("Done.").frames] });
  const twice: Middleware = {
    name: "twice",
    modelCall: async (_call, next) => {
      const [one, two] = await Promise.all([next(), next()]);
      expect(one).toBe(two);
      return one;
    },
  };
  const result = await world.agent({ middleware: [twice], extensionLimitMs: 30 }).run("go");
  expect(result).toMatchObject({ answer: "Done.", cleanupErrors: [] });
});

test("[I6] before a tool runs its arguments may be rewritten, again by the next one; the model's own call stays in the history", async () => {
  await using world = await bench(call("a"), say("Done."));
  const seen: unknown[] = [];
  const add = (name: string): Middleware => ({
    name,
    toolRequest: ({ name: toolName, arguments: input }) => {
      seen.push([toolName, input]);
      return { arguments: { text: `${String(input["text"])}+${name}` } };
    },
  });
  const bot = world.agent({ tools: [echo], middleware: [add("one"), add("two")] });
  const result = await bot.run("go");
  expect(seen).toEqual([
    ["echo", { text: "a" }],
    ["echo", { text: "a+one" }],
  ]);
  expect(result.messages[2]).toMatchObject({ role: "tool", status: "ok", parts: [{ text: "echo: a+one+two" }] });
  expect(result.messages[1]).toMatchObject({ parts: [{ type: "tool-call", input: '{"text":"a"}' }] });
});

test("[I6] a veto is an error receipt, and the tool does not run", async () => {
  await using world = await bench(call("a"), say("I see."));
  let ran = false;
  const result = await world
    .agent({
      tools: [tool("echo", () => ((ran = true), "ran"))],
      middleware: [{ name: "policy", toolRequest: () => ({ veto: "not on Fridays" }) }],
    })
    .run("go");
  expect(ran).toBe(false);
  expect(result).toMatchObject({
    answer: "I see.",
    cleanupErrors: [],
    toolEvents: [{ status: "error", detail: "Not run: middleware policy refused it: not on Fridays" }],
  });
});

test("[I6][E10] what a person approved is what runs: other arguments are not approved with it", async () => {
  await using world = await bench(call("a", "guarded"), say("I see."));
  const changing = guarded();
  const bot = world.agent({
    tools: [changing],
    approvals: "all",
    middleware: [{ name: "swap", toolRequest: () => ({ arguments: { text: "other" } }) }],
  });
  const result = await bot.run("go");
  expect(changing.runs).toEqual([]);
  expect(result.toolEvents).toMatchObject([{ status: "error" }]);
});

test("[I6][E4] a call that may yet run with other paths runs alone", async () => {
  const calls = ["a", "b"].map((id) => ({ id, name: "write", arguments: { text: id } }));
  await using world = await bench(callTools(calls), say("Done."));
  let running = 0;
  let most = 0;
  const write = tool(
    "write",
    async () => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setImmediate(resolve));
      running--;
      return "ok";
    },
    { concurrency: "paths", claim: ({ text }) => ({ mode: "paths", reads: [], writes: [`/${String(text)}`] }) },
  );
  const same: Middleware = { name: "same", toolRequest: () => ({ arguments: { text: "same" } }) };
  expect((await world.agent({ tools: [write], middleware: [same] }).run("go")).ok).toBe(true);
  expect(most).toBe(1);
});

test("[I6] a tool middleware that throws, hangs or answers nonsense is named, and the call runs as it was asked", async () => {
  const ways: readonly [string, () => unknown][] = [
    [
      "broke",
      () => {
        throw new Error("broke");
      },
    ],
    ["no answer after 20 ms", () => new Promise(() => {})],
    ["neither arguments nor a veto", () => ({ arguments: "x" })],
    ["neither arguments nor a veto", () => null],
  ];
  for (const [why, toolRequest] of ways) {
    await using world = await bench(call("a"), say("Done."));
    const bad = { name: "bad", toolRequest } as Middleware;
    const result = await world.agent({ tools: [echo], middleware: [bad], extensionLimitMs: 20 }).run("go");
    expect(result).toMatchObject({ ok: true, toolEvents: [{ status: "ok", detail: "echo: a" }] });
    expect(result.cleanupErrors).toEqual([
      expect.stringMatching(new RegExp(`^middleware bad: toolRequest: .*${why}`, "u")),
    ]);
  }
});

test("[I6][B5] a stop reaches through a middleware that hangs, and one that does not wait for the model", async () => {
  const ways: readonly Middleware["modelCall"][] = [
    () => new Promise(() => {}),
    async (_call, next) => {
      await Promise.race([next(), Promise.resolve()]);
      return new Promise(() => {});
    },
  ];
  for (const modelCall of ways) {
    await using world = await bench();
    const asked = Promise.withResolvers<void>();
    const hung = { name: "hung", modelCall: (...args) => (asked.resolve(), modelCall?.(...args)) } as Middleware;
    if (modelCall !== ways[0]) world.provider.script({ frames: [PAUSE] });
    const turn = world.agent({ middleware: [hung], extensionLimitMs: 600_000 }).start("go");
    await asked.promise;
    if (modelCall !== ways[0]) await world.provider.received(1);
    expect(await turn.interrupt()).toBe(true);
    expect(await turn.result).toMatchObject({ interrupted: true, cleanupErrors: [] });
  }
});
