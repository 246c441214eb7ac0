/** A chat-completions request as the practice model reads it: only what it uses, checked at the door. */
export interface ChatRequest {
  readonly messages: readonly ChatMessage[];
  /** Names of the tools on offer. */
  readonly tools: ReadonlySet<string>;
  /** `tool_choice: "none"`: answer from what is already known. */
  readonly callsForbidden: boolean;
  readonly stream: boolean;
  readonly includeUsage: boolean;
}

export interface ChatMessage {
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly text: string;
  readonly calls: readonly ChatCall[];
  /** Of a tool message: the call it answers; otherwise empty. */
  readonly callId: string;
}

export interface ChatCall {
  readonly id: string;
  readonly name: string;
  /** Raw JSON text. */
  readonly arguments: string;
}

/** An error in the shape that OpenAI clients read. */
export interface RequestFault {
  readonly status: number;
  readonly message: string;
  readonly param: string | null;
  readonly code: string | null;
}

export type Checked =
  | { readonly type: "request"; readonly request: ChatRequest }
  | ({ readonly type: "fault" } & RequestFault);

export const MODEL_NAME = "practice";

type Fields = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

class Invalid extends Error {
  readonly fault: RequestFault;
  constructor(message: string, param: string, code: string | null = null, status = 400) {
    super(message);
    this.fault = { status, message, param, code };
  }
}

/** Reads the body of a request. Bad input is a fault to be sent back, never an exception. */
export function checkRequest(body: string): Checked {
  try {
    return { type: "request", request: readRequest(parseObject(body)) };
  } catch (error) {
    if (error instanceof Invalid) return { type: "fault", ...error.fault };
    throw error;
  }
}

function parseObject(body: string): Fields {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    throw new Invalid("The body is not valid JSON.", "body");
  }
  if (!isObject(value)) throw new Invalid("The body must be a JSON object.", "body");
  return value;
}

function readRequest(body: Fields): ChatRequest {
  const model = body["model"];
  if (typeof model !== "string") throw new Invalid("`model` must be a string.", "model");
  if (model !== MODEL_NAME) {
    throw new Invalid(
      `There is no model ${JSON.stringify(model)} here; this server has only \`${MODEL_NAME}\`.`,
      "model",
      "model_not_found",
      404,
    );
  }
  if (!Array.isArray(body["messages"]) || body["messages"].length === 0) {
    throw new Invalid("`messages` must be a non-empty array.", "messages");
  }
  if (body["n"] !== undefined && body["n"] !== null && body["n"] !== 1)
    throw new Invalid("Only `n: 1` is supported.", "n");
  const messages = body["messages"].map(readMessage);
  checkCallsAnswered(messages);
  const options = body["stream_options"];
  return {
    messages,
    tools: readTools(body["tools"]),
    callsForbidden: readToolChoice(body["tool_choice"]),
    stream: body["stream"] === true,
    includeUsage: isObject(options) && options["include_usage"] === true,
  };
}

function readMessage(value: unknown, index: number): ChatMessage {
  const param = `messages[${index}]`;
  if (!isObject(value)) throw new Invalid(`\`${param}\` must be an object.`, param);
  const text = readContent(value["content"], `${param}.content`);
  switch (value["role"]) {
    case "system":
    case "developer":
      return { role: "system", text, calls: [], callId: "" };
    case "user":
      return { role: "user", text, calls: [], callId: "" };
    case "assistant":
      return { role: "assistant", text, calls: readCalls(value["tool_calls"], `${param}.tool_calls`), callId: "" };
    case "tool": {
      const callId = value["tool_call_id"];
      if (typeof callId !== "string") throw new Invalid(`\`${param}.tool_call_id\` must be a string.`, param);
      return { role: "tool", text, calls: [], callId };
    }
    default:
      throw new Invalid(`\`${param}.role\` must be system, developer, user, assistant or tool.`, `${param}.role`);
  }
}

function readContent(content: unknown, param: string): string {
  if (typeof content === "string") return content;
  if (content === null || content === undefined) return "";
  if (!Array.isArray(content)) throw new Invalid(`\`${param}\` must be a string or an array of parts.`, param);
  return content
    .map((part: unknown) => {
      if (isObject(part) && part["type"] === "text" && typeof part["text"] === "string") return part["text"];
      throw new Invalid(`\`${param}\` holds a part that is no text; the practice model reads text only.`, param);
    })
    .join("\n");
}

function readCalls(value: unknown, param: string): ChatCall[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw new Invalid(`\`${param}\` must be an array.`, param);
  return value.map((call: unknown) => {
    const target = isObject(call) ? call["function"] : undefined;
    if (isObject(call) && typeof call["id"] === "string" && isObject(target)) {
      const { id } = call;
      if (typeof id === "string" && typeof target["name"] === "string" && typeof target["arguments"] === "string") {
        return { id, name: target["name"], arguments: target["arguments"] };
      }
    }
    throw new Invalid(`Each entry of \`${param}\` needs an id and a function with name and arguments.`, param);
  });
}

/** What every strict server demands: each call is answered once, directly behind the message that made it. */
function checkCallsAnswered(messages: readonly ChatMessage[]): void {
  const open = new Set<string>();
  messages.forEach((message, index) => {
    const param = `messages[${index}]`;
    if (message.role === "tool") {
      if (!open.delete(message.callId)) throw new Invalid(`\`${param}\` answers no open tool call.`, param);
      return;
    }
    if (open.size > 0)
      throw new Invalid(`Tool calls before \`${param}\` were not answered: ${[...open].join(", ")}.`, param);
    for (const call of message.calls) open.add(call.id);
  });
  if (open.size > 0) throw new Invalid(`Tool calls were not answered: ${[...open].join(", ")}.`, "messages");
}

function readTools(value: unknown): Set<string> {
  if (value === undefined || value === null) return new Set();
  if (!Array.isArray(value)) throw new Invalid("`tools` must be an array.", "tools");
  return new Set(
    value.map((tool: unknown) => {
      const target = isObject(tool) ? tool["function"] : undefined;
      if (isObject(target) && typeof target["name"] === "string") return target["name"];
      throw new Invalid("Each entry of `tools` needs a function with a name.", "tools");
    }),
  );
}

function readToolChoice(value: unknown): boolean {
  if (value === "none") return true;
  if (value === undefined || value === null || value === "auto") return false;
  throw new Invalid("The practice model supports `tool_choice` auto and none only.", "tool_choice");
}
