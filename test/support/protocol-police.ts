/** What the chat-completions protocol forbids, found in the bytes of a request. One sentence for each violation. */
export interface ChatMessage {
  readonly role: string;
  readonly content?: unknown;
  readonly tool_calls?: readonly {
    readonly id: string;
    readonly type: string;
    readonly function: { readonly name: string; readonly arguments: string };
  }[];
  readonly tool_call_id?: string;
}

export interface ChatBody {
  readonly model: string;
  readonly stream?: boolean;
  readonly messages: readonly ChatMessage[];
  readonly tools?: readonly {
    readonly function: { readonly name: string; readonly parameters?: { readonly type?: string } };
  }[];
  readonly tool_choice?: unknown;
  readonly max_tokens?: number;
  readonly max_completion_tokens?: number;
}

export interface Inspected {
  readonly body: ChatBody;
  readonly violations: readonly string[];
}

export function inspectRequest(bytes: Buffer): Inspected {
  const violations: string[] = [];
  const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  const body = JSON.parse(text) as ChatBody;
  if (/\\u(?:0000|d[89a-f])/i.test(JSON.stringify(body))) violations.push("a string holds NUL or a lone surrogate");
  if (typeof body.model !== "string" || body.model === "") violations.push("no model is named");
  if (!Array.isArray(body.messages) || body.messages.length === 0)
    return { body, violations: [...violations, "no messages"] };
  violations.push(...inspectTools(body), ...inspectMessages(body.messages));
  return { body, violations };
}

function inspectTools({ tools = [] }: ChatBody): string[] {
  const names = tools.map((tool) => tool.function.name);
  const found = names.filter((name) => !NAME.test(name)).map((name) => `tool name ${JSON.stringify(name)} is illegal`);
  if (new Set(names).size < names.length) found.push("two tools have one name");
  if (tools.some((tool) => tool.function.parameters?.type !== "object"))
    found.push("tool parameters are no object schema");
  return found;
}

const NAME = /^[\w-]{1,64}$/;

function inspectMessages(messages: readonly ChatMessage[]): string[] {
  const found: string[] = [];
  const ids = new Set<string>();
  let waiting: string[] = [];
  let before = "";
  for (const [at, message] of messages.entries()) {
    const say = (what: string): number => found.push(`messages[${at}] (${message.role}): ${what}`);
    if (message.role !== "tool" && waiting.length > 0) {
      say(`the calls ${waiting.join(", ")} before it were not answered`);
      waiting = [];
    }
    for (const what of violationsOf(message, { at, before, waiting, ids })) say(what);
    if (message.role === "assistant") waiting = (message.tool_calls ?? []).map((call) => call.id);
    if (message.role === "tool") waiting = waiting.filter((id) => id !== message.tool_call_id);
    before = message.role;
  }
  if (waiting.length > 0) found.push(`the request leaves while ${waiting.join(", ")} have no answer`);
  if (before === "assistant" || before === "system") found.push(`the last message is of the ${before}`);
  return found;
}

interface Place {
  readonly at: number;
  readonly before: string;
  readonly waiting: readonly string[];
  readonly ids: Set<string>;
}

function violationsOf(message: ChatMessage, { at, before, waiting, ids }: Place): string[] {
  const filled = isFilled(message.content, message.role === "user");
  switch (message.role) {
    case "system":
      return [...(at === 0 ? [] : ["it is not the first"]), ...(filled ? [] : ["its content is empty"])];
    case "user":
      return filled ? [] : ["its content is empty"];
    case "tool":
      return [
        ...(filled ? [] : ["its content is empty"]),
        ...(message.tool_call_id === waiting[0]
          ? []
          : [`it answers ${message.tool_call_id}, due is ${waiting[0] ?? "nothing"}`]),
      ];
    case "assistant":
      return [
        ...(before === "assistant" ? ["it follows an assistant"] : []),
        ...(before === "" || before === "system" ? ["nobody has asked anything"] : []),
        ...violationsOfAssistant(message, filled, ids),
      ];
    default:
      return ["its role is illegal"];
  }
}

