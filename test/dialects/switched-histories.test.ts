import { expect, test } from "vitest";
import {
  type AssistantMessage,
  callsOf,
  type Message,
  type ReceiptStatus,
  userText,
} from "../../src/protocol/message.ts";
import { type Side, talkTo } from "./client.ts";
import { calls, replies, type ReplyAct, says, type ScriptPart, thinks } from "./script.ts";
import { SUBJECTS } from "./subjects.ts";
import { PNG } from "./talks.ts";

const picture = { type: "image", url: `data:image/png;base64,${PNG}` } as const;
const answer: ScriptPart = { type: "text", text: "I look." };

interface Kind {
  readonly kind: string;
  readonly asked: Message;
  readonly reply: ReplyAct;
  readonly status: ReceiptStatus;
  readonly shows?: true;
}

/** What a model may have said before another one is asked. */
const KINDS: readonly Kind[] = [
  { kind: "an answer", asked: userText("hi"), reply: says("Hello."), status: "ok" },
  {
    kind: "reasoning, text and two calls",
    asked: userText("hi"),
    reply: replies([thinks("Hm."), answer, calls("ls", { path: "a" }), calls("ls", { path: "b" })]),
    status: "ok",
  },
  {
    kind: "hidden reasoning and a call without an id",
    asked: userText("hi"),
    reply: replies([{ type: "reasoning", text: "secret", hidden: true }, calls("ls", {}, { id: null })]),
    status: "error",
  },
  {
    kind: "reasoning behind a call",
    asked: userText("hi"),
    reply: replies([thinks("One."), calls("ls", {}), thinks("Two."), calls("ls", { path: "b" })]),
    status: "ok",
  },
  {
    kind: "pictures in question and result",
    asked: { role: "user", parts: [{ type: "text", text: "See:" }, picture] },
    reply: replies([answer, calls("ls", { path: "a" })]),
    status: "ok",
    shows: true,
  },
  {
    kind: "interrupted calls with a broken input",
    asked: userText("hi"),
    reply: replies([answer, calls("ls", '["a"]'), calls("no such tool!", { path: "b" })]),
    status: "interrupted",
  },
];

const receiptsOf = (message: AssistantMessage, { status, shows }: Kind): Message[] =>
  callsOf(message).map(({ callId }) => ({
    role: "tool",
    callId,
    status,
    parts: [{ type: "text", text: "x" }, ...(shows ? [picture] : [])],
  }));

/** Asks a side in a conversation of its own, as a switch does, and adds what it says. */
async function round(side: Side, history: Message[], kind: Kind): Promise<void> {
  await using client = await talkTo(side, [kind.reply], { provider: side.wire.mode });
  const { reply } = await client.ask(history);
  if (reply.type !== "message") throw new Error(`${side.wire.mode} said ${JSON.stringify(reply)}`);
  history.push(reply.message, ...receiptsOf(reply.message, kind));
  if (callsOf(reply.message).length === 0) history.push(userText("go on"));
}

const SWITCHES = SUBJECTS.flatMap((from) =>
  SUBJECTS.filter((to) => to !== from).map((to) => ({ from, to, name: `${from.wire.mode} → ${to.wire.mode}` })),
);

test.for(SWITCHES)("[D10] [C5] a switch and the way back are legal, whatever was said: $name", async ({ from, to }) => {
  for (const kind of KINDS) {
    const history: Message[] = [kind.asked];
    for (const side of [from, from, to, to, from]) await round(side, history, kind);
    const said = history.filter((message) => message.role === "assistant");
    expect(said, kind.kind).toHaveLength(5);
    const ids = said.flatMap(callsOf).map(({ callId }) => callId);
    expect(new Set(ids).size, kind.kind).toBe(ids.length);
  }
});
