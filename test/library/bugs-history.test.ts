import { expect, test } from "vitest";
import { callTools, PAUSE, refuse, reply, replyFrames, say, stream } from "../support/wire-script.ts";
import { bench, tool } from "../support/agent-in-folder.ts";

const rolesOf = (messages: readonly { readonly role: string; readonly tool_call_id?: string }[]): string[] =>
  messages.map(({ role, tool_call_id: id }) => (id === undefined ? role : `${role} ${id}`));

const call = (id: string, name: string): { id: string; name: string; arguments: object } => ({
  id,
  name,
  arguments: {},
});

test("[HIST-01] [B6] after a stop each call has one receipt, directly behind its message and before the next user message", async () => {
  await using on = await bench(callTools([call("c1", "ls"), call("c2", "test"), call("c3", "lint")]), say("Skipped."));
  const hung = Promise.withResolvers<void>();
  const bot = on.agent({
    tools: [
      tool("ls", () => "a.txt"),
      tool(
        "test",
        (_input, { signal }) => {
          hung.resolve();
          return new Promise((_resolve, reject) =>
            signal.addEventListener("abort", () => reject(new Error("stopped"))),
          );
        },
        { concurrency: "exclusive" },
      ),
      tool("lint", () => "never", { concurrency: "exclusive" }),
    ],
  });
  const first = bot.run("list then test", { sessionId: "s" });
  await hung.promise;
  expect(await (await bot.sessions.lane("s")).interrupt("user")).toBe(true);
  expect((await first).exit.reason).toBe("interrupted_by_user");
  const second = await bot.run("skip lint", { sessionId: "s" });
  expect(second.answer).toBe("Skipped.");
  const sent = on.provider.requests[1]?.body.messages ?? [];
  expect(rolesOf(sent)).toEqual(["system", "user", "assistant", "tool c1", "tool c2", "tool c3", "user"]);
  expect(String(sent[4]?.content)).toMatch(/interrupted/i);
  expect(String(sent[5]?.content)).toMatch(/cancelled/i);
  const stored = bot.store.history("s") ?? [];
  expect(stored.slice(2, 5).map((message) => message?.role === "tool" && message.status)).toEqual([
    "ok",
    "interrupted",
    "cancelled",
  ]);
});

test("[HIST-01] a history from elsewhere with unanswered calls is made legal before it is sent", async () => {
  await using on = await bench(say("Done."));
  const bot = on.agent();
  const asked = (id: string): { id: string; type: string; function: { name: string; arguments: string } } => ({
    id,
    type: "function",
    function: { name: "ls", arguments: "{}" },
  });
  await bot.importMessages("s", [
    { role: "user", content: "list then test" },
    { role: "assistant", content: null, tool_calls: [asked("c1"), asked("c2"), asked("c3")] },
    { role: "tool", tool_call_id: "c1", content: "a.txt" },
  ]);
  expect((await bot.run("skip lint", { sessionId: "s" })).completed).toBe(true);
  expect(rolesOf(on.provider.requests[0]?.body.messages ?? []).slice(1, 6)).toEqual([
    "user",
    "assistant",
    "tool c1",
    "tool c2",
    "tool c3",
  ]);
});

test("[HIST-05] blank input is refused at the edge: nothing is stored, nothing is sent", async () => {
  await using on = await bench();
  const bot = on.agent();
  for (const blank of ["", "  \u200B\n", "\uFEFF\u2060\t", "\0"]) {
    const result = await bot.run(blank, { sessionId: "s" });
    expect(result.exit.reason).toBe("usage_error");
    expect(result.error?.message).toMatch(/empty/);
  }
  expect(bot.store.history("s")).toBeUndefined();
  expect(on.provider.requests).toEqual([]);
});

const ROLES =
  "After the optional system message, conversation roles must alternate user and assistant roles except for tool calls and results.";

/** As llama.cpp sends it, and the report's own words. */
const TEMPLATE_ERRORS: readonly unknown[] = [
  {
    error: {
      code: 500,
      message: `\nWhile executing CallExpression\nError: Jinja Exception: ${ROLES}`,
      type: "server_error",
    },
  },
  `Jinja Exception: ${ROLES}`,
];

/** Two questions in a row, a call that was denied, and what is said behind it. */
const DENIED = [
  { role: "user", content: "a" },
  { role: "user", content: "b" },
  {
    role: "assistant",
    content: null,
    tool_calls: [{ id: "t1", type: "function", function: { name: "x", arguments: "{}" } }],
  },
  { role: "tool", tool_call_id: "t1", content: "denied" },
] as const;

test.each(TEMPLATE_ERRORS)(
  "[HIST-15] [C17] a template that wants roles in turn is no server to wait for: they take turns, once and for the session: %j",
  async (body) => {
    await using on = await bench(refuse(500, body), say("done", { newHead: true }), say("more"));
    const bot = on.agent({ tools: [tool("x", () => "x")] });
    await bot.importMessages("s", DENIED);
    expect(await bot.run("c", { sessionId: "s" })).toMatchObject({ answer: "done", attempts: 2, retries: 0 });
    const adjusted = on.facts().flatMap((fact) => (fact.type === "request-adjusted" ? [fact.adjustment] : []));
    expect(adjusted).toEqual([{ strict: true }]);
    await bot.run("d", { sessionId: "s" });
    const roles = on.provider.requests.map(({ body: sent }) => sent.messages.map(({ role }) => role[0]).join(""));
    expect(roles).toEqual(["suatu", "suatau", "suatauau"]);
    expect(on.provider.requests[1]?.body.messages[1]?.content).toBe("a\n\nb");
  },
);

