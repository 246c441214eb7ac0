import type { Adjusted } from "./adjustment.ts";
import type { Delta, Fact, Finish, RequestSize } from "./fact.ts";
import type { Circumstances, Failure, KeysLeft, PartialReply } from "./failure.ts";
import type { MoneyLimit, Price } from "./money.ts";
import type { AssistantMessage, Message, ReasoningPart, ToolCallPart } from "./message.ts";
import type { Usage } from "./outcome.ts";
import type { Compaction } from "./projection/compaction.ts";
import type { Wire } from "./replay.ts";
import type { Inspection, ToolContext, ToolResult } from "./tool.ts";

/** What one attempt asks of the model. Everything that is the same for the whole session was given when it was opened. */
export interface ModelRequest {
  readonly provider: string;
  readonly model: string;
  /** The session's log. A slot is empty only while its call is open, and no request leaves then. */
  readonly history: readonly (Message | undefined)[];
  /** What of the history is sent; undefined: all of it. */
  readonly compaction: Compaction | undefined;
  /** This attempt's private messages to the model: they stand behind the history and never become part of it. */
  readonly tail: readonly Message[];
  /** What whoever asked adds to the system prompt; kept with the turn (row A15). */
  readonly system?: string | undefined;
  /** This turn's addition to the system prompt: sent, and never stored (row A16). */
  readonly ephemeralSystem?: string | undefined;
  /** The tools stay in the head, so the cache holds; the tail forbids calling them. */
  readonly noTools: boolean;
  /** The reply goes on where the text in the tail stopped: white space at its beginning counts. */
  readonly continues: boolean;
  /** The longest reply, tokens; undefined leaves it to the server. */
  readonly maxOutput: number | undefined;
  /** About how many tokens the request has, and how many the window then leaves for the reply; absent: nobody knows. */
  readonly weight?: { readonly tokens: number; readonly room: number } | undefined;
  /** False: this server gives its reply in one piece (row C18). */
  readonly streaming: boolean;
  /** What it does without, the same object as long as nothing changes; `streaming` says that of it already. */
  readonly adjusted?: Omit<Adjusted, "streaming">;
  /** The request before it went to another model: what is kept of this one begins anew. */
  readonly anew?: true;
}

export type ModelReply =
  | {
      readonly type: "message";
      readonly message: AssistantMessage;
      readonly finish: Finish;
      /** The server's own word for the end, where nobody here knows it. */
      readonly unknownFinish?: string;
      readonly usage?: Usage;
    }
  | { readonly type: "empty"; readonly reasoning?: ReasoningPart; readonly usage?: Usage }
  /** The output limit ended it before anything was complete. */
  | { readonly type: "cut"; readonly partial: PartialReply; readonly usage?: Usage }
  | {
      readonly type: "failure";
      readonly failure: Failure;
      readonly circumstances?: Circumstances;
      readonly partial?: PartialReply;
      readonly usage?: Usage;
    }
  | { readonly type: "aborted"; readonly text: string; readonly reasoning: string };

/**
 * The bytes of one request, as what they add to the request before it in the same conversation (design §6): kept so that
 * every request can be read again as the model saw it. Secrets are masked.
 */
export interface RequestRecord {
  /** The head of the request before it goes on; false: it begins anew. */
  readonly continues: boolean;
  /** What the head has more, in pieces that end between two messages. The bytes never change. */
  readonly add: readonly Uint8Array[];
  /** What stands behind the head in this attempt alone. */
  readonly tail: string;
}

/** A request that is encoded and has not left. Its bytes hold until the next one is prepared. */
export interface PreparedRequest {
  readonly record: RequestRecord;
  readonly size: RequestSize;
  /** After so long, in ms, the call ends by itself, whatever the model does; absent: never. */
  readonly limitMs?: number;
  /** Fingerprint of the key it will be sent with; absent where there is none to choose from. */
  readonly key?: string;
  /** Never throws for what a server or a network does. */
  send(emit: (deltas: readonly Delta[]) => void, signal: AbortSignal): Promise<ModelReply>;
}

/** One conversation's view of a provider: one request at a time. */
export interface Model {
  /** How its requests are written; absent: nobody else can write the same. */
  readonly wire?: Wire | undefined;
  /** The keys it is asked with, where there is something to choose or to renew. */
  readonly credentials?: Credentials | undefined;
  /** Does what preparing a request takes time for; only where pictures are limited is it called. Never rejects. */
  ready?(request: ModelRequest): Promise<void>;
  prepare(request: ModelRequest): PreparedRequest;
}

/** The key that a request was sent with. */
export interface KeySent {
  readonly provider: string;
  readonly model: string;
  /** Its fingerprint. */
  readonly key: string;
}

/** The keys of the providers that are asked, shared with other processes (rows D6 to D8). Never throws, never rejects. */
export interface Credentials {
  /** What there is beside the key that was sent; nothing is changed. */
  look(sent: KeySent): KeysLeft | undefined;
  /** Blames the key that was sent and takes another from here on: its fingerprint. Undefined: none can be used. */
  rotate(sent: KeySent, failure: Failure): Promise<string | undefined>;
  /** Renews the key that was sent: the fingerprint of what it has become. Undefined: that did not work. */
  refresh(sent: KeySent): Promise<string | undefined>;
}

/** A model by its name and who serves it. */
export interface ModelName {
  readonly provider: string;
  readonly model: string;
}

/** The model that was asked, and those that a turn has left because of what they did: it asks none of them again. */
export interface Asked extends ModelName {
  readonly tried: readonly ModelName[];
  /** What the turn may spend; absent: as much as it takes. */
  readonly limit?: MoneyLimit | undefined;
}

