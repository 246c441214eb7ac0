import type { Delta } from "../../src/protocol/fact.ts";
import { userText } from "../../src/protocol/message.ts";
import type { Model, ModelReply, ModelRequest } from "../../src/protocol/ports.ts";
import type { ToolSpec } from "../../src/protocol/tool.ts";
import { chatCompletions } from "../../src/model/chat_completions/index.ts";
import { createTransport, type TransportOptions } from "../../src/model/transport.ts";
import { PLAIN_REQUEST } from "./plain-request.ts";

export interface Heard {
  readonly reply: ModelReply;
  /** What was emitted, one array for each time. */
  readonly emitted: readonly (readonly Delta[])[];
  readonly text: string;
  readonly reasoning: string;
}

interface CallOptions extends Partial<ModelRequest> {
  readonly signal?: AbortSignal;
  readonly onDelta?: (delta: Delta) => void;
}

/** Our transport, talking to one provider in one conversation. */
export interface WireClient extends Disposable {
  readonly model: Model;
  call(options?: CallOptions): Promise<Heard>;
}

const TOOLS: readonly ToolSpec[] = [
  {
    name: "ls",
    description: "Lists a folder.",
    parameters: { type: "object", properties: { path: { type: "string" } } },
  },
];

const PLAIN: ModelRequest = {
  provider: "fake",
  model: "fake-1",
  history: [userText("hello")],
  ...PLAIN_REQUEST,
};

export function connect(
  baseUrl: string,
  options: Partial<TransportOptions> = {},
  tools: readonly ToolSpec[] = TOOLS,
): WireClient {
  const provider = createTransport({
    dialect: chatCompletions,
    provider: "fake",
    apiKey: undefined,
    ...options,
    baseUrl,
  });
  const model = provider.open({ system: "You help.", tools, nonce: "0a1b" });
  return {
    model,
    call: (call = {}) => hear(model, call),
    [Symbol.dispose]: () => provider.close(),
  };
}

async function hear(model: Model, { signal, onDelta, ...request }: CallOptions): Promise<Heard> {
  const emitted: (readonly Delta[])[] = [];
  const emit = (deltas: readonly Delta[]): void => {
    emitted.push(deltas);
    for (const delta of deltas) onDelta?.(delta);
  };
  const full = { ...PLAIN, ...request };
  const reply = await model.prepare(full).send(emit, signal ?? new AbortController().signal);
  const said = (type: Delta["type"]): string =>
    emitted
      .flat()
      .filter((delta) => delta.type === type)
      .map((delta) => ("text" in delta ? delta.text : ""))
      .join("");
  return { reply, emitted, text: said("text-delta"), reasoning: said("reasoning-delta") };
}
