import type { InspectedCall, Verdict } from "./approval.ts";
import type { ExitReason } from "./exit.ts";
import type { Fact } from "./fact.ts";
import type { JsonObject } from "./json.ts";
import type { AssistantMessage, ContextPart, Message, ToolCallPart, ToolMessage } from "./message.ts";
import type { Usage } from "./outcome.ts";
import type { Model, ModelReply, ToolPort } from "./ports.ts";
import type { TurnResult } from "./result.ts";

/** What a hook sees of one iteration: frozen, and filled in the order of these fields (row I1). */
export interface HookContext {
  readonly sessionId: string;
  readonly turnId: string;
  /** Aborted when the turn is stopped, or when nobody waits for this hook any more. */
  readonly signal: AbortSignal;
  /** From 1. */
  readonly iteration: number;
  readonly messages: readonly Message[];
  readonly response: AssistantMessage | undefined;
  readonly usage: Usage | undefined;
  readonly toolCalls: readonly ToolCallPart[];
  readonly toolResults: readonly ToolMessage[];
  /** As it is shown; known in `afterIteration` of the last iteration. */
  readonly finalContent: string | null | undefined;
  readonly stopReason: ExitReason | undefined;
  readonly error: string | undefined;
}

/** Told before every model call (row B11). */
export interface Step {
  readonly sessionId: string;
  readonly turnId: string;
  readonly iteration: number;
  readonly previousTools: readonly { readonly name: string; readonly arguments: string; readonly result: string }[];
}

type Maybe<T> = T | Promise<T>;

/** How long one call of a hook, plug-in, middleware or memory may take before nobody waits for it any more, ms. */
export const EXTENSION_LIMIT_MS = 5_000;

/** Watches the loop. What a hook throws is reported and changes nothing; one that hangs is not called again this turn. */
export interface Hooks {
  /** For reports. */
  readonly name?: string;
  /** Without it `onStream` and `onStreamEnd` are not called. */
  readonly wantsStreaming?: boolean;
  /** The turn must not go on without this hook: what it throws ends the turn as `internal_error`. */
  readonly fatal?: true;
  step?(step: Step): Maybe<void>;
  beforeIteration?(context: HookContext): Maybe<void>;
  /** Each piece of text as it arrives; nobody waits for a promise. */
  onStream?(context: HookContext, text: string): Maybe<void>;
  /** `resuming`: more will come in this turn. */
  onStreamEnd?(context: HookContext, resuming: boolean): Maybe<void>;
  beforeExecuteTools?(context: HookContext): Maybe<void>;
  afterIteration?(context: HookContext): Maybe<void>;
  /** Returns the answer as it is to be shown; what is stored stays the model's. */
  finalizeContent?(content: string, context: HookContext): Maybe<string | undefined>;
}

export interface PluginTurn {
  readonly sessionId: string;
  readonly turnId: string;
  readonly prompt: string;
  /** The session with the prompt as its last message; frozen. */
  readonly messages: readonly Message[];
  /** Nothing was said in this session before. */
  readonly isFirst: boolean;
  /** Aborted when the turn is stopped, or when nobody waits for this plug-in any more. */
  readonly signal: AbortSignal;
}

/** Works at the two ends of a turn (row I2). Results are copies. */
export interface Plugin {
  readonly name: string;
  /** Looks at each call before it may run: it can only be stricter than its tool and those before it (approval.ts). */
  inspect?(call: InspectedCall): Verdict | undefined;
  /** Once per turn, before the first model call: what the model should know besides the prompt (row A11). */
  beforeTurn?(turn: PluginTurn): Maybe<string | undefined>;
  /** Returns what is shown instead; the first plug-in that returns a text that is not empty wins. */
  transformOutput?(text: string, result: TurnResult, signal: AbortSignal): Maybe<string | undefined>;
  /** After an answer that nobody interrupted. */
  afterAnswer?(result: TurnResult, signal: AbortSignal): Maybe<void>;
  /** The last thing of every turn, however it ended; not of a turn that only waits for a person. */
  onSessionEnd?(result: TurnResult, signal: AbortSignal): Maybe<void>;
}

/** What a turn asks a memory. */
export interface PrefetchInput {
  readonly sessionId: string;
  readonly turnId: string;
  readonly prompt: string;
}

