import OpenAI from "openai";
import { expect, test } from "vitest";
import { chatCompletions } from "../../src/model/chat_completions/index.ts";
import { CHAT } from "./captures/chat.ts";
import { chatWire } from "./chat-wire.ts";
import { type Allowed, compareBodies } from "./compare-bodies.ts";
import { ourBody, type Side, theirBody } from "./drive.ts";
import { says } from "./script.ts";
import type { Json } from "./shape.ts";
import { TALK_NAMES, type TalkName, TALKS } from "./talks.ts";

interface Capture extends Side {
  /** Sends the hand-written body of a talk through the official client. */
  send(name: TalkName, origin: string): Promise<unknown>;
  readonly allowed: readonly Allowed[];
}

const CAPTURES: readonly Capture[] = [
  {
    dialect: chatCompletions,
    wire: chatWire,
    model: "fake-1",
    allowed: [],
    send: async (name, origin) => {
      const client = new OpenAI({ baseURL: `${origin}/v1`, apiKey: "key", maxRetries: 0 });
      await client.chat.completions.create(CHAT[name]).asResponse();
    },
  },
];

for (const capture of CAPTURES) {
  const bodies = async (name: TalkName): Promise<readonly [ours: Json, theirs: Json]> => {
    const theirs = theirBody(capture.wire, says("The end."), (origin) => capture.send(name, origin));
    return Promise.all([ourBody(capture, TALKS[name]), theirs]);
  };

  test.for(TALK_NAMES)(`[C1] ${capture.wire.mode}: ours is the official client's body: %s`, async (name) => {
    const [ours, theirs] = await bodies(name);
    expect(compareBodies(ours, theirs, capture.allowed)).toEqual([]);
  });
}

test("[C1] a difference between two bodies is found wherever it is, and allowed where it has a reason", () => {
  const ours = { a: [1, { b: "x" }], c: null };
  const theirs = { a: [1, { b: "y" }, 2], d: true };
  const places = (allowed: readonly Allowed[]): string[] =>
    compareBodies(ours, theirs, allowed).map(({ place }) => place);
  expect(places([])).toEqual(["a[1].b", "a[2]", "c", "d"]);
  expect(places([{ place: /^a\[/, why: "a reason" }])).toEqual(["c", "d"]);
  expect(compareBodies({ a: -0 }, { a: 0 }, [])).toHaveLength(1);
  expect(compareBodies(ours, structuredClone(ours), [])).toEqual([]);
});
