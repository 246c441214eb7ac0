import { deepEqual, equal, notEqual } from "node:assert/strict";
import { type Message, userText } from "../../src/protocol/message.ts";
import type { ModelReply } from "../../src/protocol/ports.ts";
import { type Side, talkTo } from "./client.ts";
import { calls, replies, type ReplyAct, says, type ScriptPart, thinks } from "./script.ts";
import type { Item } from "./suite-item.ts";

const HISTORY = [userText("hi")];

/** Reasoning, text and two calls, each in pieces. */
export const FULL: ReplyAct = replies([
  thinks(["Let me ", "think. 𝄞"]),
  { type: "text", text: ["Grüße ", "你好", " 👩‍👩‍👧!"] },
  calls("ls", { path: "ä" }, { id: "c1" }),
  calls("ls", { path: "b" }, { id: "c2" }),
]);

/** What our client makes of one act. */
export async function heard(side: Side, act: ReplyAct): Promise<ModelReply> {
  await using client = await talkTo(side, [act]);
  const { reply, text, reasoning } = await client.ask(HISTORY);
  if (reply.type === "message") {
    // What is kept was shown.
    equal(joined(reply, "text"), text);
    equal(joined(reply, "reasoning"), reasoning);
  }
  return reply;
}

const joined = (reply: Extract<ModelReply, { type: "message" }>, type: "text" | "reasoning"): string =>
  reply.message.parts.map((part) => (part.type === type ? part.text : "")).join("");

/** Its parts in short; what is opaque is not looked at. */
export function partsOf(reply: ModelReply): readonly (readonly [type: string, ...said: unknown[]])[] {
  if (reply.type !== "message") throw new Error(`It was taken for ${JSON.stringify(reply)}`);
  return reply.message.parts
    .filter((part) => part.type !== "reasoning" || part.text !== "")
    .map((part) =>
      part.type === "tool-call" ? [part.type, part.name, JSON.parse(part.input)] : [part.type, part.text],
    );
}

async function replaysLegally(side: Side, act: ReplyAct): Promise<void> {
  await using client = await talkTo(side, [act, act, says("Done.")]);
  const history: Message[] = [...HISTORY];
  for (const _round of [1, 2]) {
    const { reply } = await client.ask(history);
    equal(reply.type, "message", JSON.stringify(reply));
    if (reply.type !== "message") return;
    history.push(reply.message);
    for (const part of reply.message.parts)
      if (part.type === "tool-call")
        history.push({ role: "tool", callId: part.callId, status: "ok", parts: [{ type: "text", text: "x" }] });
    if (history.at(-1)?.role === "assistant") history.push(userText("go on"));
  }
  equal((await client.ask(history)).reply.type, "message");
}

const ls = (path: string, more: Parameters<typeof calls>[2] = {}): ScriptPart => calls("ls", { path }, more);
const call = (path: string): unknown => ["tool-call", "ls", { path }];
const many = ["a", "b", "c", "d", "e"];

const finishes = async (side: Side, act: ReplyAct): Promise<string> => {
  const reply = await heard(side, act);
  return reply.type === "message" ? reply.finish : reply.type === "failure" ? reply.failure.reason : reply.type;
};

const NO_PLACES = "its deltas name no place: texts are one, and stand before calls";

