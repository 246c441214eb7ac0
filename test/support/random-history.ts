import fc from "fast-check";
import type { Compaction } from "../../src/protocol/projection/compaction.ts";
import { legalHistory, mendHistory } from "../../src/protocol/history.ts";
import type { AssistantMessage, Message, ToolMessage, UserMessage } from "../../src/protocol/message.ts";

/** Histories of every kind there is: of our own turns, from elsewhere, broken by a crash, and what a session keeps of them. */

const text = fc.oneof(
  { weight: 6, arbitrary: fc.string({ unit: "grapheme", maxLength: 12 }) },
  { weight: 1, arbitrary: fc.constantFrom("", " \n", "\u200B", "[no answer: time_limit]", "(empty)", "[") },
);
const callId = fc.constantFrom("a", "b", "c", "call_1", "", "a b|c");
const name = fc.constantFrom("read_file", "write_file", "ls", "no such tool!", "");
const input = fc.constantFrom("{}", "", '{"b":1,"a":{"d":[],"c":2}}', "[1]", "not json", '{"path":"x"}');
const picture = { type: "image", url: "data:image/png;base64,iVBORw0KGgo=" } as const;

/** Long enough to be cut, to be cut off, to be a file. */
const output = fc.oneof(
  { weight: 8, arbitrary: text },
  { weight: 2, arbitrary: fc.constantFrom("line\n".repeat(200), "x".repeat(501)) },
  { weight: 1, arbitrary: fc.constantFrom("y ".repeat(60_000), "iVBORw0KGgoAAA1+".repeat(200)) },
);

const user: fc.Arbitrary<UserMessage> = fc
  .record({
    parts: fc.array(
      fc.oneof(
        text.map((words) => ({ type: "text", text: words }) as const),
        fc.constant({ type: "context", source: "clock", text: "it is noon" } as const),
        fc.constant(picture),
      ),
      { maxLength: 3 },
    ),
    midTurn: fc.boolean(),
    sent: fc.option(text, { nil: undefined, freq: 6 }),
  })
  .map(({ parts, midTurn, sent }) => ({
    role: "user",
    parts,
    ...(midTurn && { midTurn }),
    ...(sent !== undefined && { sent }),
  }));

const assistant: fc.Arbitrary<AssistantMessage> = fc
  .array(
    fc.oneof(
      text.map((words) => ({ type: "text", text: words }) as const),
      text.map((words) => ({ type: "reasoning", text: words }) as const),
      fc.record({ callId, name, input }).map((call) => ({ type: "tool-call", ...call }) as const),
    ),
    { maxLength: 4 },
  )
  .map((parts) => ({ role: "assistant", parts }));

const receipt: fc.Arbitrary<ToolMessage> = fc
  .record({ callId, output, steered: fc.boolean(), shows: fc.boolean() })
  .map(({ callId: id, output: words, steered, shows }) => ({
    role: "tool",
    callId: id,
    status: "ok",
    parts: [
      { type: "text", text: words },
      ...(shows ? [picture] : []),
      ...(steered ? [{ type: "steer", steerId: "s", text: "hurry" } as const] : []),
    ],
  }));

/** Ids are used again from one message to the next, never twice in one: a reply of that kind is not kept so. */
const unique = (message: Message): Message => {
  if (message.role !== "assistant") return message;
  const ids = new Set<string>();
  return {
    ...message,
    parts: message.parts.filter((part) => part.type !== "tool-call" || (!ids.has(part.callId) && ids.add(part.callId))),
  };
};

const messages = fc.array(
  fc
    .oneof({ weight: 3, arbitrary: assistant }, { weight: 2, arbitrary: user }, { weight: 2, arbitrary: receipt })
    .map(unique),
  { maxLength: 24 },
);

/** From elsewhere: anything at all, as it is taken over. Broken: some of it is lost, as it is mended. */
export const randomHistory: fc.Arbitrary<readonly Message[]> = fc
  .record({ messages, lost: fc.array(fc.nat({ max: 23 }), { maxLength: 4 }), isBroken: fc.boolean() })
  .map(({ messages: all, lost, isBroken }) => {
    const legal = legalHistory(all);
    return isBroken ? mendHistory(legal.map((message, at) => (lost.includes(at) ? undefined : message))) : legal;
  });

/** Whatever its places are, and whoever has written it. */
export const randomCompaction = (length: number): fc.Arbitrary<Compaction | undefined> => {
  const place = fc.nat({ max: length });
  return fc.option(
    fc.record(
      {
        through: place,
        from: place,
        instruction: place,
        cutBefore: place,
        head: fc.nat({ max: Math.min(length, 6) }),
        cut: fc.constant("look-ups" as const),
        summary: fc.constantFrom("What was done: everything.", "x"),
        todos: fc.constantFrom("- one more thing", "[ ] a\n[ ] b"),
      },
      { requiredKeys: ["through", "from", "instruction", "cutBefore"] },
    ),
    { nil: undefined, freq: 5 },
  );
};
