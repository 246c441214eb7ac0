import type { Message } from "../../src/protocol/message.ts";
import type { ModelReply, ModelRequest } from "../../src/protocol/ports.ts";
import type { Dialect } from "../../src/model/dialect.ts";
import { createTransport } from "../../src/model/transport.ts";
import { type ReplyAct, replies, says } from "./script.ts";
import type { Json } from "./shape.ts";
import { NONCE, type Talk, type Turn } from "./talks.ts";
import { fakeDialect, type Wire } from "./wire.ts";

/** The side of ours that is looked at, and the fake that it talks to. */
export interface Side {
  readonly dialect: Dialect;
  readonly wire: Wire;
  readonly model: string;
}

/** The body of the last request of a talk, as our client sends it: what the fake said before was read by our client. */
export async function ourBody({ dialect, wire, model }: Side, talk: Talk): Promise<Json> {
  const acts = [
    ...talk.turns.flatMap((turn) => (turn.role === "model" ? [replies(turn.parts)] : [])),
    says("The end."),
  ];
  await using server = await fakeDialect(wire, acts);
  const { origin: baseUrl } = server;
  const transport = createTransport({ dialect, provider: "fake", apiKey: "key", baseUrl: `${baseUrl}${wire.base}` });
  const conversation = transport.open({ system: talk.system ?? "", tools: talk.tools ?? [], nonce: NONCE });
  const history: Message[] = [];
  const ask = async (more: Partial<ModelRequest>): Promise<ModelReply> =>
    conversation.prepare({ ...PLAIN, model, history, ...more }).send(() => {}, new AbortController().signal);
  try {
    for (const turn of talk.turns) history.push(turn.role === "model" ? messageOf(await ask({})) : toldAs(turn));
    const { maxOutput, noTools = false, whole = false } = talk;
    messageOf(await ask({ maxOutput, noTools, streaming: !whole }));
  } finally {
    transport.close();
  }
  return server.requests.at(-1)?.body ?? {};
}

function messageOf(reply: ModelReply): Message {
  if (reply.type !== "message") throw new Error(`The fake was not understood: ${JSON.stringify(reply)}`);
  return reply.message;
}

const toldAs = (turn: Exclude<Turn, { readonly role: "model" }>): Message =>
  turn.role === "result" ? { role: "tool", callId: turn.id, status: turn.status ?? "ok", parts: turn.parts } : turn;

const PLAIN: Omit<ModelRequest, "model" | "history"> = {
  provider: "fake",
  compaction: undefined,
  tail: [],
  noTools: false,
  continues: false,
  maxOutput: undefined,
  streaming: true,
};

/** The body that an official client sends, and whether the police lets it pass. */
export async function theirBody(wire: Wire, act: ReplyAct, send: (baseUrl: string) => Promise<unknown>): Promise<Json> {
  await using server = await fakeDialect(wire, [act], { heads: "free" });
  await send(server.origin);
  return server.requests[0]?.body ?? {};
}
