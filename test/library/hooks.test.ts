import { expect, test } from "vitest";
import type { Hooks } from "../../src/index.ts";
import { bench } from "../support/agent-in-folder.ts";
import { echo, guarded } from "../support/tools.ts";
import { callTools, PAUSE, refuse, reply, say, stream, delta, type Step } from "../support/wire-script.ts";

const call = (id: string): Step => callTools([{ id, name: "echo", arguments: { text: id } }]);

/** Writes down what it is told, in order, with the fields that are filled by then. */
function recorder(name: string, notes: string[]): Hooks {
  const note = (what: string, fields: object): void => {
    const filled = Object.entries(fields).flatMap(([key, value]) => (empty(value) || ALWAYS.has(key) ? [] : [key]));
    notes.push(`${name} ${what} ${filled.join()}`.trim());
  };
  return {
    name,
    wantsStreaming: true,
    step: ({ iteration, previousTools }) =>
      void notes.push(`${name} step ${iteration} ${JSON.stringify(previousTools)}`),
    beforeIteration: (context) => note("beforeIteration", context),
    onStream: (_context, text) => void notes.push(`${name} onStream ${text}`),
    onStreamEnd: (_context, resuming) => void notes.push(`${name} onStreamEnd ${resuming}`),
    beforeExecuteTools: (context) => note("beforeExecuteTools", context),
    afterIteration: (context) => note("afterIteration", context),
    finalizeContent: (text) => {
      notes.push(`${name} finalizeContent ${text}`);
      return `${text} (${name})`;
    },
  };
}

const ALWAYS: ReadonlySet<string> = new Set(["sessionId", "turnId", "signal"]);
const empty = (value: unknown): boolean => value === undefined || (Array.isArray(value) && value.length === 0);

test("[I1][B11] hooks are called in the order of the loop, all in the order given, their fields filled one by one", async () => {
  await using world = await bench(
    reply({ text: ["Let me ", "see."], calls: [{ id: "a", name: "echo", arguments: { text: "a" } }] }),
    say("Done."),
  );
  const notes: string[] = [];
  const bot = world.agent({ tools: [echo], hooks: [recorder("one", notes), recorder("two", notes)] });
  const result = await bot.run("go");
  expect(result).toMatchObject({ ok: true, answer: "Done.", shown: "Done. (one) (two)", cleanupErrors: [] });
  expect(notes.filter((note) => note.startsWith("one"))).toEqual(
    [
      "one beforeIteration iteration,messages",
      "one step 1 []",
      "one onStream Let me",
      "one onStream see.",
      "one onStreamEnd true",
      "one beforeExecuteTools iteration,messages,response,usage,toolCalls",
      "one afterIteration iteration,messages,response,usage,toolCalls,toolResults",
      "one beforeIteration iteration,messages",
      'one step 2 [{"name":"echo","arguments":"{\\"text\\":\\"a\\"}","result":"echo: a"}]',
      "one onStream Done.",
      "one onStreamEnd false",
      "one finalizeContent Done.",
      "one afterIteration iteration,messages,response,usage,finalContent,stopReason",
    ].map((line) => (line === "one onStream Let me" ? "one onStream Let me " : line)),
  );
  expect(notes.map((note) => note.slice(0, 3)).join(" ")).toMatch(/^(one two ?)+$/u);
  expect(bot.store.history(result.sessionId ?? "")?.at(-1)).toMatchObject({ parts: [{ text: "Done." }] });
});

test("[I1][B11] an attempt that is made again is the same iteration", async () => {
  await using world = await bench(refuse(503, { error: { message: "busy" } }), say("Whole."));
  const notes: string[] = [];
  const bot = world.agent({ retry: { baseMs: 1 }, hooks: [recorder("h", notes)] });
  expect((await bot.run("go")).answer).toBe("Whole.");
  expect(notes.filter((note) => /step|End|before|after/u.test(note)).map((note) => note.split(" ")[1])).toEqual([
    "beforeIteration",
    "step",
    "onStreamEnd",
    "afterIteration",
  ]);
});

test("[I1] without wantsStreaming a hook is told of no stream", async () => {
  await using world = await bench(say("Hi."));
  const rest = { ...recorder("h", []), wantsStreaming: false };
  const told: string[] = [];
  const bot = world.agent({
    hooks: [{ ...rest, onStream: () => void told.push("text"), onStreamEnd: () => void told.push("end") }],
  });
  await bot.run("go");
  expect(told).toEqual([]);
});

const METHODS = [
  "step",
  "beforeIteration",
  "onStream",
  "onStreamEnd",
  "beforeExecuteTools",
  "afterIteration",
  "finalizeContent",
] as const;

test("[I1] a hook that throws or rejects anywhere is named once, and changes nothing but its own entry", async () => {
  for (const [what, fails] of METHODS.flatMap((method) => [
    [
      method,
      (): never => {
        throw new Error("sync");
      },
    ] as const,
    [method, (): Promise<never> => Promise.reject(new Error("later"))] as const,
  ])) {
    await using world = await bench(call("a"), say("Done."));
    const after: string[] = [];
    const bad = { name: "bad", wantsStreaming: true, [what]: fails } as Hooks;
    const bot = world.agent({ tools: [echo], hooks: [bad, recorder("good", after)] });
    const result = await bot.run("go");
    expect(result).toMatchObject({ ok: true, answer: "Done.", shown: "Done. (good)" });
    expect(result.cleanupErrors, what).toHaveLength(1);
    expect(result.cleanupErrors[0]).toMatch(new RegExp(`^hook bad: ${what}: (sync|later)$`, "u"));
    expect(after).toContain("good onStreamEnd false");
  }
});

