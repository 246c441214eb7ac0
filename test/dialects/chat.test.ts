import { expect, test } from "vitest";
import { type Message, userText } from "../../src/protocol/message.ts";
import { connect } from "../support/wire-client.ts";
import { chatWire } from "./chat-wire.ts";
import { says } from "./script.ts";
import { fakeDialect } from "./wire.ts";

const AFTER_TOOLS: readonly Message[] = [
  userText("hello"),
  { role: "assistant", parts: [{ type: "tool-call", callId: "c", name: "ls", input: "{}" }] },
  { role: "tool", callId: "c", status: "ok", parts: [] },
];

test("[C4] a GLM on this machine that stops in the middle behind tools was cut, whatever it calls that", async () => {
  const half = "There are three files in";
  const asked = [
    { text: half, history: AFTER_TOOLS, ends: "cut" },
    { text: `${half} it.`, history: AFTER_TOOLS, ends: "message" },
    { text: "Three", history: AFTER_TOOLS, ends: "message" },
    { text: half, history: [userText("hello")], ends: "message" },
    { text: half, history: AFTER_TOOLS, model: "fake-1", ends: "message" },
  ];
  await using server = await fakeDialect(
    chatWire,
    asked.map(({ text }) => says(text, { newHead: true })),
  );
  using client = connect(server.baseUrl);
  const ends = [];
  for (const { history, model = "z-ai/GLM-4.7" } of asked)
    ends.push((await client.call({ history, model })).reply.type);
  expect(ends).toEqual(asked.map((one) => one.ends));
});
