import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { LONGEST_MS } from "./config/duration.ts";
import { deterministicCompactor } from "./context/compactor.ts";
import { createExtension } from "./extend/extension.ts";
import { createChatProvider, type StreamLimits } from "./model/chat_completions/index.ts";
import { readGuardrails } from "./config/guardrails.ts";
import type { Hooks, Middleware, Plugin } from "./protocol/extension.ts";
import type { TurnEvent } from "./protocol/fact.ts";
import { type Guardrails, UNATTENDED_GUARDRAILS } from "./protocol/guardrails.ts";
import type { Message } from "./protocol/message.ts";
import { fromOpenAi, type OpenAiMessage } from "./protocol/openai.ts";
import type { TurnResult } from "./protocol/result.ts";
import { type Store, StoreError } from "./protocol/store.ts";
import type { Route, Tool } from "./protocol/tool.ts";
import type { Diagnostic } from "./session/diagnostic.ts";
import { readInput } from "./session/input.ts";
import { type ChatPlace, sessionKey, type SessionKeyOptions } from "./session/session-key.ts";
import type { TurnInputs } from "./session/lane.ts";
import { type About, type Refusal, refusalResult, storeRefusal } from "./session/result.ts";
import { type Runner, runSpec, type RunSpec } from "./session/run-spec.ts";
import { localTime } from "./session/runtime-context.ts";
import { Sessions, type SessionsOptions } from "./session/sessions.ts";
import { systemClock } from "./session/system-clock.ts";
import { Turn } from "./session/turn.ts";
import { endOf, type RunResult, TurnHandle } from "./session/turn-handle.ts";
import { memoryStore } from "./store/memory.ts";
import { openSqliteStore } from "./store/sqlite/store.ts";
import { createToolbox, type Toolbox } from "./tools/toolbox.ts";
import { MAX_ITERATIONS } from "./turn/budget.ts";
import type { Language } from "./words/language.ts";
import { type ApprovalPolicy, type RetryPolicy, type Setup, UNATTENDED_RETRY } from "./turn/state.ts";

export { readInput, refusalResult, sessionKey, Sessions, StoreError };
export type { Hooks, Middleware, Plugin };
export type { Diagnostic, Guardrails, Message, OpenAiMessage, Route, Store, StreamLimits, Tool };
export type { ChatPlace, SessionKeyOptions };
export type { RunResult, RunSpec, Turn, TurnEvent, TurnHandle, TurnResult };

const SYSTEM = "You are Evander, a careful assistant. Use the tools when they help; say plainly what you did.";

export interface AgentOptions {
  /** Address of a chat-completions server, up to and with `/v1`. */
  readonly baseUrl: string;
  readonly model: string;
  /** Sent as a bearer token. */
  readonly apiKey?: string;
  /** Name for results and records; `custom` when absent. */
  readonly provider?: string;
  /** Where the provider was named, for results; `options` when absent. */
  readonly source?: string;
  /** The variable that the key was read from: named where the provider refuses it. */
  readonly keySource?: string;
  /** Tokens a request and its reply may have together: one that cannot fit is not sent. Unknown when absent. */
  readonly contextWindow?: number;
  readonly system?: string;
  readonly tools?: readonly Tool[];
  /** Folder of the store. Absent: nothing outlives the process. */
  readonly store?: string;
  /** `full` syncs every commit to disk; the default syncs what must survive power loss. */
  readonly sync?: "four" | "full";
  /** Model calls per turn; `Infinity` only when written out. */
  readonly maxIterations?: number;
  /** How long a turn may run in one go, ms, up to 2^31 - 1; it then ends as `time_limit`, and what was shown is kept. */
  readonly maxTimeMs?: number;
  /** Tells the model with each message what time it is on this machine. Not done when absent; a route is told anyway. */
  readonly tellTime?: boolean;
  /** The longest reply to ask for, tokens; absent leaves it to the server. */
  readonly maxOutput?: number;
  /** What happens to a call that needs a person; `never` when absent. */
  readonly approvals?: ApprovalPolicy;
  readonly retry?: Partial<RetryPolicy>;
  readonly stream?: Partial<StreamLimits>;
  /** Of explanations and next steps; `en` when absent. */
  readonly language?: Language;
  /** Watch the loop, in this order; see docs/extending.md. */
  readonly hooks?: readonly Hooks[];
  /** Work at the two ends of a turn, in this order. */
  readonly plugins?: readonly Plugin[];
  /** Stand around model calls and before tool calls; the first is the outermost. */
  readonly middleware?: readonly Middleware[];
  /** How long one call of those may take before nobody waits for it any more, ms; 5,000 when absent. */
  readonly extensionLimitMs?: number;
  /** Sentences about hooks, plug-ins or middleware that could not be loaded: told in every result. */
  readonly extensionTroubles?: readonly string[];
  /** Guards against calls that repeat themselves; they stop a turn unless `hardStop` is false. */
  readonly guardrails?: Partial<Guardrails>;
  /** The first call that ends with an error ends the turn as `tool_error`. */
  readonly failOnToolError?: boolean;
  /** One line per turn, for logs. */
  readonly onDiagnostic?: (diagnostic: Diagnostic) => void;
  /**
   * Is handed each turn that answers a message injected too late for its own turn. Absent: such messages come back
   * in `pendingSteer`.
   */
  readonly onFollowUp?: (turn: TurnHandle) => void;
}

