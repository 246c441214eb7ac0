import type { OutgoingHttpHeaders } from "node:http";
import type { Parameter } from "../protocol/adjustment.ts";
import type { Failure } from "../protocol/failure.ts";
import type { JsonObject } from "../protocol/json.ts";
import type { Message, Provenance, ToolCallPart } from "../protocol/message.ts";
import type { ModelRequest } from "../protocol/ports.ts";
import type { ModelFacts } from "../protocol/model-facts.ts";
import type { ApiMode, CacheTtl, Effort } from "../protocol/provider.ts";
import type { ToolSpec } from "../protocol/tool.ts";
import type { Refusal, Telling } from "./failure/refusal.ts";
import type { ReplyBuilder } from "./reply-builder.ts";

/** Whom messages are written for. */
export interface Reader extends Provenance {
  /** Where requests go, in lower case. */
  readonly host: string;
  /** The session's own code for the marker of what the user said while tools ran. */
  readonly nonce: string;
  readonly hasTools: boolean;
  readonly hasSystem: boolean;
  /** The longest reply of the model, tokens; undefined: unknown. */
  readonly maxOutput: number | undefined;
  /** The calls of the messages so far, by their ids: receipts do not say which tool they are of. */
  readonly calls: ReadonlyMap<string, ToolCallPart>;
  /** What the server or the model refused: the request does without. */
  readonly without?: readonly Parameter[] | undefined;
  /** It has refused the form of a conversation: whatever some servers refuse is not sent. */
  readonly strict?: boolean | undefined;
  /** Undefined: as much as the model thinks by itself. */
  readonly effort?: Effort | undefined;
  /** The levels the model can think at; none: it does not think; undefined: unknown. */
  readonly thinking?: ModelFacts["thinking"] | undefined;
  /** Five minutes when absent. */
  readonly cacheTtl?: CacheTtl | undefined;
}

/** The request may say this of itself. */
export const takes = ({ without }: Pick<Reader, "without">, parameter: Parameter): boolean =>
  without === undefined || !without.includes(parameter);

/** What a body begins with. */
export interface HeadOpening {
  readonly system: string;
  readonly tools: readonly ToolSpec[];
  readonly streaming: boolean;
  readonly reader: Reader;
}

/** Where a request goes below the base URL, and what it says of itself beside its key. */
export interface Route {
  readonly path: string;
  readonly headers: OutgoingHttpHeaders;
}

/**
 * What an event is: part of a reply, something beside it (a ping, a count), the word that the reply failed, or nothing
 * that this dialect knows.
 */
export type Reading = "part" | "aside" | "failure" | "unknown";

/** Who was asked for a reply. */
export interface Asked extends Pick<Reader, "provider" | "host" | "model"> {
  /** The server is on this machine or its network. */
  readonly local: boolean;
  /** Tools have run in the conversation. */
  readonly afterTools: boolean;
}

/** A request that a key may have to sign. */
export interface Signable {
  readonly method: "GET" | "POST";
  /** The whole address. */
  readonly url: string;
  readonly body: Uint8Array;
}

/** Reads the events of one reply into a builder. */
export interface EventReader {
  /** One event, or a whole reply. `name`: of the event, where the frames name it. */
  read(event: JsonObject, name: string | undefined): Reading;
}

/** Cuts what a network brings into events. */
export interface FrameReader {
  feed(bytes: Uint8Array): void;
  /** No more comes: what is left may be an event. */
  end(): void;
}

/**
 * One way of speaking to models: data in, data out (row C1). It owns no connection, stream, credential, cache policy,
 * interrupt or retry, and keeps nothing between two calls.
 *
 * A request is a head that only grows, and a tail that belongs to one attempt (design §7).
 */
export interface Dialect {
  readonly mode: ApiMode;
  readonly route: (request: Pick<ModelRequest, "model" | "streaming" | "adjusted">) => Route;
  /** What most servers have above these paths, and base URLs often lack; absent: the paths name it, or there is none. */
  readonly version?: string;
  /** Where the models of a server are listed below the base URL; undefined: nowhere. */
  readonly listing: string | undefined;
  /** The address below which that list lies, where it is another than that of the models. */
  readonly listedAt?: (baseUrl: string) => string;
  /** The ids in such a list; absent: it is `{data: [{id}]}`. Undefined: this is no list. */
  readonly listed?: (list: unknown) => readonly string[] | undefined;
  /** How a key is shown. */
  readonly authorisation: (key: string) => OutgoingHttpHeaders;
  /** What vouches for one request, where the key is not shown but signs it; undefined: this key is shown. */
  readonly sign?: (key: string, request: Signable) => Promise<OutgoingHttpHeaders> | undefined;
  /** Whether calls can be forbidden while there are tools; absent: yes. Where not, the request has none (row B4). */
  readonly forbidsCalls?: (reader: Pick<Reader, "provider" | "host" | "model">) => boolean;
  /** The body up to its messages: what many sessions have alike, then the session's own, with its system prompt. */
  readonly encodeOpening: (opening: HeadOpening) => readonly [shared: string, own: string];
  /** What the head grows by for a message that stands behind `before`; undefined: it is the first. */
  readonly encodeMessage: (message: Message, before: Message | undefined, reader: Reader) => string;
  /**
   * What stands behind the head in this attempt alone: what is `said` in private, behind `last`, the newest message of
   * the head; tool choice, output limit, brackets.
   */
  readonly encodeTail: (
    said: readonly Message[],
    last: Message | undefined,
    request: ModelRequest,
    reader: Reader,
  ) => string;
  /** `onEvent` is given the text of each event. */
  readonly frames: (onEvent: (data: string, name: string | undefined) => void) => FrameReader;
  readonly events: (builder: ReplyBuilder) => EventReader;
  /** Whether a text whose server says that it is complete was cut nevertheless; absent: never. */
  readonly seemsCut?: (text: string, asked: Asked) => boolean;
  /** Why a reply whose status is not 2xx was refused. */
  readonly failureOfStatus: (refusal: Refusal) => Failure;
  /** What an error in the middle of a reply means. */
  readonly failureOfError: (error: unknown, telling: Telling) => Failure;
}
