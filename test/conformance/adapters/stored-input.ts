import { agentOn } from "../../../src/agent/agent.ts";
import { textOf as messageText } from "../../../src/protocol/message.ts";
import { fromOpenAi, type OpenAiMessage, toOpenAi } from "../../../src/protocol/openai.ts";
import { memoryStore } from "../../../src/store/memory.ts";
import { fakeProvider } from "../../support/fake-provider.ts";
import { say } from "../../support/wire-script.ts";
import type { Json } from "../case-file.ts";
import { listOf, numberOf, objectOf, textOf } from "../input.ts";
import { runScripted } from "./scripted-agent.ts";

/**
 * `{initial_message_count, history_count}`: how many of the messages the run begins with are not to be saved when it is
 * over. Ours are counted in the store while the model is being asked: the prompt, which is none of them, and the rows.
 */
export async function saveBoundaryCase(input: Json): Promise<unknown> {
  const given = objectOf(input, "input");
  const initial = numberOf(given["initial_message_count"], "initial_message_count");
  const before = numberOf(given["history_count"], "history_count");
  let stored = 0;
  await runScripted({
    steps: [say("Done.")],
    history: Array.from({ length: before }, (_, at) => ({ role: "user", content: `message ${at}` })),
    user: "hello",
    onRequest: (store) => {
      stored = store.history("s")?.length ?? 0;
    },
  });
  const unsaved = before + 1 - stored;
  return { skip: initial - unsaved };
}

/**
 * `{content, blocks}`: what the model reads and what everybody else does; `{stored, marker}`: a row that was stored
 * elsewhere, as we take it over.
 */
export async function runtimeContextCase(input: Json): Promise<unknown> {
  const { content, blocks, stored } = objectOf(input, "input");
  if (stored !== undefined) return { public_content: publicText(textOf(stored, "stored")) };
  const texts = listOf(blocks, "blocks").map((block) => textOf(block, "block"));
  await using provider = await fakeProvider([say("Done.")]);
  await using store = { it: memoryStore(), [Symbol.asyncDispose]: () => Promise.resolve() };
  const plugins = texts.map((text, at) => ({ name: `block-${at}`, beforeTurn: () => text }));
  await using bot = agentOn(store.it, { baseUrl: provider.baseUrl, model: "fake-1", plugins });
  const { messages } = await bot.run(textOf(content, "content"));
  const [question] = messages;
  return {
    model_content: provider.requests[0]?.body.messages.at(-1)?.content,
    public_content: question === undefined ? null : messageText(question),
    has_marker: question?.parts.some(({ type }) => type === "context") ?? false,
  };
}

function publicText(row: string): string {
  const [message] = fromOpenAi([{ role: "user", content: row }]);
  return message === undefined ? "" : messageText(message);
}

/** `{messages}`: the rows as they come out again, and whether a letter of them is lost. */
export function asciiFallbackCase(input: Json): unknown {
  const rows = listOf(objectOf(input, "input")["messages"], "messages");
  const messages = toOpenAi(fromOpenAi(rows as unknown as readonly OpenAiMessage[]));
  const bytes = Buffer.from(JSON.stringify(messages));
  const sent = JSON.parse(bytes.toString("utf8")) as unknown;
  return { changed: JSON.stringify(sent) !== JSON.stringify(messages), messages: sent };
}
