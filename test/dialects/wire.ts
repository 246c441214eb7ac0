import type { Asked, FakeServerOptions, Judged, Protocol, Received, Refusal } from "../support/fake-server.ts";
import { FakeServer } from "../support/fake-server.ts";
import { type CachedHead, HeadWatch } from "./head-watch.ts";
import { type Frame, PAUSE, type Step } from "../support/wire-script.ts";
import { isObject, type Json } from "./shape.ts";
import type { Act, Break, Framing, Mode, ReplyAct, ScriptPart, Trouble } from "./script.ts";

/** One event of a stream, before it is framed. */
export interface WireEvent {
  /** Of its own line, or its own header. */
  readonly name?: string;
  /** Written as JSON unless it is a text. */
  readonly data: unknown;
  /** It brings a piece of content. */
  readonly piece?: true;
  /** Where frames have kinds: it is no event but the end of the reply. */
  readonly exception?: true;
}

/** What a request asks its server for. */
export interface Call {
  readonly model: string;
  readonly streams: boolean;
}

/** The server's side of one dialect. */
export interface Wire {
  readonly mode: Mode;
  readonly base: string;
  readonly contentType: string;
  keyOf(headers: Asked["headers"]): string | undefined;
  isCall(route: string): boolean;
  list(route: string, models: readonly string[]): unknown;
  callOf(asked: Pick<Asked, "path">, body: Json): Call;
  /** All that is illegal in a request, one sentence each. */
  inspect(body: Json, asked: Asked): readonly string[];
  /** The whole stream of a reply. */
  events(reply: ReplyAct, call: Call): readonly WireEvent[];
  /** The reply in one piece. */
  whole(reply: ReplyAct, call: Call): unknown;
  /** Events that belong to no reply: what keeps a connection alive, and what a later version may bring. */
  readonly idle: readonly WireEvent[];
  readonly strange: readonly WireEvent[];
  refusal(trouble: Trouble, message?: string): Refusal;
  /** What a stream that began well says when it goes wrong. */
  brokenOff(trouble: Trouble): WireEvent;
  frame(event: WireEvent, framing: Framing): Buffer;
  /** Without what a cache does not see. */
  head(body: Json): CachedHead;
}

export type DialectServer = FakeServer<Json>;

export const fakeDialect = async (
  wire: Wire,
  acts: readonly (Act | ((request: Received<Json>) => Act))[],
  options: FakeServerOptions<Json> = {},
): Promise<DialectServer> =>
  new FakeServer(
    protocolOf(wire),
    acts.map((act) => scripted(wire, act)),
    options,
  ).listen();

/** For more acts than the server was begun with. */
export const scripted =
  (wire: Wire, act: Act | ((request: Received<Json>) => Act)): ((request: Received<Json>) => Step) =>
  (request) =>
    stepOf(wire, typeof act === "function" ? act(request) : act, wire.callOf(request, request.body));

/** For one server: the heads it has seen are its own. */
function protocolOf(wire: Wire): Protocol<Json> {
  const heads = new HeadWatch();
  return {
    base: wire.base,
    contentType: wire.contentType,
    keyOf: (headers) => wire.keyOf(headers),
    isCall: (route) => wire.isCall(route),
    list: (route, models) => wire.list(route, models),
    judge: (asked) => judge(wire, asked),
    watch: (_text, body, declared) => heads.check(wire.head(body), declared),
    refusal: (why, message) => wire.refusal(why, message),
  };
}

function judge(wire: Wire, asked: Asked): Judged<Json> {
  const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(asked.bytes);
  const body: unknown = JSON.parse(text);
  if (!isObject(body)) return { body: {}, violations: ["the body is no JSON object"] };
  const violations = wire.inspect(body, asked);
  const rogue = /\\u(?:0000|d[89a-f])/i.test(JSON.stringify(body));
  return { body, violations: rogue ? [...violations, "a string holds NUL or a lone surrogate"] : violations };
}

function stepOf(wire: Wire, act: Act, call: Call): Step {
  switch (act.do) {
    case "raw":
      return act.step;
    case "refuse": {
      const { status, headers, body } = wire.refusal(act.trouble);
      return {
        status,
        headers: { "content-type": "application/json", ...headers, ...act.headers },
        frames: [JSON.stringify(body)],
      };
    }
    case "reply":
      return { ...replyStep(wire, act, call), ...(act.newHead && { newHead: true }) };
  }
}

