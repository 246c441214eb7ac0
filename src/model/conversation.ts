import type { PictureLimit } from "../protocol/adjustment.ts";
import { type ImagePart, type Message, type ToolCallPart, userText } from "../protocol/message.ts";
import type { ModelName, ModelRequest, PreparedRequest } from "../protocol/ports.ts";
import { type Compaction, shownHistory } from "../protocol/projection/compaction.ts";
import { EARLIER_MESSAGES, mergesWith, project } from "../protocol/projection/project.ts";
import { UNKEPT } from "../protocol/store.ts";
import { steerStatement } from "../protocol/steer-marker.ts";
import type { ToolSpec } from "../protocol/tool.ts";
import { type Change, changeFor } from "./adjusted.ts";
import type { Dialect, Reader } from "./dialect.ts";
import { withIdentity } from "./fallback/identity.ts";
import { Head } from "./head.ts";
import { picturesIn, picturesWeigh } from "./pictures.ts";
import { toldInWords } from "./told-calls.ts";
import { withoutSchemaWords } from "./tool-schema.ts";

/** What is the same for a whole conversation. */
export interface Opening {
  readonly system: string;
  readonly tools: readonly ToolSpec[];
  /** The code under which receipts carry the user's word; the system prompt names it. */
  readonly nonce: string;
  /** The model takes over from another, for which the system prompt was written: who is asked, where that says so. */
  readonly identity?: ModelName | undefined;
}

/** What a turn adds to the system prompt. */
type Added = Pick<ModelRequest, "system" | "ephemeralSystem">;

/** Where the requests go, in which dialect, and under what name the replies are kept. */
export interface Addressee extends Pick<Reader, "host" | "provider" | "effort" | "thinking" | "cacheTtl"> {
  readonly dialect: Dialect;
  /** The longest reply of a model, tokens; undefined: unknown. */
  readonly maxOutput?: number | undefined;
  /** Whether the model sees pictures; undefined: nobody knows, and they are sent. */
  readonly sees?: boolean | undefined;
  /** Makes a picture smaller; undefined: this one cannot be. Never rejects. */
  readonly shrink?: ((picture: ImagePart, limit: PictureLimit) => Promise<ImagePart | undefined>) | undefined;
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
  /** What it was found not to take, and how messages are changed for it. */
  #adjusted: ModelRequest["adjusted"];
  #change: Change | undefined;
  /** What became of the pictures that are too large for this limit. */
  #limit: PictureLimit | undefined;
  #smaller = new WeakMap<ImagePart, ImagePart | undefined>();
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
    const said = this.#projected(this.#changed(request.tail, Infinity));
    const tail = this.#to.dialect.encodeTail(said, this.#sent, this.#opened(request), this.#asked());
    const body = head.body(tail);
    return {
      body,
      weight: body.length - this.#pictures,
      record: { continues: growth !== undefined, add: [...opening, ...added], tail },
      size: { messages: this.#messages + said.length, bytes: body.length },
    };
  }

  /** Makes those pictures smaller that have to be. */
  async ready({ history, adjusted }: Pick<ModelRequest, "history" | "adjusted">): Promise<void> {
    const limit = adjusted?.pictureLimit;
    const { shrink } = this.#to;
    if (limit === undefined || shrink === undefined) return;
    if (limit !== this.#limit) this.#smaller = new WeakMap();
    this.#limit = limit;
    for (const picture of history.flatMap((message) => (message === undefined ? [] : picturesIn(message))))
      if (!this.#smaller.has(picture)) this.#smaller.set(picture, await shrink(picture, limit));
  }

  get #hasTools(): boolean {
    return this.#offered.length > 0;
  }

  get #offered(): readonly ToolSpec[] {
    if (this.#bare) return [];
    const { withoutTools = [], schemaWords } = this.#adjusted ?? {};
    const tools = this.#opening.tools.filter(({ name }) => !withoutTools.includes(name));
    return schemaWords === false ? tools.map(withoutSchemaWords) : tools;
  }

  /** The name of a tool that was sent, by what a server calls it: its name in lower case, or its place. */
  toolSent(named: string): string | undefined {
    return this.#offered.find(({ name }, at) => name.toLowerCase() === named || String(at) === named)?.name;
  }

  /** A server that has refused the form of a conversation may refuse calls of the past where none can be made. */
  get #tellsCalls(): boolean {
    return this.#adjusted?.strict === true && !this.#hasTools;
  }

