import { type AssistantMessage, type ImagePart, type ReceiptStatus, userText } from "../../src/protocol/message.ts";
import type { UserMessage } from "../../src/protocol/message.ts";
import { steerStatement } from "../../src/protocol/steer-marker.ts";
import type { ToolSpec } from "../../src/protocol/tool.ts";
import { calls, type CallScript, type ScriptPart, thinks } from "./script.ts";

/** A conversation in no dialect's words, up to the request that is looked at. */
export interface Talk {
  readonly system?: string;
  readonly tools?: readonly ToolSpec[];
  readonly turns: readonly Turn[];
  readonly maxOutput?: number;
  readonly noTools?: true;
  /** The last request asks for no stream. */
  readonly whole?: true;
}

export type Turn =
  | UserMessage
  /** Said by the fake in the dialect's own words, and kept as our client reads it. */
  | { readonly role: "model"; readonly parts: readonly ScriptPart[] }
  /** Said by another model, before this one was asked. */
  | AssistantMessage
  | ResultTurn;

export interface ResultTurn {
  readonly role: "result";
  readonly id: string;
  readonly parts: readonly ({ readonly type: "text"; readonly text: string } | ImagePart)[];
  readonly status?: ReceiptStatus;
}

export const NONCE = "0a1b";
export const PROMPT = "You help.";

/** The prompt as it is sent where tools are: our own sentence about what users say meanwhile stands behind it. */
export const TOOL_PROMPT: string = `${PROMPT}\n\n${steerStatement(NONCE)}`;

export const LS: ToolSpec = {
  name: "ls",
  description: "Lists a folder.",
  parameters: { type: "object", properties: { path: { type: "string" } } },
};

export const RICH: ToolSpec = {
  name: "search_notes",
  description: 'Finds notes; quotes “like this” and "that" are kept.',
  parameters: {
    type: "object",
    properties: {
      words: { type: "array", items: { type: "string" }, description: "At least one." },
      order: { type: "string", enum: ["newest", "oldest"] },
      within: {
        type: "object",
        properties: { days: { type: "integer" }, exact: { type: "boolean" } },
        required: ["days"],
      },
    },
    required: ["words"],
  },
};

export const MANY: readonly ToolSpec[] = Array.from({ length: 20 }, (_, at) => ({ ...LS, name: `ls_${at}` }));

export const UNICODE: string = 'Grüße 𝄞 👩‍👩‍👧 שלום 你好 e\u0301 \u2028 "quoted" \\ back\tslash\nline';
export const LONG: string = "All work and no play. ".repeat(5_000).trim();
export const CODE = "```ts\nconst a = 1;\n\n  indented();\n```\n\n| a | b |\n|---|---|";
export const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
export const PHOTO = "https://pictures.example/photo.png";

const result = (id: string, text: string, status: ReceiptStatus = "ok"): ResultTurn => ({
  role: "result",
  id,
  status,
  parts: [{ type: "text", text }],
});
const model = (...parts: readonly ScriptPart[]): Turn => ({ role: "model", parts });
const says = (text: string): ScriptPart => ({ type: "text", text });
const ls = (id: string, input: unknown = { path: id }): CallScript => calls("ls", input, { id });
const picture = (url: string): ImagePart => ({ type: "image", url });
const withPictures = (...parts: UserMessage["parts"]): UserMessage => ({ role: "user", parts });
const hi = userText("hi");
const next = userText("and then?");
const tools = { system: PROMPT, tools: [LS] };
const FOREIGN = { provider: "somebody-else", model: "other-1" };

const foreign = (...parts: AssistantMessage["parts"]): AssistantMessage => ({ role: "assistant", parts });

export const TALK_NAMES = [
  "hello",
  "system prompt",
  "long system prompt",
  "two questions",
  "five questions",
  "unicode",
  "long text",
  "code",
  "tools offered",
  "tools and no prompt",
  "many tools",
  "rich schema",
  "one call",
  "a call behind a text",
  "two calls at once",
  "five calls at once",
  "calls in rounds",
  "an answer behind a call",
  "a question behind a result",
  "a failed call",
  "a denied and a good call",
  "a long result",
  "a result in all letters",
  "an empty result",
  "a call with nested input",
  "a call without input",
  "reasoning",
  "reasoning before a call",
  "reasoning, text and a call",
  "reasoning in rounds",
  "hidden reasoning",
  "a foreign answer",
  "foreign reasoning",
  "a foreign call",
  "a picture inside",
  "a picture alone",
  "two pictures",
  "a picture from the web",
  "a picture in a result",
  "an output limit",
  "tools forbidden",
  "no stream",
] as const;

export type TalkName = (typeof TALK_NAMES)[number];