/** A turn that was answered, as a memory keeps it: the words of its user, and the answer. */
export interface KeptTurn extends PrefetchInput {
  readonly answer: string;
}

/** A memory outside this program. */
export interface MemoryProvider {
  readonly name: string;
  /**
   * Once per turn, before the first model call: what it recalls for the prompt, or an empty text (row A11). `signal` is
   * aborted when the turn is stopped, or when nobody waits for it any more.
   */
  prefetch(input: PrefetchInput, signal: AbortSignal): Maybe<string>;
  /** After an answer that nobody interrupted: keeps what was said. No turn waits for it. */
  sync?(turn: KeptTurn, signal: AbortSignal): Maybe<void>;
  /** Whether it is well again after it failed: throws when it is not. Absent: it is asked for the last prompt once more. */
  health?(signal: AbortSignal): Maybe<void>;
  /** The agent is closed. */
  close?(): Maybe<void>;
}

/** What is added to a message, and what went wrong meanwhile, one line each. */
export interface Told {
  readonly contexts: readonly ContextPart[];
  readonly troubles: readonly string[];
}

/** Somebody other than a plug-in who is asked once per turn, before the first model call. Never rejects or hangs. */
export type Informant = (turn: PluginTurn) => Promise<Told>;

/** One model call that is about to leave; what it says is durable by then and cannot be changed. */
export interface ModelCall {
  readonly sessionId: string;
  readonly turnId: string;
  readonly iteration: number;
  readonly model: string;
  readonly messages: readonly Message[];
  /** What the model is told in this attempt alone, behind the messages. */
  readonly tail: readonly Message[];
  readonly signal: AbortSignal;
}

export interface ToolRequest {
  readonly sessionId: string;
  readonly turnId: string;
  readonly callId: string;
  readonly name: string;
  readonly arguments: JsonObject;
  readonly signal: AbortSignal;
}

/** Other arguments, or a refusal that the model is told as an error. */
export type ToolRequestAnswer = { readonly arguments: JsonObject } | { readonly veto: string };

/** Stands between the loop and the world (row I6). One that throws or hangs is named and passed over. */
export interface Middleware {
  readonly name: string;
  /**
   * Around the model call: `next` makes it, once, and a second `next` gives the same reply. Returns that reply, or a
   * message of its own. What it does itself has a time limit, `next` has none.
   */
  modelCall?(call: ModelCall, next: () => Promise<ModelReply>): Maybe<ModelReply>;
  /** Before a tool runs. A call that runs with other arguments is not approved by what a person said to the old ones. */
  toolRequest?(request: ToolRequest): Maybe<ToolRequestAnswer | undefined>;
}

export interface ExtendedTurn {
  readonly sessionId: string;
  readonly turnId: string;
  /** The iteration a resumed turn is in; 0 before the first. */
  readonly iteration: number;
  /** Place of the turn's user message in the history. */
  readonly firstSeq: number;
  /** The session's log, as it is now. */
  readonly history: () => readonly (Message | undefined)[];
  /** Aborted when the turn is stopped. */
  readonly signal: AbortSignal;
  /** One line for each trouble, as it happens. */
  readonly log: (line: string) => void;
  readonly ports: { readonly model: Model; readonly tools: ToolPort };
}

/** What is put around one turn. Nothing here rejects or hangs, but for a fatal hook. */
export interface TurnExtension {
  readonly model: Model;
  readonly tools: ToolPort;
  /** Told of each fact of the turn as it is recorded. */
  observe(fact: Fact): void;
  /** Absent when nobody has anything to say. */
  readonly beforeTurn: (() => Promise<readonly ContextPart[]>) | undefined;
  /** The loop is over: returns the answer as it is to be shown. */
  afterLoop(result: TurnResult): Promise<string | null>;
  transformOutput(result: TurnResult): Promise<string | null>;
  afterAnswer(result: TurnResult): Promise<void>;
  sessionEnd(result: TurnResult): Promise<void>;
  /** What went wrong in the turn so far, one line each. */
  troubles(): readonly string[];
}

/** Puts what a program or a person has added around a turn that starts or is taken up. */
export type Extend = (turn: ExtendedTurn) => TurnExtension;