export const REPLIES: readonly Item[] = [
  {
    row: "C2",
    name: "text",
    run: async (side) => deepEqual(partsOf(await heard(side, says(["Hel", "lo"]))), [["text", "Hello"]]),
  },
  {
    row: "C12",
    name: "reasoning",
    run: async (side) => {
      const reply = await heard(side, replies([thinks(["Hm", "m."]), { type: "text", text: "Hello" }]));
      deepEqual(partsOf(reply), [
        ["reasoning", "Hmm."],
        ["text", "Hello"],
      ]);
    },
  },
  {
    row: "C12",
    name: "reasoning and calls go back as the server takes them",
    run: async (side) => replaysLegally(side, FULL),
  },
  {
    row: "C12",
    name: "hidden reasoning goes back as the server takes it",
    run: async (side) => replaysLegally(side, replies([{ type: "reasoning", text: "secret", hidden: true }, ls("a")])),
  },
  {
    row: "C2",
    name: "one tool",
    run: async (side) => deepEqual(partsOf(await heard(side, replies([ls("a")]))), [call("a")]),
  },
  {
    row: "C2",
    name: "many tools",
    run: async (side) => {
      const reply = await heard(side, replies(many.map((path) => ls(path))));
      deepEqual(partsOf(reply), many.map(call));
      const ids = reply.type === "message" ? reply.message.parts.map((part) => "callId" in part && part.callId) : [];
      equal(new Set(ids).size, many.length);
    },
  },
  {
    row: "C2",
    name: "parts stand in the order in which they came",
    except: { chat_completions: NO_PLACES },
    run: async (side) => {
      const parts: ScriptPart[] = [{ type: "text", text: "one" }, ls("a"), { type: "text", text: "two" }, ls("b")];
      deepEqual(partsOf(await heard(side, replies(parts))), [["text", "one"], call("a"), ["text", "two"], call("b")]);
    },
  },
  {
    row: "C2",
    name: "pieces that take turns are put together",
    run: async (side) => {
      const act = replies([{ type: "text", text: ["He", "llo"] }, ls("a"), ls("b"), ls("c")]);
      deepEqual(partsOf(await heard(side, { ...act, interleaved: true })), partsOf(await heard(side, act)));
    },
  },
  {
    row: "C16",
    name: "tokens of each class",
    run: async (side) => {
      const usage = { input: 100, output: 30, cacheRead: 60, cacheWrite: 20, reasoning: 10 };
      const told = await heard(side, says("Hello", { usage }));
      deepEqual(told.type === "message" && told.usage, { ...usage, cacheTold: true, ...UNTOLD[side.wire.mode] });
      const untold = await heard(side, says("Hello", { usage: null }));
      equal(untold.type === "message" && untold.usage, undefined);
    },
  },
  {
    row: "C4",
    name: "why a reply ended",
    run: async (side) => {
      equal(await finishes(side, says("Hello")), "stop");
      equal(await finishes(side, FULL), "tool_calls");
      equal(await finishes(side, says("Hello", { finish: "length" })), "cut");
      equal(await finishes(side, says("No.", { finish: "refusal" })), "content_policy_blocked");
      equal(await finishes(side, says("Hello", { finish: "filter" })), "content_policy_blocked");
    },
  },
  {
    row: "C18",
    name: "a whole reply in place of a stream, and one that was asked for",
    run: async (side) => {
      const streamed = await heard(side, FULL);
      deepEqual(await heard(side, { ...FULL, whole: true }), streamed);
      await using client = await talkTo(side, [FULL]);
      deepEqual((await client.ask(HISTORY, { streaming: false })).reply, streamed);
    },
  },
  {
    row: "C9",
    name: "an empty reply is told as one",
    run: async (side) => equal((await heard(side, replies([]))).type, "empty"),
  },
  {
    row: "C11",
    name: "one index for two calls",
    except: { gemini: "its calls have no index" },
    run: async (side) => {
      const act = replies([ls("a", { id: "c1" }), ls("b", { id: "c2", sameIndex: true })]);
      deepEqual(partsOf(await heard(side, act)), [call("a"), call("b")]);
    },
  },
  {
    row: "C11",
    name: "a call without an id gets one, and goes back with it",
    run: async (side) => {
      const act = replies([ls("a", { id: null }), ls("b", { id: null })]);
      const reply = await heard(side, act);
      const ids = reply.type === "message" ? reply.message.parts.map((part) => "callId" in part && part.callId) : [];
      equal(new Set(ids).size, 2);
      notEqual(ids[0], "");
      await replaysLegally(side, act);
    },
  },
  {
    row: "C11",
    name: "an input that was encoded twice is kept, and goes back legally",
    run: async (side) => {
      const act = replies([calls("ls", JSON.stringify(JSON.stringify({ path: "a" })))]);
      const [first] = partsOf(await heard(side, act));
      const input = first?.[2];
      deepEqual(typeof input === "string" ? JSON.parse(input) : input, { path: "a" });
      await replaysLegally(side, act);
    },
  },
  {
    row: "C11",
    name: "an input that the limit cut off is never run",
    run: async (side) => {
      const act = replies([calls("ls", ['{"pa', 'th":"a'])], { finish: "length" });
      notEqual((await heard(side, act)).type, "message");
    },
  },
];

/** What a wire does not tell. */
const UNTOLD: Readonly<Partial<Record<Side["wire"]["mode"], object>>> = {
  chat_completions: { cacheWrite: 0 },
  gemini: { cacheWrite: 0 },
  bedrock_converse: { reasoning: 0 },
};
