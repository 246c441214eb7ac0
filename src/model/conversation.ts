import { type Message, type ToolCallPart, userText } from "../protocol/message.ts";
import type { ModelName, ModelRequest, PreparedRequest } from "../protocol/ports.ts";
import { compacted, type Compaction } from "../protocol/compaction.ts";
import { EARLIER_MESSAGES, mergesWith, project } from "../protocol/projection.ts";
import { steerStatement } from "../protocol/steer-marker.ts";
import type { ToolSpec } from "../protocol/tool.ts";
import type { Dialect, Reader } from "./dialect.ts";
import { withIdentity } from "./fallback/identity.ts";
import { Head } from "./head.ts";
import { picturesWeigh, seenFrom, unseen } from "./pictures.ts";

/** What is the same for a whole conversation. */
export interface Opening {
  readonly system: string;
  readonly tools: readonly ToolSpec[];
  /** The code under which receipts carry the user's word; the system prompt names it. */
  readonly nonce: string;
  /** The model takes over from another, for which the system prompt was written: who is asked, where that says so. */
  readonly identity?: ModelName | undefined;
}

/** Stands in the record of a request for what was added to its system prompt and is never stored (row A16). */
const UNKEPT = "[added for this turn, not kept]";

/** What a turn adds to the system prompt. */
type Added = Pick<ModelRequest, "system" | "ephemeralSystem">;

/** Where the requests go, in which dialect, and under what name the replies are kept. */
export interface Addressee extends Pick<Reader, "host" | "provider" | "effort" | "thinking" | "cacheTtl"> {
  readonly dialect: Dialect;
  /** The longest reply of a model, tokens; undefined: unknown. */
  readonly maxOutput?: number | undefined;
  /** Whether the model sees pictures; undefined: nobody knows, and they are sent. */
  readonly sees?: boolean | undefined;
}

export interface Encoded extends Pick<PreparedRequest, "record" | "size"> {
  readonly body: Buffer;
  /** What the body counts for, bytes: pictures count by what a model makes of them. */
  readonly weight: number;
}

/** What a head grows by. */
interface Growth {
  readonly head: Head;
  /** What is kept of a new head's opening: the tools, which many sessions share, and the system prompt. */
  readonly opening: readonly Buffer[];
  readonly all: readonly Message[];
  /** What is sent of these messages. */
  readonly sent: readonly Message[];
}

/** One conversation as bytes: the head of the last request, extended; built anew only when what it begins with changed. */
export class Conversation {
  readonly #opening: Opening;
  readonly #to: Addressee;
  #head: Head | undefined;
  #reader: Reader | undefined;
  #model = "";
  #streaming = true;
  /** Without its tools, for a server that cannot be told to let them be. */
  #bare = false;
  /** Which pictures are shown of those that the model refused. */
  #pictured: ModelRequest["pictures"];
  /** Without what is opaque, which its own provider refused. */
  #unsealed = false;
  /** In the strictest form, since the usual one was refused. */
  #strict = false;
  #added: Added = {};
  #compaction: Compaction | undefined;
  #messages = 0;
  /** By how much the pictures in the head are heavier than they count, bytes. */
  #pictures = 0;
  #next = 0;
  /** The newest message of the history that was looked at, and the newest that is in the head. */
  #last: Message | undefined;
  #sent: Message | undefined;
  /** The calls of the past by their ids, sent or not: a reply must not use one again. */
  readonly calls: Map<string, ToolCallPart> = new Map();

  constructor(opening: Opening, to: Addressee) {
    this.#opening = opening;
    this.#to = to;
  }

  encode(request: ModelRequest): Encoded {
    const growth = this.#growth(request);
    const { head, opening, all, sent } = growth ?? this.#restart(request);
    const before = head.used;
    this.#extend(head, all, sent);
    const added = head.used > before ? [head.since(before)] : [];
    const said = project(request.tail, request.strict);
    const tail = this.#to.dialect.encodeTail(said, this.#sent, request, this.#asked());
    const body = head.body(tail);
    return {
      body,
      weight: body.length - this.#pictures,
      record: { continues: growth !== undefined, add: [...opening, ...added], tail },
      size: { messages: this.#messages + said.length, bytes: body.length },
    };
  }

  /** The same for all messages of a head: what a dialect finds out about a server is found out once. */
  #asked(): Reader {
    return (this.#reader ??= this.#newReader());
  }

  #newReader(): Reader {
    const { nonce, tools } = this.#opening;
    const { host, provider, maxOutput, effort, thinking, cacheTtl } = this.#to;
    const hasSystem = this.#system(this.#added) !== "";
    return {
      nonce,
      provider,
      host,
      maxOutput,
      effort,
      thinking,
      cacheTtl,
      hasSystem,
      rejects: this.#unsealed || this.#strict,
      strict: this.#strict,
      model: this.#model,
      hasTools: tools.length > 0 && !this.#bare,
      calls: this.calls,
    };
  }

