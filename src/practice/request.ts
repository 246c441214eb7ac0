import { withoutContexts } from "../protocol/context.ts";
import { isObject, type JsonObject } from "../protocol/json.ts";

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
  /** It held pictures, which this program cannot see. */
  readonly pictures: boolean;
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

/** Collects what is wrong; reading goes on with a stand-in, and the first fault is what the caller hears of. */
class Faults {
  first: RequestFault | undefined;

  add(message: string, param: string, code: string | null = null, status = 400): void {
    this.first ??= { status, message, param, code };
  }
}

/** Reads the body of a request. Bad input is a fault to be sent back, never an exception. */
export function checkRequest(body: string): Checked {
  const faults = new Faults();
  const fields = parseObject(body);
  if (fields === undefined) faults.add("The body must be a JSON object.", "body");
  const request = readRequest(fields ?? {}, faults);
  return faults.first === undefined ? { type: "request", request } : { type: "fault", ...faults.first };
}

function parseObject(body: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(body);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function readRequest(body: JsonObject, faults: Faults): ChatRequest {
  checkModel(body["model"], faults);
  if ((body["n"] ?? 1) !== 1) faults.add("Only `n: 1` is supported.", "n");
  const messages = listOf(body["messages"], "messages", faults).map((value, index) =>
    readMessage(value, `messages[${index}]`, faults),
  );
  if (messages.length === 0) faults.add("`messages` must not be empty.", "messages");
  checkCallsAnswered(messages, faults);
  const options = body["stream_options"];
  return {
    messages,
    tools: readTools(body["tools"], faults),
    callsForbidden: readToolChoice(body["tool_choice"], faults),
    stream: body["stream"] === true,
    includeUsage: isObject(options) && options["include_usage"] === true,
  };
}

function checkModel(model: unknown, faults: Faults): void {
  if (typeof model !== "string") faults.add("`model` must be a string.", "model");
  else if (model !== MODEL_NAME) {
    const message = `There is no model ${JSON.stringify(model)} here; this server has only \`${MODEL_NAME}\`.`;
    faults.add(message, "model", "model_not_found", 404);
  }
}

/** Missing and null mean an empty list. */
function listOf(value: unknown, param: string, faults: Faults): readonly unknown[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) return value;
  faults.add(`\`${param}\` must be an array.`, param);
  return [];
}

function readMessage(value: unknown, param: string, faults: Faults): ChatMessage {
  const fields = isObject(value) ? value : {};
  const role = readRole(fields["role"], param, faults);
  const content = readContent(fields["content"], `${param}.content`, faults);
  const callId = fields["tool_call_id"];
  if (role === "tool" && typeof callId !== "string") {
    faults.add(`\`${param}.tool_call_id\` must be a string.`, `${param}.tool_call_id`);
  }
  return {
    role,
    text: role === "user" ? withoutContexts(content) : content,
    pictures: Array.isArray(fields["content"]) && fields["content"].some(isPicture),
    calls: role === "assistant" ? readCalls(fields["tool_calls"], `${param}.tool_calls`, faults) : [],
    callId: role === "tool" && typeof callId === "string" ? callId : "",
  };
}

function readRole(role: unknown, param: string, faults: Faults): ChatMessage["role"] {
  switch (role) {
    case "system":
    case "user":
    case "assistant":
    case "tool":
      return role;
    case "developer":
      return "system";
    default:
      faults.add(`\`${param}.role\` must be system, developer, user, assistant or tool.`, `${param}.role`);
      return "user";
  }
}

const isPicture = (part: unknown): boolean => isObject(part) && part["type"] === "image_url";

function readContent(content: unknown, param: string, faults: Faults): string {
  if (typeof content === "string") return content;
  return listOf(content, param, faults)
    .filter((part) => !isPicture(part))
    .map((part) => {
      if (isObject(part) && part["type"] === "text" && typeof part["text"] === "string") return part["text"];
      faults.add(`\`${param}\` holds a part that is neither text nor a picture.`, param);
      return "";
    })
    .join("\n");
}

function readCalls(value: unknown, param: string, faults: Faults): ChatCall[] {
  return listOf(value, param, faults).map((call) => {
    const id = isObject(call) ? call["id"] : undefined;
    const target = isObject(call) && isObject(call["function"]) ? call["function"] : {};
    const { name, arguments: input } = target;
    if (typeof id === "string" && typeof name === "string" && typeof input === "string") {
      return { id, name, arguments: input };
    }
    faults.add(`Each entry of \`${param}\` needs an id and a function with name and arguments.`, param);
    return { id: "", name: "", arguments: "" };
  });
}

/** What every strict server demands: each call is answered once, directly behind the message that made it. */
function checkCallsAnswered(messages: readonly ChatMessage[], faults: Faults): void {
  const open = new Set<string>();
  const complain = (where: string): void => {
    if (open.size > 0) faults.add(`Tool calls${where} were not answered: ${[...open].join(", ")}.`, "messages");
  };
  messages.forEach((message, index) => {
    if (message.role !== "tool") complain(` before \`messages[${index}]\``);
    else if (!open.delete(message.callId)) {
      faults.add(`\`messages[${index}]\` answers no open tool call.`, `messages[${index}]`);
    }
    for (const call of message.calls) open.add(call.id);
  });
  complain("");
}

function readTools(value: unknown, faults: Faults): Set<string> {
  const names = listOf(value, "tools", faults).map((tool) => {
    const name = isObject(tool) && isObject(tool["function"]) ? tool["function"]["name"] : undefined;
    if (typeof name === "string") return name;
    faults.add("Each entry of `tools` needs a function with a name.", "tools");
    return "";
  });
  return new Set(names);
}

function readToolChoice(value: unknown, faults: Faults): boolean {
  if (value !== "none" && (value ?? "auto") !== "auto") {
    faults.add("The practice model supports `tool_choice` auto and none only.", "tool_choice");
  }
  return value === "none";
}