/** What every dialect must be able to say. */
export const TALKS: Readonly<Record<TalkName, Talk>> = {
  hello: { turns: [hi] },
  "system prompt": { system: PROMPT, turns: [hi] },
  "long system prompt": { system: `${LONG}\n\n${UNICODE}`, turns: [hi] },
  "two questions": { system: PROMPT, turns: [hi, model(says("Hello.")), next] },
  "five questions": {
    turns: [hi, model(says("1")), next, model(says("2")), next, model(says("3")), next, model(says("4")), next],
  },
  unicode: { system: UNICODE, turns: [userText(UNICODE), model(says(UNICODE)), userText(UNICODE)] },
  "long text": { turns: [userText(LONG), model(says(LONG)), next] },
  code: { turns: [userText(CODE), model(says(CODE)), next] },
  "tools offered": { ...tools, turns: [hi] },
  "tools and no prompt": { tools: [LS], turns: [hi] },
  "many tools": { system: PROMPT, tools: MANY, turns: [hi] },
  "rich schema": { system: PROMPT, tools: [RICH], turns: [hi] },
  "one call": { ...tools, turns: [hi, model(ls("c1")), result("c1", "a.txt")] },
  "a call behind a text": { ...tools, turns: [hi, model(says("I look."), ls("c1")), result("c1", "a.txt")] },
  "two calls at once": { ...tools, turns: [hi, model(ls("c1"), ls("c2")), result("c1", "a"), result("c2", "b")] },
  "five calls at once": {
    ...tools,
    turns: [
      hi,
      model(...["c1", "c2", "c3", "c4", "c5"].map((id) => ls(id))),
      ...["c1", "c2", "c3", "c4", "c5"].map((id) => result(id, id)),
    ],
  },
  "calls in rounds": {
    ...tools,
    turns: [
      hi,
      model(ls("c1")),
      result("c1", "a"),
      model(ls("c2")),
      result("c2", "b"),
      model(ls("c3")),
      result("c3", "c"),
    ],
  },
  "an answer behind a call": { ...tools, turns: [hi, model(ls("c1")), result("c1", "a"), model(says("Done.")), next] },
  "a question behind a result": {
    ...tools,
    turns: [hi, model(ls("c1")), result("c1", "a"), { ...next, midTurn: true }],
  },
  "a failed call": { ...tools, turns: [hi, model(ls("c1")), result("c1", "no such folder", "error")] },
  "a denied and a good call": {
    ...tools,
    turns: [hi, model(ls("c1"), ls("c2")), result("c1", "not allowed", "denied"), result("c2", "b")],
  },
  "a long result": { ...tools, turns: [hi, model(ls("c1")), result("c1", LONG)] },
  "a result in all letters": { ...tools, turns: [hi, model(ls("c1")), result("c1", UNICODE)] },
  "an empty result": { ...tools, turns: [hi, model(ls("c1")), result("c1", "")] },
  "a call with nested input": {
    system: PROMPT,
    tools: [RICH],
    turns: [
      hi,
      model(
        calls(
          "search_notes",
          { within: { exact: true, days: 3 }, words: ["ä", '"b"', "𝄞"], order: "oldest" },
          { id: "c1" },
        ),
      ),
      result("c1", "none"),
    ],
  },
  "a call without input": { ...tools, turns: [hi, model(ls("c1", {})), result("c1", "a")] },
  reasoning: { system: PROMPT, turns: [hi, model(thinks("Let me think."), says("Hello.")), next] },
  "reasoning before a call": { ...tools, turns: [hi, model(thinks("I look."), ls("c1")), result("c1", "a")] },
  "reasoning, text and a call": {
    ...tools,
    turns: [hi, model(thinks("Hm."), says("I look."), ls("c1")), result("c1", "a")],
  },
  "reasoning in rounds": {
    ...tools,
    turns: [
      hi,
      model(thinks("First."), ls("c1")),
      result("c1", "a"),
      model(thinks("Second."), ls("c2")),
      result("c2", "b"),
    ],
  },
  "hidden reasoning": {
    ...tools,
    turns: [hi, model({ type: "reasoning", text: "secret", hidden: true }, ls("c1")), result("c1", "a")],
  },
  "a foreign answer": { turns: [hi, foreign({ type: "text", text: "Hello from afar." }), next] },
  "foreign reasoning": {
    turns: [
      hi,
      foreign(
        { type: "reasoning", text: "Theirs.", opaque: { signature: "foreign", data: "foreign" }, provenance: FOREIGN },
        { type: "text", text: "Hello from afar." },
      ),
      next,
    ],
  },
  "a foreign call": {
    ...tools,
    turns: [
      hi,
      foreign({
        type: "tool-call",
        callId: "f1",
        name: "ls",
        input: '{"path":"f1"}',
        opaque: { thoughtSignature: "foreign" },
        provenance: FOREIGN,
      }),
      result("f1", "a"),
    ],
  },
  "a picture inside": {
    turns: [withPictures({ type: "text", text: "See:" }, picture(`data:image/png;base64,${PNG}`))],
  },
  "a picture alone": { turns: [withPictures(picture(`data:image/png;base64,${PNG}`))] },
  "two pictures": {
    turns: [
      withPictures(
        picture(`data:image/png;base64,${PNG}`),
        { type: "text", text: "and" },
        picture(`data:image/png;base64,${PNG}`),
      ),
    ],
  },
  "a picture from the web": { turns: [withPictures({ type: "text", text: "See:" }, picture(PHOTO))] },
  "a picture in a result": {
    ...tools,
    turns: [
      hi,
      model(ls("c1")),
      {
        role: "result",
        id: "c1",
        parts: [{ type: "text", text: "shot" }, picture(`data:image/png;base64,${PNG}`)],
      },
    ],
  },
  "an output limit": { turns: [hi], maxOutput: 500 },
  "tools forbidden": { ...tools, turns: [hi, model(ls("c1")), result("c1", "a")], noTools: true },
  "no stream": { system: PROMPT, turns: [hi], whole: true },
};
