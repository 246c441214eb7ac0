import type { Dialect, Reader } from "../../../src/model/dialect.ts";
import { callsOf, type Message } from "../../../src/protocol/message.ts";
import { type OpenAiMessage, fromOpenAi } from "../../../src/protocol/openai.ts";
import { project } from "../../../src/protocol/projection/project.ts";
import type { ToolSpec } from "../../../src/protocol/tool.ts";
import { isObject, type Json, type JsonObject } from "../case-file.ts";
import { listOf, objectOf, textOf, textOrNone } from "../input.ts";

interface Asked {
  readonly model: string;
  readonly host: string;
  readonly rows: readonly Json[];
  readonly tools: Json | undefined;
  readonly maxOutput: Json | undefined;
}

/** Recorded OpenAI-shaped rows as the body of a request in a dialect. What is opaque in them is of the model that is asked. */
export function requestOf(dialect: Dialect, { model, host, rows, tools, maxOutput }: Asked): JsonObject {
  const provider = "recorded";
  const isSystem = (row: Json): boolean => objectOf(row, "row")["role"] === "system";
  const messages = project(
    fromOpenAi(rows.filter((row) => !isSystem(row)) as unknown as readonly OpenAiMessage[]).map((message) =>
      ofModel(message, { provider, model }),
    ),
  );
  const specs = toolsOf(tools ?? null);
  const reader: Reader = {
    provider,
    model,
    host,
    nonce: "0a1b2c",
    hasTools: specs.length > 0,
    hasSystem: rows.some(isSystem),
    maxOutput: undefined,
    calls: new Map(
      messages
        .flatMap((message) => (message.role === "assistant" ? callsOf(message) : []))
        .map((call) => [call.callId, call]),
    ),
  };
  const system = rows
    .filter(isSystem)
    .map((row) => textOf(objectOf(row, "row")["content"], "content"))
    .join("\n\n");
  const request = {
    provider,
    model,
    history: messages,
    compaction: undefined,
    tail: [],
    noTools: false,
    continues: false,
    maxOutput: typeof maxOutput === "number" ? maxOutput : undefined,
    streaming: true,
  };
  const opening = dialect.encodeOpening({ system, tools: specs, streaming: true, reader });
  const head = messages.map((message, at) => dialect.encodeMessage(message, messages[at - 1], reader));
  const tail = dialect.encodeTail([], messages.at(-1), request, reader);
  return JSON.parse(`${opening.join("")}${head.join("")}${tail}`) as JsonObject;
}

function ofModel(message: Message, provenance: Pick<Reader, "provider" | "model">): Message {
  if (message.role !== "assistant") return message;
  const parts = message.parts.map((part) =>
    part.type !== "text" && part.opaque !== undefined ? { ...part, provenance } : part,
  );
  return { ...message, parts };
}

const toolsOf = (tools: Json): ToolSpec[] =>
  listOf(tools ?? [], "tools").map((tool) => {
    const { name, description, parameters } = objectOf(objectOf(tool, "tool")["function"], "function");
    const known = parameters !== undefined && isObject(parameters) ? parameters : {};
    return { name: textOf(name, "name"), description: textOrNone(description), parameters: known };
  });
