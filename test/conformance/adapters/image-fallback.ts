import type { ImagePart } from "../../../src/protocol/message.ts";
import { toOpenAi } from "../../../src/protocol/openai.ts";
import { refuse } from "../../support/wire-script.ts";
import type { Json, JsonObject } from "../case-file.ts";
import { listOf, objectOf, textOf } from "../input.ts";
import { runScripted } from "./scripted-agent.ts";

/** `{responses, messages}`: a message with a picture, and failures that no reference takes to pass by themselves. */
export async function imageFallbackCase(input: Json): Promise<unknown> {
  const { responses, messages } = objectOf(input, "input");
  const [row] = listOf(messages, "messages");
  const blocks = listOf(objectOf(row, "row")["content"], "content").map((block) => objectOf(block, "block"));
  const ran = await runScripted({
    steps: listOf(responses, "responses").map((response) => refused(objectOf(response, "response"))),
    user: blocks.flatMap(({ text }) => (text === undefined ? [] : [textOf(text, "text")])).join(""),
    attachments: blocks.flatMap(pictureOf),
  });
  const [, second] = ran.requests.map(({ body }) => body.messages.filter(({ role }) => role !== "system"));
  return {
    calls: ran.requests.length,
    final: serverWords(ran.result.error?.message ?? ""),
    second_request: second ?? null,
    caller_messages_after: toOpenAi(ran.messages.slice(0, 1)),
  };
}

/** Ours tells first who refused, and ends as a sentence. */
const serverWords = (message: string): string => message.replace(/^[^\n]*?: /u, "").replace(/\.$/u, "");

const refused = ({ content }: JsonObject): ReturnType<typeof refuse> =>
  refuse(400, { error: { message: textOf(content, "content") } });

const pictureOf = ({ image_url: image }: JsonObject): readonly ImagePart[] =>
  image === undefined ? [] : [{ type: "image", url: textOf(objectOf(image, "image_url")["url"], "url") }];