function replyStep(wire: Wire, reply: ReplyAct, call: Call): Step {
  if (reply.whole || !call.streams)
    return { headers: { "content-type": "application/json" }, frames: [JSON.stringify(wire.whole(reply, call))] };
  const framing = reply.framing ?? {};
  const { items, end } = broken(wire, withNoise(wire, reply, wire.events(reply, call)), reply.broken);
  const frames = items.map((item): Frame => (item === PAUSE ? PAUSE : wire.frame(item, framing)));
  if (framing.comments && wire.contentType === "text/event-stream")
    frames.unshift(`: keep alive${framing.lineEnd ?? "\n"}${framing.lineEnd ?? "\n"}`);
  if (framing.bom) frames.unshift("\uFEFF");
  return { frames: framing.bytes === undefined ? frames : inBytes(frames, framing.bytes), end };
}

function withNoise(wire: Wire, { strange, framing }: ReplyAct, events: readonly WireEvent[]): readonly WireEvent[] {
  const noise = [...(strange ? wire.strange : []), ...(framing?.comments ? wire.idle : [])];
  return noise.length === 0
    ? events
    : events.flatMap((event) => [
        event.piece && strange && isObject(event.data)
          ? { ...event, data: { ...event.data, unheard_of: { a: [1] } } }
          : event,
        ...(event.piece ? noise : []),
      ]);
}

interface Broken {
  readonly items: readonly (WireEvent | typeof PAUSE)[];
  readonly end: NonNullable<Step["end"]>;
}

function broken(wire: Wire, events: readonly WireEvent[], at: Break | undefined): Broken {
  if (at === undefined) return { items: events, end: "normal" };
  const until = placeAfter(events, at.after);
  const sent = events.slice(0, until);
  switch (at.by) {
    case "cut":
    case "reset":
      return { items: sent, end: at.by };
    case "stall":
      return { items: sent, end: "open" };
    case "pause":
      return { items: [...sent, PAUSE, ...events.slice(until)], end: "normal" };
    default:
      return { items: [...sent, wire.brokenOff(at.by)], end: "normal" };
  }
}

/** Just behind the piece of this number; 0: before the first. */
function placeAfter(events: readonly WireEvent[], pieces: number): number {
  const places = events.flatMap(({ piece }, at) => (piece ? [at] : []));
  if (pieces === 0) return places[0] ?? events.length;
  const place = places[pieces - 1];
  if (place === undefined) throw new Error(`The reply has ${places.length} pieces and is to break after ${pieces}`);
  return place + 1;
}

function inBytes(frames: readonly Frame[], length: number): Frame[] {
  return frames.flatMap((frame): Frame[] => {
    if (typeof frame !== "string" && !Buffer.isBuffer(frame)) return [frame];
    const bytes = Buffer.from(frame as string);
    return Array.from({ length: Math.ceil(bytes.length / length) }, (_, at) =>
      bytes.subarray(at * length, (at + 1) * length),
    );
  });
}

/** A server-sent event. */
export function sseFrame({ name, data }: WireEvent, { lineEnd: end }: Framing): Buffer {
  const lineEnd = end ?? "\n";
  const text = typeof data === "string" ? data : JSON.stringify(data);
  return Buffer.from(`${name === undefined ? "" : `event: ${name}${lineEnd}`}data: ${text}${lineEnd}${lineEnd}`);
}

/** The events of several parts: one after the other, or in turns. */
export function inTurns(parts: readonly (readonly WireEvent[])[], interleaved: boolean): WireEvent[] {
  if (!interleaved) return parts.flat();
  const longest = Math.max(0, ...parts.map(({ length }) => length));
  return Array.from({ length: longest }, (_, at) => parts.flatMap((events) => events.slice(at, at + 1))).flat();
}

/** Where a part stands; a call of a careless server stands where the part before it stood. */
export function placeOf(parts: readonly ScriptPart[], at: number): number {
  const part = parts[at];
  return part?.type === "call" && part.sameIndex ? placeOf(parts, at - 1) : at;
}