/** A model that takes over. */
export interface Successor extends ModelName {
  readonly price?: Price;
  /** Tokens that a request to it and the reply may have together; absent: nobody knows. */
  readonly contextWindow?: number;
  /** What every request to it has beside the messages, tokens by estimate; absent: nobody asks. */
  readonly overhead?: number;
  /** How its requests are written; absent: nobody can say. */
  readonly wire?: Wire;
}

/** The models that may be asked when one fails, in order (rows D9 to D11). Never throws, never rejects. */
export interface Chain {
  /** How many could be asked now instead of this one. */
  left(asked: Asked): number;
  /**
   * Goes on to the next one, which `Model` can then be asked for; `failure` is absent of a model that says nothing.
   * Undefined: none could be opened.
   */
  next(asked: Asked, failure: Failure | undefined): Promise<Successor | undefined>;
}

/** What a call is looked at with. */
export interface Seen {
  /** The session before the reply that holds the call. */
  readonly history: readonly (Message | undefined)[];
  /** All calls of that reply, in order; absent: it stands alone. */
  readonly reply?: readonly ToolCallPart[];
  /** A person can be asked about it. */
  readonly canAsk: boolean;
  readonly sessionId?: string;
  /** What people have allowed for good lets it run unasked. */
  readonly byRules?: boolean;
}

export interface ToolPort {
  /** Loads what inspecting calls needs; absent where that is there already. Never rejects. */
  ready?(): Promise<void>;
  /** Observes one call on arrival: never throws, changes nothing. `seen`: absent where there is no conversation. */
  inspect(call: ToolCallPart, seen?: Seen): Inspection;
  /** Throws for a failed call. */
  run(call: ToolCallPart, context: ToolContext): Promise<ToolResult>;
}

export interface CompactionRequest {
  /** Absent: of no session. */
  readonly sessionId?: string;
  readonly history: readonly (Message | undefined)[];
  /** What holds now. */
  readonly compaction: Compaction | undefined;
  /** How much of what is sent now may be left, from 1 down to 0, which asks for the least that makes sense. */
  readonly share: number;
}

/** What of a history is put into a model's words. */
export interface SummaryRequest extends Omit<CompactionRequest, "share"> {
  readonly sessionId: string;
  /** How many tokens may be left of what is sent, the summary among them. */
  readonly target: number;
  /** What is to be kept above all, in a person's words. */
  readonly focus?: string | undefined;
  /** From this place on nothing is left out; absent: what has to be. */
  readonly keepFrom?: number | undefined;
  /** A person waits for it: what has failed before is tried again. */
  readonly asked?: boolean;
}

/** `trouble`: why there is none, in one line; the history is as it was. */
export type Summarised = { readonly compaction: Compaction } | { readonly trouble: string };

export interface Compactor {
  /** Without a model: comes as close to the share as it can. Undefined when nothing more can be left out. */
  compact(request: CompactionRequest): Compaction | undefined;
  /** With a summary by a model. Absent: there is none for it. Never rejects. */
  readonly summarise?: ((request: SummaryRequest, signal: AbortSignal) => Promise<Summarised>) | undefined;
}

export interface Clock {
  /** Milliseconds since the epoch, as the clock on the wall has it: it may be set, forward and back. */
  now(): number;
  /** Milliseconds that only go on, from some beginning: for how long something took or may take. */
  elapsed(): number;
  /**
   * Resolves after `ms`, or at once when the signal aborts; never rejects. `aside`: nobody waits for it, as for a limit
   * or a sign of life; virtual time does not pass for its sake.
   */
  sleep(ms: number, signal: AbortSignal, aside?: "aside"): Promise<void>;
}

/** What another runtime made of a turn. */
export type RuntimeReply =
  | { readonly type: "answer"; readonly text: string; readonly usage?: Usage }
  | { readonly type: "failure"; readonly failure: Failure };

/** Another agent that a turn can be handed to whole: it asks its own model and runs its own tools (row B12). */
export interface OtherRuntime {
  readonly name: string;
  /**
   * Answers the newest user message. What it throws is a failure of the turn. After an abort nobody waits for it long,
   * and what it has shown is kept.
   */
  answer(
    history: readonly (Message | undefined)[],
    show: (text: string) => void,
    signal: AbortSignal,
  ): Promise<RuntimeReply>;
}

export interface TurnPorts {
  readonly model: Model;
  /** Takes the turns over, where the set-up names it. */
  readonly runtime?: OtherRuntime | undefined;
  readonly tools: ToolPort;
  /** Absent: each provider has one key. */
  readonly credentials?: Credentials | undefined;
  /** Absent: there is no other model. */
  readonly chain?: Chain | undefined;
  readonly compactor: Compactor;
  readonly clock: Clock;
  /** From 0 up to, not including, 1. */
  readonly random: () => number;
  readonly sessionId: string;
  readonly ephemeralSystem?: string | undefined;
}

/** The driver's only way to change, show and wait (design §1). */
export interface TurnLog {
  /** Aborted by an interrupt and by the deadline. */
  readonly signal: AbortSignal;
  /** A signal for one request or wait: aborted by all that aborts `signal`, and by a redirect, which is not the end. */
  requestSignal(): AbortSignal;
  /** Applies the fact to the state and queues it for the journal; record order is journal order. */
  record(fact: Fact): void;
  /** Keeps the request of the attempt recorded last, in the same commit. */
  keepRequest(request: RequestRecord): void;
  emit(deltas: readonly Delta[]): void;
  /** Resolves when all recorded so far is committed, and synced where a fact demands it. Rejects when it cannot be. */
  barrier(): Promise<void>;
  /** Resolves when the next arrival (approval, interrupt, steer, injection, redirect, deadline) was recorded. */
  nextArrival(): Promise<void>;
}
