import {
  type Content,
  FunctionCallingConfigMode,
  type FunctionDeclaration,
  type GenerateContentParameters,
  type Part,
  Type,
} from "@google/genai";
import { seal } from "../seal.ts";
import { CODE, LONG, MANY, PHOTO, PNG, PROMPT, RICH, type TalkName, TOOL_PROMPT, UNICODE } from "../talks.ts";

type Body = GenerateContentParameters;

const user = (...parts: Part[]): Content => ({ role: "user", parts });
const model = (...parts: Part[]): Content => ({ role: "model", parts });
const text = (words: string): Part => ({ text: words });
const call = (id: string, args: Record<string, unknown> = { path: id }, name = "ls"): Part => ({
  functionCall: { id, name, args },
});
const sealed = (part: Part, name = "ls"): Part => ({ ...part, thoughtSignature: seal("gemini", name) });
const answer = (id: string, output: string, name = "ls"): Part => ({
  functionResponse: { id, name, response: { output } },
});
const inside: Part = { inlineData: { mimeType: "image/png", data: PNG } };

/** Gemini's own subset of a schema, with its own names of types. */
const ls = (name: string): FunctionDeclaration => ({
  name,
  description: "Lists a folder.",
  parameters: { type: Type.OBJECT, properties: { path: { type: Type.STRING } } },
});
const rich: FunctionDeclaration = {
  name: RICH.name,
  description: RICH.description,
  parameters: {
    type: Type.OBJECT,
    properties: {
      words: { type: Type.ARRAY, items: { type: Type.STRING }, description: "At least one." },
      order: { type: Type.STRING, enum: ["newest", "oldest"] },
      within: {
        type: Type.OBJECT,
        properties: { days: { type: Type.INTEGER }, exact: { type: Type.BOOLEAN } },
        required: ["days"],
      },
    },
    required: ["words"],
  },
};

/** Nothing stands beside an answer: the API counts the parts. */
const BETWEEN = "I have read the results.";

const hi = user(text("hi"));
const next = user(text("and then?"));
const plain = (...contents: Content[]): Body => ({ model: "gemini-2.5-fake", contents });
const prompted = (systemInstruction: string, ...contents: Content[]): Body => ({
  ...plain(...contents),
  config: { systemInstruction },
});
const withFunctions = (functionDeclarations: FunctionDeclaration[], ...contents: Content[]): Body => ({
  ...plain(hi, ...contents),
  config: { systemInstruction: TOOL_PROMPT, tools: [{ functionDeclarations }] },
});
const withTools = (...contents: Content[]): Body => withFunctions([ls("ls")], ...contents);
const five = ["c1", "c2", "c3", "c4", "c5"];

/** The same talks, written by hand in the official client's own types. */
export const GEMINI: Readonly<Record<TalkName, Body>> = {
  hello: plain(hi),
  "system prompt": prompted(PROMPT, hi),
  "long system prompt": prompted(`${LONG}\n\n${UNICODE}`, hi),
  "two questions": prompted(PROMPT, hi, model(text("Hello.")), next),
  "five questions": plain(hi, ...["1", "2", "3", "4"].flatMap((words) => [model(text(words)), next])),
  unicode: prompted(UNICODE, user(text(UNICODE)), model(text(UNICODE)), user(text(UNICODE))),
  "long text": plain(user(text(LONG)), model(text(LONG)), next),
  code: plain(user(text(CODE)), model(text(CODE)), next),
  "tools offered": withTools(),
  "tools and no prompt": {
    ...plain(hi),
    config: {
      systemInstruction: TOOL_PROMPT.slice(PROMPT.length).trim(),
      tools: [{ functionDeclarations: [ls("ls")] }],
    },
  },
  "many tools": withFunctions(MANY.map(({ name }) => ls(name))),
  "rich schema": withFunctions([rich]),
  "one call": withTools(model(call("c1")), user(answer("c1", "a.txt"))),
  "a call behind a text": withTools(model(text("I look."), call("c1")), user(answer("c1", "a.txt"))),
  "two calls at once": withTools(model(call("c1"), call("c2")), user(answer("c1", "a"), answer("c2", "b"))),
  "five calls at once": withTools(model(...five.map((id) => call(id))), user(...five.map((id) => answer(id, id)))),
  "calls in rounds": withTools(
    ...["a", "b", "c"].flatMap((words, at) => [model(call(`c${at + 1}`)), user(answer(`c${at + 1}`, words))]),
  ),
  "an answer behind a call": withTools(model(call("c1")), user(answer("c1", "a")), model(text("Done.")), next),
  "a question behind a result": withTools(model(call("c1")), user(answer("c1", "a")), model(text(BETWEEN)), next),
  "a failed call": withTools(
    model(call("c1")),
    user({ functionResponse: { id: "c1", name: "ls", response: { error: "no such folder" } } }),
  ),
  "a denied and a good call": withTools(
    model(call("c1"), call("c2")),
    user({ functionResponse: { id: "c1", name: "ls", response: { error: "not allowed" } } }, answer("c2", "b")),
  ),
  "a long result": withTools(model(call("c1")), user(answer("c1", LONG))),
  "a result in all letters": withTools(model(call("c1")), user(answer("c1", UNICODE))),
  "an empty result": withTools(model(call("c1")), user(answer("c1", "(no output)"))),
  "a call with nested input": withFunctions(
    [rich],
    model(call("c1", { words: ["ä", '"b"', "𝄞"], within: { days: 3, exact: true }, order: "oldest" }, RICH.name)),
    user(answer("c1", "none", RICH.name)),
  ),
  "a call without input": withTools(model(call("c1", {})), user(answer("c1", "a"))),
  reasoning: prompted(PROMPT, hi, model(text("Hello."), sealed(text(""), "text")), next),
  "reasoning before a call": withTools(model(sealed(call("c1"))), user(answer("c1", "a"))),
  "reasoning, text and a call": withTools(model(text("I look."), sealed(call("c1"))), user(answer("c1", "a"))),
  "reasoning in rounds": withTools(
    model(sealed(call("c1"))),
    user(answer("c1", "a")),
    model(sealed(call("c2"))),
    user(answer("c2", "b")),
  ),
  "hidden reasoning": withTools(model(sealed(call("c1"))), user(answer("c1", "a"))),
  "a foreign answer": plain(hi, model(text("Hello from afar.")), next),
  "foreign reasoning": plain(hi, model(text("Hello from afar.")), next),
  "a foreign call": withTools(
    model({ functionCall: { name: "ls", args: { path: "f1" } } }),
    user({ functionResponse: { name: "ls", response: { output: "a" } } }),
  ),
  "a picture inside": plain(user(text("See:"), inside)),
  "a picture alone": plain(user(inside)),
  "two pictures": plain(user(inside, text("and"), inside)),
  "a picture from the web": plain(user(text("See:"), { fileData: { mimeType: "image/png", fileUri: PHOTO } })),
  "a picture in a result": withTools(model(call("c1")), user(answer("c1", "shot"), inside)),
  "an output limit": { ...plain(hi), config: { maxOutputTokens: 500 } },
  "tools forbidden": {
    ...plain(hi, model(call("c1")), user(answer("c1", "a"))),
    config: {
      systemInstruction: TOOL_PROMPT,
      tools: [{ functionDeclarations: [ls("ls")] }],
      toolConfig: { functionCallingConfig: { mode: FunctionCallingConfigMode.NONE } },
    },
  },
  "no stream": prompted(PROMPT, hi),
};
