import { expect, test } from "vitest";
import { bench, tool } from "../support/agent-in-folder.ts";
import { callTools, delta, DONE, reply, say, stream } from "../support/wire-script.ts";

test("[HIST-04] a reply of nothing but white space and a call is stored and sent without the white space", async () => {
  const calls = [{ id: "w1", name: "ls", arguments: {} }];
  await using on = await bench(reply({ text: "\n\n ", calls }), say("Done."), say("Later."));
  const bot = on.agent({ tools: [tool("ls", () => "x")] });
  expect((await bot.run("hi", { sessionId: "s" })).answer).toBe("Done.");
  await bot.run("and now?", { sessionId: "s" });
  for (const { body } of on.provider.requests.slice(1))
    expect(body.messages[2]).toMatchObject({ role: "assistant", content: null });
});

test("[UNI-03] lone surrogates in old messages, tool descriptions and the system text never reach the wire", async () => {
  await using on = await bench(say("ok"), say("again"));
  const bot = on.agent({
    system: "You are \uD800 it.",
    tools: [tool("look", () => "x", { description: "Looks \uDC00 around." })],
  });
  await bot.importMessages("s", [
    { role: "user", content: "ok \uD800 end" },
    { role: "assistant", content: "an\uDFFFswer" },
  ]);
  expect((await bot.run("go", { sessionId: "s" })).answer).toBe("ok");
  expect((await bot.run("go on", { sessionId: "s" })).answer).toBe("again");
  for (const { text } of on.provider.requests) {
    expect(text).not.toMatch(/\\u[dD][89a-fA-F]/);
    expect(text).toContain("\uFFFD");
  }
});

test("[UNI-05] a pair that is split over two pieces of an argument arrives whole", async () => {
  const piece = (text: string, first: object = {}): string =>
    delta({
      tool_calls: [{ index: 0, ...first, function: { ...("id" in first && { name: "send" }), arguments: text } }],
    });
  const emoji = "🧩";
  await using on = await bench(
    stream([piece(`{"t":"${emoji[0]}`, { id: "u1" }), piece(`${emoji[1]} ok"}`), delta({}, "tool_calls"), DONE]),
    say("Sent."),
  );
  const inputs: unknown[] = [];
  const bot = on.agent({ tools: [tool("send", (input) => `${inputs.push(input)}`)] });
  expect((await bot.run("go")).answer).toBe("Sent.");
  expect(inputs).toEqual([{ t: `${emoji} ok` }]);
});

test("[UNI-06] a character whose bytes are split over two reads arrives whole", async () => {
  const frame = Buffer.from(delta({ content: "語" }));
  const middle = frame.indexOf(Buffer.from("語")) + 2;
  await using on = await bench(stream([frame.subarray(0, middle), frame.subarray(middle), delta({}, "stop"), DONE]));
  expect((await on.agent().run("go")).answer).toBe("語");
});

test.each([
  [
    "a refusal beside an empty text",
    reply({ finish: null, done: false, usage: null, text: [] }).frames.slice(0, 1),
    { refusal: "I can't help with that." },
    "stop",
  ],
  ["a content filter", [], { content: "" }, "content_filter"],
])(
  "[ERR-16] %s is a refusal, not an empty answer: one request, an exit of its own, nothing empty stored",
  async (_name, before, fields, finish) => {
    await using on = await bench(stream([...before, delta(fields), delta({}, finish), DONE]));
    const bot = on.agent({ retry: { baseMs: 1, maxMs: 1 } });
    const result = await bot.run("go", { sessionId: "s" });
    expect(result).toMatchObject({ completed: false, failed: true, exit: { reason: "content_policy", code: 80 } });
    expect(on.provider.requests).toHaveLength(1);
    expect(JSON.stringify(bot.store.history("s"))).not.toContain('"parts":[]');
  },
);

test("[COMP-15] [B4] the last call without tools keeps their specifications and forbids their use", async () => {
  await using on = await bench(callTools([{ id: "1", name: "ls", arguments: {} }]), say("Summary."));
  const bot = on.agent({ maxIterations: 1, tools: [tool("ls", () => "x")] });
  expect((await bot.run("go")).answer).toBe("Summary.");
  const body = on.provider.requests[1]?.body;
  expect(body?.tools).toHaveLength(1);
  expect(body?.tool_choice).toBe("none");
});