test("[I1] what a hook throws may be anything: it is named as the hook's, and the turn goes on", async () => {
  await using world = await bench(say("Done."));
  const trap = (): never => {
    throw new Error("trapped");
  };
  const thrown: unknown = new Proxy({}, { getPrototypeOf: trap, get: trap });
  const hook: Hooks = {
    name: "proxy",
    beforeIteration: () => {
      throw thrown;
    },
  };
  const { exit, cleanupErrors } = await world.agent({ hooks: [hook] }).run("hi");
  expect(exit.reason).toBe("text_response");
  expect(cleanupErrors).toEqual(["hook proxy: beforeIteration: what was thrown has no words"]);
});

test("[I1] a hook that hangs costs its time limit once and is left alone for the rest of the turn", async () => {
  const never = (): Promise<never> => new Promise(() => {});
  for (const what of METHODS.filter((method) => method !== "onStream")) {
    await using world = await bench(call("a"), call("b"), say("Done."));
    const lines: string[] = [];
    const hung = { name: "hung", wantsStreaming: true, [what]: never } as Hooks;
    const bot = world.agent({
      tools: [echo],
      hooks: [hung],
      extensionLimitMs: 20,
      onDiagnostic: ({ level, line }) => level === "warn" && lines.push(line),
    });
    const result = await bot.run("go");
    expect(result).toMatchObject({ ok: true, answer: "Done.", shown: "Done." });
    expect(result.cleanupErrors, what).toEqual([
      `hook hung: ${what}: it had no answer after 20 ms, so it is left alone for this turn`,
    ]);
    expect(lines).toEqual(result.cleanupErrors);
  }
});

test("[I1][B5] a stop does not wait for a hook that hangs", async () => {
  await using world = await bench();
  const { promise, resolve } = Promise.withResolvers<void>();
  const hung: Hooks = { name: "hung", beforeIteration: () => (resolve(), new Promise(() => {})) };
  const bot = world.agent({ hooks: [hung], extensionLimitMs: 600_000 });
  const turn = bot.start("go");
  await promise;
  expect(await turn.interrupt()).toBe(true);
  expect(await turn.result).toMatchObject({ interrupted: true, cleanupErrors: [] });
});

test("[I1] what a hook is given cannot be changed", async () => {
  await using world = await bench(call("a"), say("Done."));
  const vandal: Hooks = {
    name: "vandal",
    afterIteration: ({ messages }) => {
      (messages[0] as unknown as { parts: unknown[] }).parts.push({ type: "text", text: "x" });
    },
    beforeExecuteTools: ({ toolCalls }) => {
      (toolCalls[0] as { input: string }).input = "{}";
    },
  };
  const bot = world.agent({ tools: [echo], hooks: [vandal] });
  const result = await bot.run("go");
  expect(result).toMatchObject({ ok: true, answer: "Done." });
  expect(result.messages[0]).toEqual({ role: "user", parts: [{ type: "text", text: "go" }] });
  expect(result.cleanupErrors).toHaveLength(2);
});

test("[I1] a hook that is marked fatal may end the turn: it is closed properly and says so", async () => {
  for (const what of ["beforeIteration", "onStream", "beforeExecuteTools"] as const) {
    await using world = await bench(
      ...(what === "beforeIteration"
        ? []
        : [reply({ text: "Hm.", calls: [{ id: "a", name: "echo", arguments: {} }] })]),
    );
    const strict = {
      name: "strict",
      fatal: true,
      wantsStreaming: true,
      [what]: () => {
        throw new Error("not allowed");
      },
    } as Hooks;
    const result = await world.agent({ tools: [echo], hooks: [strict] }).run("go");
    expect(result.exit.reason, what).toBe("internal_error");
    expect(result.error?.message).toContain("hook strict");
  }
});

test("[I1][G3] a turn that waited for a person goes on with its hooks where it stood", async () => {
  await using world = await bench(callTools([{ id: "g", name: "guarded", arguments: { text: "x" } }]), say("Done."));
  const notes: string[] = [];
  const bot = world.agent({ tools: [guarded()], approvals: "park", hooks: [recorder("h", notes)] });
  const parked = await bot.run("go", { sessionId: "s" });
  expect(parked.exit.reason).toBe("parked_for_approval");
  expect(notes).toEqual(["h beforeIteration iteration,messages", "h step 1 []"]);
  const lane = await bot.sessions.lane("s");
  expect(await lane.approve("g", true)).toBe(true);
  expect(await lane.resume().result).toMatchObject({ shown: "Done. (h)" });
  expect(notes.slice(2).map((note) => note.replace(/ \[.*/u, ""))).toEqual([
    "h beforeExecuteTools iteration,messages,response,toolCalls",
    "h afterIteration iteration,messages,response,toolCalls,toolResults",
    "h beforeIteration iteration,messages",
    "h step 2",
    "h onStream Done.",
    "h onStreamEnd false",
    "h finalizeContent Done.",
    "h afterIteration iteration,messages,response,usage,finalContent,stopReason",
  ]);
});

test("[I1] a consumer that never reads, leaves early or throws, changes nothing else", async () => {
  await using world = await bench(
    call("a"),
    stream([delta({ content: "Do" }), PAUSE, delta({ content: "ne." }, "stop")]),
  );
  const bot = world.agent({ tools: [echo] });
  const turn = bot.start("go", { sessionId: "s" });
  const idle = turn[Symbol.asyncIterator]();
  await idle.next();
  for await (const event of turn) if (event.type === "segment-start") break;
  await world.provider.paused();
  world.provider.release();
  expect(await turn.result).toMatchObject({ ok: true, answer: "Done.", cleanupErrors: [] });
});