/** A text, or where blocks are allowed a list of texts and pictures, none of them empty. */
function isFilled(content: unknown, blocksAllowed: boolean): boolean {
  if (!Array.isArray(content)) return typeof content === "string" && content.trim() !== "";
  const blocks = content as { type?: unknown; text?: unknown; image_url?: { url?: unknown } }[];
  const values = blocks.map(({ type, text, image_url: image }) =>
    type === "text" ? text : type === "image_url" ? image?.url : undefined,
  );
  return (
    blocksAllowed && values.length > 0 && values.every((value) => typeof value === "string" && value.trim() !== "")
  );
}

function violationsOfAssistant(message: ChatMessage, filled: boolean, ids: Set<string>): string[] {
  const calls = message.tool_calls ?? [];
  const found = message.tool_calls?.length === 0 ? ["its list of calls is empty"] : [];
  if (!filled && (calls.length === 0 || message.content !== null)) found.push("its content is empty");
  return [...found, ...calls.flatMap((call) => violationsOfCall(call, ids))];
}

function violationsOfCall(call: NonNullable<ChatMessage["tool_calls"]>[number], ids: Set<string>): string[] {
  const { name, arguments: input } = call.function;
  const found: string[] = [];
  if (call.id === "") found.push("a call has no id");
  if (ids.has(call.id)) found.push(`the id ${call.id} was used before`);
  ids.add(call.id);
  if (call.type !== "function") found.push(`call ${call.id} has the type ${call.type}`);
  if (!NAME.test(name)) found.push(`call ${call.id} has the illegal name ${JSON.stringify(name)}`);
  if (!isJsonObject(input)) found.push(`the arguments of ${call.id} are no JSON object`);
  return found;
}

function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

interface Seen {
  readonly text: string;
  readonly body: ChatBody;
}

/**
 * Watches that every request continues the bytes of the one before it in its conversation, so that a prefix cache holds.
 * Only the last user message may go again, with a text of the assistant before it: they may have been that attempt's
 * private messages.
 */
export class PrefixWatch {
  /** The newest request of each conversation; conversations that began alike are kept together. */
  readonly #newest = new Map<string, Seen[]>();

  /** A violation, or undefined. `declared`: the head is allowed to be new. */
  check(text: string, body: ChatBody, declared: boolean): string | undefined {
    const key = JSON.stringify(body.messages.find((message) => message.role === "user")?.content);
    const newest = this.#newest.get(key) ?? [];
    this.#newest.set(key, newest);
    const starts = body.messages.filter((message) => message.role !== "system").length === 1;
    const continued = starts
      ? -1
      : newest.findLastIndex((seen) => stablePrefixes(seen).some((prefix) => text.startsWith(prefix)));
    if (continued >= 0) newest[continued] = { text, body };
    else newest.push({ text, body });
    if (declared || starts || continued >= 0 || newest.length === 1) return undefined;
    const closest = Math.max(...newest.slice(0, -1).map((seen) => commonLength(seen.text, text)));
    return `the head changed at character ${closest}: …${text.slice(Math.max(0, closest - 40), closest + 40)}…`;
  }
}

function stablePrefixes({ text, body }: Seen): string[] {
  const whole = text.slice(0, text.lastIndexOf("]"));
  const [said, note] = body.messages.slice(-2);
  const without = note?.role === "user" ? withoutLast(whole, note) : undefined;
  if (without === undefined) return [whole];
  const isText = said?.role === "assistant" && said.tool_calls === undefined;
  const bare = isText ? withoutLast(without, said) : undefined;
  return bare === undefined ? [whole, without] : [whole, without, bare];
}

function withoutLast(text: string, message: ChatMessage): string | undefined {
  const encoded = `,${JSON.stringify(message)}`;
  return text.endsWith(encoded) ? text.slice(0, -encoded.length) : undefined;
}

function commonLength(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length++;
  return length;
}
