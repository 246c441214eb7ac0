import type { Message } from "../../src/protocol/message.ts";
import type { ModelReply } from "../../src/protocol/ports.ts";
import { type Side, talkTo } from "./client.ts";
import { type ReplyAct, replies, says } from "./script.ts";
import type { Json } from "./shape.ts";
import type { Talk, Turn } from "./talks.ts";
import { fakeDialect, type Wire } from "./wire.ts";

/** The body of the last request of a talk, as our client sends it: what the fake said before was read by our client. */
export async function ourBody(side: Side, talk: Talk): Promise<Json> {
  const said = talk.turns.flatMap((turn) => (turn.role === "model" ? [replies(turn.parts)] : []));
  const { system = "", tools = [], maxOutput, noTools = false, whole = false } = talk;
  // Where calls cannot be forbidden, a request without them has another head.
  const strips =
    noTools && side.dialect.forbidsCalls?.({ provider: "fake", host: "127.0.0.1", model: side.model }) === false;
  const end = says("The end.", strips ? { newHead: true } : {});
  await using client = await talkTo(side, [...said, end], { system, tools });
  const history: Message[] = [];
  for (const turn of talk.turns)
    history.push(turn.role === "model" ? messageOf((await client.ask(history)).reply) : toldAs(turn));
  messageOf((await client.ask(history, { maxOutput, noTools, streaming: !whole })).reply);
  return client.server.requests.at(-1)?.body ?? {};
}

function messageOf(reply: ModelReply): Message {
  if (reply.type !== "message") throw new Error(`The fake was not understood: ${JSON.stringify(reply)}`);
  return reply.message;
}

const toldAs = (turn: Exclude<Turn, { readonly role: "model" }>): Message =>
  turn.role === "result" ? { role: "tool", callId: turn.id, status: turn.status ?? "ok", parts: turn.parts } : turn;

/** The body that an official client sends; what the police finds illegal is thrown. */
export async function theirBody(wire: Wire, act: ReplyAct, send: (origin: string) => Promise<unknown>): Promise<Json> {
  await using server = await fakeDialect(wire, [act], { heads: "free" });
  await send(server.origin);
  return server.requests[0]?.body ?? {};
}
