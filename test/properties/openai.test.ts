import fc from "fast-check";
import { expect, test } from "vitest";
import { agent, fromOpenAi, type OpenAiMessage, toOpenAi } from "../../src/index.ts";
import { say, script } from "../../src/testing.ts";

type Fields = Readonly<Record<string, unknown>>;
type Json = Fields & { readonly role: string };

/** Everything that goes in and out unchanged, and what the documentation says is written otherwise. */
const text = fc.oneof(fc.string(), fc.string({ unit: "binary" }), fc.constant("\uD800 \0 x"));
const filled = text.filter((it) => it !== "");
const url = fc.webUrl();
const detail = fc.option(fc.constantFrom("low", "high", "auto"), { nil: undefined });

const textBlock = text.map((it) => ({ type: "text", text: it }));
const imageBlock = fc
  .record({ url, detail })
  .map(({ url: at, detail: how }) => ({ type: "image_url", image_url: { url: at, ...(how && { detail: how }) } }));
const content = fc.oneof(text, fc.array(fc.oneof(textBlock, imageBlock), { maxLength: 3 }));

/** Names that the shape itself gives a meaning. */
const KNOWN =
  /^(?:role|content|name|refusal|tool_call_id|tool_calls|id|type|function|extra_content|reasoning.*|thinking_blocks|codex_reasoning_items)$/u;
const unknown = fc.dictionary(
  fc.oneof(fc.constantFrom("annotations", "audio", "parsed", "_source"), fc.string()).filter((it) => !KNOWN.test(it)),
  fc.jsonValue(),
  { maxKeys: 2 },
);

const user = fc.tuple(content, unknown, fc.option(fc.string(), { nil: undefined })).map(([said, more, name]): Json => ({
  role: "user",
  content: said,
  ...more,
  ...(name !== undefined && { name }),
}));

const call = fc.record({ name: filled, input: fc.json(), more: unknown, signed: fc.boolean() });

const assistant = fc.record({
  content: fc.oneof(text, fc.constant(null)),
  refusal: fc.option(fc.oneof(text, fc.constant(null)), { nil: undefined }),
  thought: fc.option(filled, { nil: undefined }),
  opaque: fc.option(fc.array(fc.jsonValue(), { minLength: 1, maxLength: 2 }), { nil: undefined }),
  calls: fc.array(fc.tuple(call, content, unknown), { maxLength: 3 }),
  more: unknown,
});

/** A legal history: each call has an id of its own and its receipt behind it, in the order asked. */
const history = fc.array(fc.oneof(user, assistant), { maxLength: 6 }).map((turns) => {
  let ids = 0;
  return turns.flatMap((turn): Json[] => {
    if ("role" in turn) return [turn as Json];
    const { refusal, thought, opaque, calls, more } = turn as Exclude<typeof turn, Json>;
    const asked = calls.map(([{ name, input, more: beside, signed }, output, kept]) => {
      const id = `call-${++ids}`;
      const extra = signed ? { extra_content: { google: { thought_signature: "c2ln" } } } : {};
      return {
        call: { id, type: "function", function: { name, arguments: input }, ...extra, ...beside },
        receipt: { role: "tool", tool_call_id: id, name, content: output, ...kept },
      };
    });
    const said = {
      role: "assistant",
      content: turn["content"],
      ...(refusal !== undefined && { refusal }),
      ...(thought !== undefined && { reasoning_content: thought }),
      ...(opaque !== undefined && { reasoning_details: opaque }),
      ...(asked.length > 0 && { tool_calls: asked.map((it) => it.call) }),
      ...more,
    };
    return [said, ...asked.map((it) => it.receipt)];
  });
});

/** Row A4, in every text and name. */
function wellFormed(value: unknown): unknown {
  if (typeof value === "string") return value.toWellFormed().replaceAll("\0", "\uFFFD");
  if (Array.isArray(value)) return value.map(wellFormed);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [wellFormed(key), wellFormed(item)]));
}

/** Texts without anything in them are left out, and a single text is no list. */
function normalContent(given: unknown): unknown {
  if (!Array.isArray(given)) return given ?? "";
  const blocks = (given as Fields[]).filter((block) => block["text"] !== "");
  if (blocks.length === 0) return "";
  return blocks.length === 1 && blocks[0]?.["type"] === "text" ? blocks[0]["text"] : blocks;
}

/** The normalisation that docs/library.md states, written down once more. */
function normal(messages: readonly Json[]): Fields[] {
  return (wellFormed(messages) as Json[]).flatMap((message): Fields[] => {
    const said = { ...message, content: normalContent(message["content"]) };
    if (message.role === "tool")
      return [said.content === "" ? { ...said, content: "[The tool's output was omitted.]" } : said];
    if (message.role === "user") return said.content === "" ? [] : [said];
    const {
      content: words,
      reasoning_content: thought,
      reasoning_details: opaque,
      tool_calls: calls,
      refusal,
    } = said as Fields;
    const saysNothing = words === "" && !thought && !opaque && !calls && !refusal;
    return saysNothing ? [] : [said];
  });
}

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

test("[C5] any history in the OpenAI shape goes in and comes out the same, but for what is stated", () => {
  fc.assert(
    fc.property(history, (messages) => {
      const out = toOpenAi(fromOpenAi(messages as unknown as OpenAiMessage[]));
      expect(plain(out)).toEqual(plain(normal(messages)));
    }),
    { numRuns: 500 },
  );
});

test("[C5] what came out goes in again without any change", () => {
  fc.assert(
    fc.property(history, (messages) => {
      const once = toOpenAi(fromOpenAi(messages as unknown as OpenAiMessage[]));
      expect(toOpenAi(fromOpenAi(once))).toEqual(once);
    }),
    { numRuns: 200 },
  );
});

test("[C5] [G1] through a session and its store as well", async () => {
  await using bot = agent({ baseUrl: "http://127.0.0.1:9/v1", model: "none" });
  let sessions = 0;
  await fc.assert(
    fc.asyncProperty(history, async (messages) => {
      const id = `s${++sessions}`;
      await bot.importMessages(id, messages as unknown as OpenAiMessage[]);
      expect(plain(bot.exportMessages(id))).toEqual(plain(normal(messages)));
    }),
    { numRuns: 50 },
  );
  expect(bot.exportMessages("no such session")).toBeUndefined();
});

test("[C5] fields that nobody here reads are never sent; a refusal is, as the model's words", async () => {
  const model = script([say.text("Fine.")]);
  await using bot = agent({ model });
  await bot.importMessages("s", [
    { role: "user", content: "help me", name: "ann", audio: { id: "a" } } as OpenAiMessage,
    { role: "assistant", content: null, refusal: "I cannot.", annotations: [] } as OpenAiMessage,
  ]);
  await bot.run("then something else", { sessionId: "s" });
  expect(model.requests[0]?.messages.slice(-3)).toEqual([
    { role: "user", content: "help me" },
    { role: "assistant", content: "I cannot." },
    { role: "user", content: "then something else" },
  ]);
  expect(bot.exportMessages("s")?.[1]).toEqual({
    role: "assistant",
    content: "",
    refusal: "I cannot.",
    annotations: [],
  });
});