  #projected(messages: readonly Message[]): readonly Message[] {
    return project(this.#tellsCalls ? messages.map(toldInWords) : messages, this.#adjusted?.strict);
  }

  /** The schemas of its tools have words that some servers cannot read. */
  get hasSchemaWords(): boolean {
    return this.#opening.tools.some((tool) => withoutSchemaWords(tool) !== tool);
  }

  #changed(messages: readonly Message[], from: number): readonly Message[] {
    const change = this.#change;
    return change === undefined ? messages : messages.map((message, index) => change(message, from + index));
  }

  /** A dialect that looks into the history sees what is sent of it. */
  #opened(request: ModelRequest): ModelRequest {
    const { opaque, strict } = request.adjusted ?? {};
    const change = opaque === undefined && strict === undefined ? undefined : this.#change;
    if (change === undefined) return request;
    return { ...request, history: request.history.map((message, at) => message && change(message, at)) };
  }

  /** The same for all messages of a head: what a dialect finds out about a server is found out once. */
  #asked(): Reader {
    return (this.#reader ??= this.#newReader());
  }

  #newReader(): Reader {
    const { nonce } = this.#opening;
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
      strict: this.#adjusted?.strict,
      without: this.#adjusted?.without,
      model: this.#model,
      hasTools: this.#hasTools,
      calls: this.calls,
    };
  }

  #extend(head: Head, all: readonly Message[], sent: readonly Message[]): void {
    const reader = this.#asked();
    for (const message of this.#tellsCalls ? [] : this.#changed(all, this.#next))
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
    const isStrict = request.adjusted?.strict;
    const all = settled(request.history, this.#next);
    const sent = this.#projected(this.#changed(all, this.#next));
    return mergesWith(this.#sent, sent[0], isStrict) ? undefined : { head: this.#head, opening: [], all, sent };
  }

  #beginsAs(request: ModelRequest): boolean {
    const { model, compaction, system, ephemeralSystem, streaming, anew } = request;
    const sameServer = this.#model === model && this.#streaming === streaming && anew !== true;
    const samePrompt =
      this.#isBare(request) === this.#bare &&
      request.adjusted === this.#adjusted &&
      this.#added.system === system &&
      this.#added.ephemeralSystem === ephemeralSystem;
    return sameServer && samePrompt && this.#compaction === compaction;
  }

  #isBare({ noTools, adjusted, model }: ModelRequest): boolean {
    const { dialect, provider, host } = this.#to;
    return noTools && (adjusted?.toolChoice === false || dialect.forbidsCalls?.({ provider, host, model }) === false);
  }

  #restart(request: ModelRequest): Growth {
    const { model, compaction, system: own, ephemeralSystem, streaming } = request;
    const all = settled(request.history, 0);
    this.#bare = this.#isBare(request);
    this.#adjusted = request.adjusted;
    this.#change = changeFor({ adjusted: request.adjusted, sees: this.#to.sees, smaller: this.#smaller });
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
    const tools = this.#offered;
    const begins = (added: Added): readonly [shared: string, own: string] =>
      dialect.encodeOpening({ system: this.#system(added), tools, streaming, reader });
    const [shared, sent] = begins(this.#added);
    const messages = this.#projected(shownHistory(this.#changed(all, 0), compaction));
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
    const written = this.#to.dialect.encodeMessage(message, this.#sent, reader);
    this.#sent = message;
    this.#messages += 1;
    this.#pictures += picturesWeigh(message);
    return written;
  }
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