  #extend(head: Head, all: readonly Message[], sent: readonly Message[]): void {
    const reader = this.#asked();
    for (const message of all)
      for (const part of message.parts) if (part.type === "tool-call") this.calls.set(part.callId, part);
    for (const message of sent) {
      if (this.#sent === undefined && message.role !== "user")
        head.append(this.#write(userText(EARLIER_MESSAGES), reader));
      head.append(this.#write(message, reader));
    }
    this.#next += all.length;
    this.#last = all.at(-1) ?? this.#last;
  }

  /** What was sent is never rewritten, unless what follows belongs into the same message: then the head begins anew. */
  #growth(request: ModelRequest): Growth | undefined {
    const same = this.#beginsAs(request) && (this.#next === 0 || request.history[this.#next - 1] === this.#last);
    if (!same || this.#head === undefined) return undefined;
    const all = settled(request.history, this.#next);
    const sent = project(all, request.strict);
    return mergesWith(this.#sent, sent[0], request.strict) ? undefined : { head: this.#head, opening: [], all, sent };
  }

  #beginsAs(request: ModelRequest): boolean {
    const { model, compaction, system, ephemeralSystem, streaming, anew } = request;
    const sameServer = this.#model === model && this.#streaming === streaming && anew !== true;
    const samePrompt =
      this.#isBare(request) === this.#bare &&
      request.pictures === this.#pictured &&
      (request.unsealed === true) === this.#unsealed &&
      (request.strict === true) === this.#strict &&
      this.#added.system === system &&
      this.#added.ephemeralSystem === ephemeralSystem;
    return sameServer && samePrompt && this.#compaction === compaction;
  }

  #isBare({ noTools, stripTools, model }: ModelRequest): boolean {
    const { dialect, provider, host } = this.#to;
    return noTools && (stripTools === true || dialect.forbidsCalls?.({ provider, host, model }) === false);
  }

  #restart(request: ModelRequest): Growth {
    const { model, compaction, system: own, ephemeralSystem, streaming } = request;
    const all = settled(request.history, 0);
    this.#bare = this.#isBare(request);
    this.#pictured = request.pictures;
    this.#unsealed = request.unsealed === true;
    this.#strict = request.strict === true;
    this.#model = model;
    this.#compaction = compaction;
    this.#added = { system: own, ephemeralSystem };
    this.#streaming = streaming;
    this.#messages = 0;
    this.#pictures = 0;
    this.#next = 0;
    this.#last = undefined;
    this.#sent = undefined;
    this.calls.clear();
    this.#reader = undefined;
    const reader = this.#asked();
    const { dialect } = this.#to;
    const tools = this.#bare ? [] : this.#opening.tools;
    const begins = (added: Added): readonly [shared: string, own: string] =>
      dialect.encodeOpening({ system: this.#system(added), tools, streaming, reader });
    const [shared, sent] = begins(this.#added);
    const messages = project(shortened(all, request), request.strict);
    const head = new Head(shared, roomFor(messages));
    this.#head = head;
    const opening = [head.since(0)];
    head.append(sent);
    const [, kept] = ephemeralSystem === undefined ? [shared, sent] : begins({ system: own, ephemeralSystem: UNKEPT });
    if (kept !== "") opening.push(Buffer.from(kept));
    return { head, opening, all, sent: messages };
  }

  /** Without tools there is no receipt, and nothing to say about one. */
  #system(added: Added): string {
    const { system, tools, nonce, identity } = this.#opening;
    const steering = tools.length === 0 ? "" : steerStatement(nonce);
    const prompt = [system, steering, added.system ?? "", added.ephemeralSystem ?? ""]
      .map((part) => part.trim())
      .filter((part) => part !== "")
      .join("\n\n");
    return identity === undefined ? prompt : withIdentity(prompt, identity);
  }

  /** What the head grows by. */
  #write(message: Message, reader: Reader): string {
    const { dialect, sees } = this.#to;
    const shown = sees === false || this.#pictured === false ? unseen(message) : message;
    const written = dialect.encodeMessage(shown, this.#sent, reader);
    this.#sent = shown;
    this.#messages += 1;
    this.#pictures += picturesWeigh(shown);
    return written;
  }
}

/** All of a history, or what is left of it. */
function shortened(all: readonly Message[], { compaction, pictures = false }: ModelRequest): readonly Message[] {
  const shown = pictures === false ? all : seenFrom(all, pictures.from);
  return compaction === undefined ? shown : [...compacted(shown, compaction), ...shown.slice(compaction.through)];
}

/** About as many bytes as these take, and some more: a head that is long from its beginning need not move as it grows. */
function roomFor(messages: readonly Message[]): number {
  let room = 0;
  for (const { parts } of messages) for (const part of parts) room += 100 + 1.25 * sizeOf(part);
  return Math.ceil(room);
}

function sizeOf(part: Message["parts"][number]): number {
  if (part.type === "tool-call") return part.input.length;
  return part.type === "image" ? part.url.length : part.text.length;
}

/** A request leaves only when every call before it has its receipt. */
function settled(history: ModelRequest["history"], from: number): readonly Message[] {
  const messages = history.slice(from);
  if (messages.every((message) => message !== undefined)) return messages;
  throw new Error(`A request left while the call at ${from + messages.indexOf(undefined)} was open.`);
}