export interface StartOptions extends Omit<TurnInputs, "idempotencyKey"> {
  /** A session to go on with, or to begin under this name. Absent: a new one. */
  readonly sessionId?: string;
}

export interface RunOptions extends StartOptions {
  /** Called with each piece of the answer as it arrives. What it throws is reported, and stops nothing. */
  readonly onText?: (text: string) => void;
  /** A redirect cancelled the reply: what `onText` was given since the last tool call no longer counts. */
  readonly onRetract?: () => void;
}

export interface Agent extends AsyncDisposable {
  /** One whole turn. Never rejects for what a model, a tool or a disk does: read `exit`. */
  run(prompt: string, options?: RunOptions): Promise<RunResult>;
  /** As `run`, for whoever wants to watch the turn and to talk to it. */
  start(prompt: string, options?: StartOptions): TurnHandle;
  /** A run from plain data, beside all sessions: for jobs of your own, and for titles, summaries and the like. */
  runSpec(spec: RunSpec): Promise<RunResult>;
  /** The sessions below `run`: lanes, events, arrivals, resume. */
  readonly sessions: Sessions;
  readonly store: Store;
  /** Adds messages recorded elsewhere to a session. */
  importMessages(sessionId: string, messages: readonly OpenAiMessage[]): Promise<void>;
  close(): Promise<void>;
}

/**
 * An agent on one model, with its own tools and sessions. Throws StoreError for a store that cannot be opened, and
 * TypeError or RangeError for an option that cannot be used.
 */
export function agent(options: AgentOptions): Agent {
  const store = options.store === undefined ? memoryStore() : openStore(options.store, options.sync);
  return agentOn(store, options);
}

/** The store of a folder; see StoreError for what can be wrong with it. */
export const openStore = (folder: string, sync: "four" | "full" = "four"): Store =>
  openSqliteStore({ path: join(folder, "evander.db"), sync });

/** As `agent`, on a store that is open already. */
export function agentOn(store: Store, options: AgentOptions & Pick<SessionsOptions, "trace">): Agent {
  const { baseUrl, provider = "custom", system = SYSTEM, onFollowUp } = options;
  const toolbox = createToolbox(options.tools ?? []);
  const chat = createChatProvider({
    baseUrl,
    apiKey: options.apiKey,
    provider,
    contextWindow: options.contextWindow,
    ...(options.stream && { stream: options.stream }),
  });
  const shared = {
    setup: setupOf(options),
    about: aboutOf(options),
    newId: randomUUID,
    log: options.onDiagnostic ?? (() => undefined),
    trace: options.trace,
  } as const;
  const ports = { compactor: deterministicCompactor, clock: systemClock, random: Math.random };
  const sessions = new Sessions({
    ...shared,
    store,
    openModel: ({ nonce }) => chat.open({ system, tools: toolbox.specs, nonce }),
    ports: { ...ports, tools: toolbox.port },
    extend: extensionOf(options, toolbox),
    localTime: options.tellTime === true ? localTime : undefined,
    maxTimeMs: timeLimit("maxTimeMs", options.maxTimeMs),
    onFollowUp: onFollowUp && ((turn, id) => onFollowUp(new TurnHandle(id, Promise.resolve(turn), options.language))),
  });
  const open: Runner["open"] = ({ system: own = system, tools }) => {
    const box = subset(options.tools ?? [], tools);
    return box && ((nonce) => ({ model: chat.open({ system: own, tools: box.specs, nonce }), tools: box.port }));
  };
  const openChild: Runner["openChild"] = (sessionId, of) => store.openChild(sessionId, of);
  const close = (): Promise<void> => {
    chat.close();
    store.close();
    return Promise.resolve();
  };
  return {
    sessions,
    store,
    run: (prompt, runOptions = {}) => run(sessions, prompt, { ...runOptions, language: options.language }),
    start: (prompt, { sessionId = randomUUID(), ...inputs } = {}) =>
      new TurnHandle(sessionId, begin(sessions, prompt, sessionId, inputs), options.language),
    runSpec: (spec) => runSpec(spec, { ...shared, ports, open, openChild, sessions }),
    importMessages: (sessionId, messages) => sessions.importMessages(sessionId, fromOpenAi(messages)),
    close,
    [Symbol.asyncDispose]: close,
  };
}