test("[HIST-15] [B10] a model that is known to want roles in turn is sent them so at once", async () => {
  await using on = await bench(say("done"));
  const bot = on.agent({ model: "devstral-small-2" });
  await bot.importMessages("s", DENIED);
  await bot.run("c", { sessionId: "s" });
  const messages = on.provider.requests[0]?.body.messages ?? [];
  expect(messages.map(({ role }) => role)).toEqual(["system", "user", "assistant", "tool", "assistant", "user"]);
});

test("[HIST-15] a template that refuses the strictest form too is not asked again", async () => {
  await using on = await bench(refuse(500, TEMPLATE_ERRORS[1]), refuse(500, TEMPLATE_ERRORS[1]));
  const result = await on.agent().run("hi");
  expect(result).toMatchObject({ ok: false, attempts: 2, retries: 0, exit: { reason: "request_rejected" } });
});

test("[CACHE-01] [A7] the bytes in front of the conversation are the same in every request of a session, also in a new process", async () => {
  await using on = await bench(say("one"), say("two"), say("three"));
  const tools = [tool("b", () => "b"), tool("a", () => "a")];
  const first = on.agent({ tools });
  await first.run("first", { sessionId: "s" });
  await first.run("second", { sessionId: "s" });
  await first.close();
  await on.agent({ tools }).run("third", { sessionId: "s" });
  const [one, two, three] = on.provider.requests.map(({ text }) => text);
  const head = (one ?? "").slice(0, (one ?? "").indexOf('"first"'));
  expect(head).toContain('"tools"');
  expect(two?.startsWith(head)).toBe(true);
  expect(three?.startsWith(head)).toBe(true);
});

test("[CACHE-02] what was sent once is sent again byte for byte, with the thinking of a reply already gone from its text", async () => {
  await using on = await bench(say("<think>x</think> text"), say("two"));
  const bot = on.agent();
  expect((await bot.run("first", { sessionId: "s" })).answer?.trim()).toBe("text");
  await bot.run("second", { sessionId: "s" });
  const [one = "", two = ""] = on.provider.requests.map(({ text }) => text);
  expect(two.startsWith(one.slice(0, one.lastIndexOf("]")))).toBe(true);
  expect(two).not.toContain("<think>");
});

test("[UNI-08] [A4] what a tool returns reaches the model without control characters and lone surrogates", async () => {
  await using on = await bench(callTools([call("c", "dump")]), say("Done."));
  const bot = on.agent({ tools: [tool("dump", () => "a\0b\u001B[31mc\u0007 \uD83D end")] });
  expect((await bot.run("go", { sessionId: "s" })).completed).toBe(true);
  const content = String(on.provider.requests[1]?.body.messages.at(-1)?.content);
  expect(content).toContain("a");
  expect(content.isWellFormed()).toBe(true);
  expect(content).not.toMatch(/(?![\n\t])\p{Cc}/u);
  // An escape sequence goes whole; what is no text otherwise is marked.
  expect(content).toBe("a\uFFFDbc\uFFFD \uFFFD end");
});

test("[COST-02] [C16] cached tokens are part of the input and reasoning is part of the output", async () => {
  const usage = {
    prompt_tokens: 2785,
    prompt_tokens_details: { cached_tokens: 2688 },
    completion_tokens: 10,
    completion_tokens_details: { reasoning_tokens: 6 },
  };
  await using on = await bench(reply({ text: "ok", usage }));
  const { usage: counted } = await on.agent().run("go");
  expect(counted).toEqual({ input: 2785, output: 10, cacheRead: 2688, cacheWrite: 0, reasoning: 6 });
  expect(counted.input - counted.cacheRead).toBe(97);
});

test("[STRM-22] [C12] a tool call written as text is neither shown nor run", async () => {
  const markup =
    '<minimax:tool_call>\n<invoke name="terminal"><parameter name="command">ls</parameter></invoke>\n</minimax:tool_call>';
  await using on = await bench(say([`I'll check.\n${markup.slice(0, 9)}`, markup.slice(9)]));
  let ran = 0;
  const bot = on.agent({ tools: [tool("terminal", () => `${ran++}`)] });
  let shown = "";
  const { answer } = await bot.run("go", { onText: (text) => (shown += text) });
  expect(shown.trim()).toBe("I'll check.");
  expect(answer?.trim()).toBe("I'll check.");
  expect(ran).toBe(0);
});

test("[STRM-13] an empty reply leaves no empty message behind and is asked for again", async () => {
  await using on = await bench(stream([]), say("Here."));
  const bot = on.agent({ retry: { baseMs: 1, maxMs: 1 } });
  const result = await bot.run("go", { sessionId: "s" });
  expect(result.answer).toBe("Here.");
  expect(bot.store.history("s")?.map((message) => message?.role)).toEqual(["user", "assistant"]);
});

test("[GW-10] reasoning never leaks, however its tags are cut", async () => {
  await using on = await bench(
    say(["<", "th", "ink>plan: I sho", "uld</thi", "nk>", "Hello"]),
    say("Use the `<think>` tag like this"),
    stream([...replyFrames({ text: "<think>only thoughts", done: false }).slice(0, 2), PAUSE]),
  );
  const bot = on.agent();
  let shown = "";
  expect((await bot.run("one", { sessionId: "s", onText: (text) => (shown += text) })).answer).toBe("Hello");
  expect(shown).toBe("Hello");
  expect((await bot.run("two", { sessionId: "s" })).answer).toBe("Use the `<think>` tag like this");
  const third = bot.run("three", { sessionId: "s" });
  await on.provider.paused();
  await (await bot.sessions.lane("s")).interrupt("user");
  expect((await third).answer).toBeNull();
});
