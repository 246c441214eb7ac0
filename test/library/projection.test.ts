import { expect, test } from "vitest";
import { textOf } from "../../src/protocol/message.ts";
import { bench, tool } from "../support/agent-in-folder.ts";
import { callTools, refuse, say } from "../support/wire-script.ts";

const REFUSED = refuse(400, { error: { message: "prompt is wrong", type: "invalid_request_error" } });

test("[COMP-09] [B7] what stands for an answer that never came is kept and never sent: neither as the model's words nor as a gap", async () => {
  await using on = await bench(REFUSED, say("Hello."), say("Bye."));
  const bot = on.agent();
  expect(await bot.run("one", { sessionId: "s" })).toMatchObject({ ok: false });
  expect(await bot.run("two", { sessionId: "s" })).toMatchObject({ ok: true });
  await bot.close();
  expect(await on.agent().run("three", { sessionId: "s" })).toMatchObject({ ok: true });
  const [, second, third] = on.provider.requests;
  expect(second?.body.messages.slice(1)).toEqual([{ role: "user", content: "one\n\ntwo" }]);
  expect(third?.text.startsWith(second?.text.slice(0, second.text.lastIndexOf("]")) ?? "?")).toBe(true);
  const kept = on.agent().store.history("s") ?? [];
  expect(kept.map((message) => message && textOf(message))).toContain("[no answer: request_rejected]");
});

test("[COMP-12] [F2] a result that was stored larger than one may be is cut where it is sent, the same each time", async () => {
  await using on = await bench(say("Done."), say("Done."));
  const output = `begins ${"x".repeat(3_000_000)} ends`;
  const spec = {
    prompt: "go on",
    messages: [
      { role: "user", parts: [{ type: "text", text: "look" }] },
      { role: "assistant", parts: [{ type: "tool-call", callId: "1", name: "ls", input: "{}" }] },
      { role: "tool", callId: "1", status: "ok", parts: [{ type: "text", text: output }] },
    ],
  } as const;
  expect(await on.agent().runSpec(spec)).toMatchObject({ ok: true });
  expect(await on.agent().runSpec(spec)).toMatchObject({ ok: true });
  const [one, two] = on.provider.requests.map(({ text }) => text);
  expect(one?.length).toBeLessThan(120_000);
  expect(one).toMatch(/"begins x+\\n\[… \d+ characters left out …\]\\nx+ ends"/);
  expect(two).toBe(one);
});

test("[COMP-13] a file that stands in a result as base64 is mentioned to the model and stays in the archive", async () => {
  const data = Buffer.from(Array.from({ length: 90_000 }, (_, at) => (at * 31 + (at >> 7)) % 256)).toString("base64");
  const result = JSON.stringify({ ok: true, screenshot: { data_url: `data:image/png;base64,${data}` }, size: [1, 2] });
  await using on = await bench(callTools([{ id: "c", name: "shoot", arguments: {} }]), say("Done."));
  const bot = on.agent({ tools: [tool("shoot", () => result.slice(0, 100_000))] });
  expect(await bot.run("go", { sessionId: "s" })).toMatchObject({ ok: true });
  const content = String(on.provider.requests[1]?.body.messages.at(-1)?.content);
  expect(content).toMatch(
    /^\{"ok":true,"screenshot":\{"data_url":"data:image\/png;base64,\[\d+ characters of image\/png in base64 left out\]$/,
  );
  expect(JSON.stringify(bot.store.history("s"))).toContain(data.slice(0, 50_000));
});