const aboutOf = ({
  provider = "custom",
  baseUrl,
  source = "options",
  keySource,
  language = "en",
}: AgentOptions): About => ({
  provider,
  baseUrl,
  source,
  language,
  ...(keySource !== undefined && { keySource }),
});

const setupOf = (options: AgentOptions): Setup => ({
  model: options.model,
  provider: options.provider ?? "custom",
  maxIterations: iterationLimit(options.maxIterations),
  ...(options.maxOutput !== undefined && { maxOutput: outputLimit(options.maxOutput) }),
  approvals: options.approvals ?? "never",
  retry: { ...UNATTENDED_RETRY, ...options.retry },
  guardrails: { ...UNATTENDED_GUARDRAILS, ...readGuardrails({ ...options.guardrails }) },
  failOnToolError: options.failOnToolError ?? false,
});

/** The tools with these names; undefined when one of them does not exist. */
function subset(tools: readonly Tool[], names: readonly string[]): Toolbox | undefined {
  const picked = tools.filter((tool) => names.includes(tool.name));
  return picked.length === new Set(names).size ? createToolbox(picked) : undefined;
}

const extensionOf = (
  { hooks = [], plugins = [], middleware = [], extensionLimitMs, extensionTroubles = [] }: AgentOptions,
  { read }: Toolbox,
): SessionsOptions["extend"] => {
  const limitMs = timeLimit("extensionLimitMs", extensionLimitMs);
  return createExtension({ hooks, plugins, middleware, troubles: extensionTroubles, read, limitMs });
};

function iterationLimit(limit: number = MAX_ITERATIONS): number {
  if (limit === Infinity || (Number.isInteger(limit) && limit > 0)) return limit;
  throw new RangeError(`maxIterations must be a whole number above zero, or Infinity; it is ${limit}.`);
}

function timeLimit(name: string, ms: number | undefined): number | undefined {
  if (ms === undefined || (Number.isInteger(ms) && ms > 0 && ms <= LONGEST_MS)) return ms;
  throw new RangeError(`${name} must be a whole number of milliseconds from 1 to ${LONGEST_MS}; it is ${ms}.`);
}

function outputLimit(limit: number): number {
  if (Number.isInteger(limit) && limit > 0) return limit;
  throw new RangeError(`maxOutput must be a whole number of tokens above zero; it is ${limit}.`);
}

async function run(
  sessions: Sessions,
  prompt: string,
  options: RunOptions & { readonly language: Language | undefined },
): Promise<RunResult> {
  const begun = await begin(sessions, prompt, options.sessionId ?? randomUUID(), options);
  const complaints = begun instanceof Turn ? await listen(begun, options) : [];
  const result = await endOf(begun, options.language);
  return { ...result, cleanupErrors: [...result.cleanupErrors, ...complaints] };
}

/** Starts the turn, or says why there is none. */
async function begin(
  sessions: Sessions,
  prompt: string,
  sessionId: string,
  inputs: TurnInputs,
): Promise<Turn | Refusal> {
  const input = readInput(prompt);
  if (input.type === "blank") {
    const message = "The prompt is empty: write what you want to be done.";
    return { reason: "usage_error", message, sessionId };
  }
  try {
    return await sessions.start(sessionId, input.text, inputs);
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    return storeRefusal(error, sessionId);
  }
}

/** Hands the text on until the turn ends; a listener that throws is not called again. */
async function listen(turn: Turn, { onText, onRetract }: RunOptions): Promise<string[]> {
  if (onText === undefined) return [];
  let given = false;
  try {
    for await (const event of turn) {
      if (event.type === "text-delta") {
        given = true;
        onText(event.text);
      }
      if (event.type !== "attempt-start") continue;
      if (given && event.replaces !== undefined) onRetract?.();
      given = false;
    }
    return [];
  } catch (error) {
    return [`onText: ${error instanceof Error ? error.message : String(error)}`];
  }
}
