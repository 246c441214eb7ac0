import type { Delta } from "../../src/protocol/fact.ts";
import type { Message } from "../../src/protocol/message.ts";
import type { ModelReply, ModelRequest } from "../../src/protocol/ports.ts";
import type { ToolSpec } from "../../src/protocol/tool.ts";
import type { Dialect } from "../../src/model/dialect.ts";
import { createTransport, type TransportOptions } from "../../src/model/transport.ts";
import type { Act } from "./script.ts";
import { LS, NONCE, PROMPT } from "./talks.ts";
import { type DialectServer, fakeDialect, type Wire } from "./wire.ts";
import { PLAIN_REQUEST } from "../support/plain-request.ts";

/** A dialect of ours, and the fake that it talks to. */
export interface Side {
  readonly dialect: Dialect;
  readonly wire: Wire;
  readonly model: string;
}

export interface Heard {
  readonly reply: ModelReply;
  readonly text: string;
  readonly reasoning: string;
}

export interface Client extends AsyncDisposable {
  readonly server: DialectServer;
  ask(history: readonly Message[], more?: Asking): Promise<Heard>;
}

export interface Asking extends Partial<ModelRequest> {
  readonly signal?: AbortSignal;
  readonly onDelta?: () => void;
}

export interface ClientOptions extends Pick<Partial<TransportOptions>, "stream" | "timers"> {
  readonly system?: string;
  readonly tools?: readonly ToolSpec[];
  /** The name under which its replies are kept. */
  readonly provider?: string;
}

/** Our transport in one conversation with a fake that acts by script. Closing it verifies the fake. */
export async function talkTo(
  { dialect, wire, model }: Side,
  acts: readonly Act[],
  options: ClientOptions = {},
): Promise<Client> {
  const { system = PROMPT, tools = [LS], provider = "fake", ...more } = options;
  const server = await fakeDialect(wire, acts);
  const transport = createTransport({ ...more, dialect, provider, apiKey: "key", baseUrl: server.baseUrl });
  const conversation = transport.open({ system, tools, nonce: NONCE });
  return {
    server,
    async ask(history, { signal = new AbortController().signal, onDelta, ...request } = {}) {
      const deltas: Delta[] = [];
      const emit = (come: readonly Delta[]): void => {
        deltas.push(...come);
        onDelta?.();
      };
      const reply = await conversation.prepare({ ...PLAIN, model, history, ...request }).send(emit, signal);
      return { reply, text: joined(deltas, "text-delta"), reasoning: joined(deltas, "reasoning-delta") };
    },
    async [Symbol.asyncDispose]() {
      transport.close();
      await server.close();
    },
  };
}

const joined = (deltas: readonly Delta[], type: Delta["type"]): string =>
  deltas.map((delta) => (delta.type === type && "text" in delta ? delta.text : "")).join("");

const PLAIN: Omit<ModelRequest, "model" | "history"> = {
  provider: "fake",
  ...PLAIN_REQUEST,
};
