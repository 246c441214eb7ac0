import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { readGuardrails } from "./config/guardrails.ts";
import { capsOf, costLimit, outputLimit, timeLimit } from "./config/limits.ts";
import { deterministicCompactor } from "./context/compactor.ts";
import { createExtension } from "./extend/extension.ts";
import type { StreamLimits } from "./model/stream-limits.ts";
import { type ModelOptions, modelSource, type ModelSource, type OpenedModel, usedModels } from "./model-source.ts";
import type { ExitReason, RefusalReason } from "./protocol/exit.ts";
import type { Hooks, Middleware, Plugin } from "./protocol/extension.ts";
import type { TurnEvent } from "./protocol/fact.ts";
import { type Guardrails, UNATTENDED_GUARDRAILS } from "./protocol/guardrails.ts";
import type { Message } from "./protocol/message.ts";
import type { ModelFacts } from "./protocol/model-facts.ts";
import { priceOf } from "./protocol/money.ts";
import { fromOpenAi, type OpenAiMessage, toOpenAi } from "./protocol/openai.ts";
import type { WaitingCall } from "./protocol/outcome.ts";
import type { OtherRuntime, RuntimeReply } from "./protocol/ports.ts";
import type { ModelChoice } from "./protocol/provider.ts";
import type { NextStep, TurnResult } from "./protocol/result.ts";
import { type Store, StoreError } from "./protocol/store.ts";
import type { Claim, Effect, Route, Tool, ToolContext } from "./protocol/tool.ts";
import { reasonOf } from "./protocol/reason-of.ts";
import type { Diagnostic } from "./session/diagnostic.ts";
import { readInput } from "./session/input.ts";
import { type ChatPlace, sessionKey, type SessionKeyOptions } from "./session/session-key.ts";
import type { TurnInputs } from "./session/input.ts";
import { openTurn, type ParkedTurn } from "./session/parked-turn.ts";
import { type Refusal, refusalResult, storeRefusal } from "./session/result.ts";
import { type Runner, runSpec, type RunSpec } from "./session/run-spec.ts";
import { localTime } from "./session/runtime-context.ts";
import { Sessions, type SessionsOptions } from "./session/sessions.ts";
import { type OtherModel, Turn } from "./session/turn.ts";
import { turnHandle, type RunResult, type TurnHandle } from "./session/turn-handle.ts";
import { memoryStore } from "./store/memory.ts";
import { openSqliteStore } from "./store/sqlite/store.ts";
import type { StandardSchema } from "./tools/standard-schema.ts";
import { tool, type ToolDefinition } from "./tools/standard-tool.ts";
import { createToolbox, type Toolbox } from "./tools/toolbox.ts";
import { MAX_ITERATIONS } from "./turn/budget.ts";
import { type ApprovalPolicy, type RetryPolicy, type Setup, UNATTENDED_RETRY } from "./turn/state.ts";
import { describeFor } from "./vision.ts";
import { BLANK_PROMPT } from "./words/usage.ts";

export { fromOpenAi, sessionKey, StoreError, toOpenAi, tool };
export type { ChatPlace, ModelChoice, SessionKeyOptions };
export type { Hooks, Middleware, Plugin };
export type {
  Claim,
  Diagnostic,
  Effect,
  Guardrails,
  Message,
  ModelFacts,
  OpenAiMessage,
  Route,
  Store,
  StreamLimits,
  Tool,
};
export type {
  ExitReason,
  NextStep,
  RefusalReason,
  RunResult,
  RunSpec,
  Sessions,
  Turn,
  TurnEvent,
  TurnHandle,
  TurnResult,
};
export type { OtherRuntime, ParkedTurn, RuntimeReply, StandardSchema, ToolContext, ToolDefinition, WaitingCall };

const SYSTEM = "You are Evander, a careful assistant. Use the tools when they help; say plainly what you did.";

export interface AgentOptions extends ModelOptions {
  readonly system?: string;
  readonly tools?: readonly Tool[];
  /** Describes the pictures of a user message where the agent's model is known not to see. */
  readonly vision?: ModelChoice;
  /** Folder of the store. Absent: nothing outlives the process. */
  readonly store?: string;
  /** `full` syncs every commit to disk; the default syncs what must survive power loss. */
  readonly sync?: "four" | "full";
  /** Model calls per turn; `Infinity` only when written out. */
  readonly maxIterations?: number;
  /** How long a turn may run in one go, ms, up to 2^31 - 1; it then ends as `time_limit`, and what was shown is kept. */
  readonly maxTimeMs?: number;
  /**
   * What a turn may spend, US dollars; no limit when absent. It then ends as `money_limit`, or asks where somebody can
   * answer. A model whose price nobody knows is not asked under a limit.
   */
  readonly maxCost?: number;
  /** The same for all turns of a session, with what was done on its account. */
  readonly maxSessionCost?: number;
  /** The same for all turns of this store since midnight, as it stands when a turn begins. */
  readonly maxDayCost?: number;
  /** Tells the model with each message what time it is on this machine. Not done when absent; a route is told anyway. */
  readonly tellTime?: boolean;
  /** The longest reply to ask for, tokens; absent leaves it to the server. */
  readonly maxOutput?: number;
  /** Takes every turn over whole, with a model and tools of its own (row B12). Absent: the loop asks the model. */
  readonly runtime?: OtherRuntime;
  /** What happens to a call that needs a person; `never` when absent. */
  readonly approvals?: ApprovalPolicy;
  readonly retry?: Partial<RetryPolicy>;
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
  /** Stops the turn when it is aborted, as `interrupt` does. */
  readonly signal?: AbortSignal;
}

export interface RunOptions extends StartOptions {
  /** Called with each piece of the answer as it arrives. What it throws is reported, and stops nothing. */
  readonly onText?: ((text: string) => void) | undefined;
  /** A redirect cancelled the reply: what `onText` was given since the last tool call no longer counts. */
  readonly onRetract?: (() => void) | undefined;
}

export interface Agent extends AsyncDisposable {
  /** One whole turn. Never rejects for what a model, a tool or a disk does: read `exit`. */
  run(prompt: string, options?: RunOptions): Promise<RunResult>;
  /** As `run`, for whoever wants to watch the turn and to talk to it. */
  start(prompt: string, options?: StartOptions): TurnHandle;
  /**
   * A turn that stands still, by its id: one that waits for a person, or whose process died. Undefined when there is no
   * such turn, or it has ended. Rejects with StoreError `busy` while another process works in its session.
   */
  open(turnId: string): Promise<ParkedTurn | undefined>;
  /** A run from plain data, beside all sessions: for jobs of your own, and for titles, summaries and the like. */
  runSpec(spec: RunSpec): Promise<RunResult>;
  /** The sessions below `run`: lanes, events, arrivals, resume. */
  readonly sessions: Sessions;
  readonly store: Store;
  /** Adds messages recorded elsewhere to a session. */
  importMessages(sessionId: string, messages: readonly OpenAiMessage[]): Promise<void>;
  /** A session in the OpenAI shape; undefined when there is no such session. */
  exportMessages(sessionId: string): OpenAiMessage[] | undefined;
  /** Stops the turns that still run, keeping them, and closes the store. Rejects for a script that was not played. */
  close(): Promise<void>;
}

/**
 * An agent on one model, with its own tools and sessions. Throws StoreError for a store that cannot be opened, and
 * TypeError or RangeError for an option that cannot be used.
 */
export function agent(options: AgentOptions = {}): Agent {
  const store = options.store === undefined ? memoryStore() : openStore(options.store, options.sync);
  try {
    return agentOn(store, options);
  } catch (error) {
    store.close();
    throw error;
  }
}

/** The store of a folder; see StoreError for what can be wrong with it. */
export const openStore = (folder: string, sync: "four" | "full" = "four"): Store =>
  openSqliteStore({ path: join(folder, "evander.db"), sync });

/** As `agent`, on a store that is open already. */
export function agentOn(store: Store, options: AgentOptions & Pick<SessionsOptions, "trace">): Agent {
  const { language, onFollowUp } = options;
  const source = modelSource(options);
  const running = new Set<Promise<Turn | Refusal>>();
  const others: ModelSource[] = [];
  const sourceFor = (choice: ModelChoice): ModelSource => {
    const other = modelSource({ ...choice, ...(language && { language }) });
    others.push(other);
    return other;
  };
  const find = async (choice: ModelChoice): Promise<OtherModel> => openOther(await sourceFor(choice).open());
  const vision = options.vision && sourceFor(options.vision);
  const handle = (sessionId: string, begun: Promise<Turn | Refusal>, signal?: AbortSignal): TurnHandle => {
    running.add(begun);
    const turn = turnHandle({ sessionId, begun, language, signal, find, check: source.check });
    const forget = (): boolean => running.delete(begun);
    turn.then(forget, forget);
    return turn;
  };
  const takeFollowUp: SessionsOptions["onFollowUp"] =
    onFollowUp && ((turn, sessionId) => onFollowUp(handle(sessionId, Promise.resolve(turn))));
  const { sessions, runAt, openOther } = workOn(store, { options, source, vision, takeFollowUp });
  const start: Agent["start"] = (prompt, { sessionId = randomUUID(), signal, ...inputs } = {}) => {
    iterationLimit(inputs.maxIterations);
    costLimit("maxCost", inputs.maxCost);
    return handle(sessionId, begin({ sessions, source }, prompt, sessionId, inputs), signal);
  };
  const close = async (): Promise<void> => {
    await Promise.all([...running].map(endNow));
    store.close();
    await Promise.all([source, ...others].map((each) => each.close()));
  };
  return {
    sessions,
    store,
    run: async (prompt, { onText, onRetract, ...more } = {}) => listen(start(prompt, more), { onText, onRetract }),
    start,
    open: (turnId) => openTurn(turnId, { store, sessions, handle }),
    runSpec: async (spec) => {
      const result = await runAt(source, spec);
      source.check?.();
      return result;
    },
    importMessages: (sessionId, messages) => sessions.importMessages(sessionId, fromOpenAi(messages)),
    exportMessages: (sessionId) => {
      const history = store.history(sessionId);
      return history && toOpenAi(history.filter((message) => message !== undefined));
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

interface Work {
  readonly options: AgentOptions & Pick<SessionsOptions, "trace">;
  readonly source: ModelSource;
  readonly vision: ModelSource | undefined;
  readonly takeFollowUp: SessionsOptions["onFollowUp"];
}

/** What turns of sessions are run by, and what runs from plain data are. */
function workOn(
  store: Store,
  { options, source, vision, takeFollowUp }: Work,
): {
  readonly sessions: Sessions;
  readonly runAt: (source: ModelSource, spec: RunSpec) => Promise<RunResult>;
  readonly openOther: (model: OpenedModel | Refusal) => OtherModel;
} {
  const { system = SYSTEM, tools = [], runtime } = options;
  const { usable, clean } = usedModels(options.language);
  const toolbox = createToolbox(tools, clean);
  const policies = policiesOf(options);
  const setupFor = (model: OpenedModel): Setup => ({ ...policies, ...namedModel(model) });
  const log = options.onDiagnostic ?? (() => undefined);
  const shared = { store, caps: capsOf(options), newId: randomUUID, log, trace: options.trace } as const;
  const ports = { compactor: deterministicCompactor, clock: source.clock, random: Math.random };
  const sessions = new Sessions({
    ...shared,
    openModel: async ({ nonce }) => {
      const model = usable(await source.open());
      const { transport, about } = model;
      const setup = { ...setupFor(model), ...(runtime && { runtime: runtime.name }) };
      return { setup, about, model: transport.open({ system, tools: toolbox.specs, nonce }) };
    },
    ports: { ...ports, runtime, tools: toolbox.port },
    extend: extensionOf(options, toolbox),
    localTime: options.tellTime === true ? localTime : undefined,
    maxTimeMs: timeLimit("maxTimeMs", options.maxTimeMs),
    onFollowUp: takeFollowUp,
    describe: vision && describeFor(source, { run: (spec) => runAt(vision, spec), log }),
  });
  const runner = (model: OpenedModel): Runner => ({
    ...shared,
    ports,
    sessions,
    setup: setupFor(model),
    about: model.about,
    open: ({ system: own = system, tools: names }) => {
      const box = subset(tools, names, clean);
      return (
        box && ((nonce) => ({ model: model.transport.open({ system: own, tools: box.specs, nonce }), tools: box.port }))
      );
    },
    openChild: (sessionId, of) => store.openChild(sessionId, of),
  });
  const runAt = async (at: ModelSource, spec: RunSpec): Promise<RunResult> => {
    const model = await at.open();
    if ("reason" in model) return { ...refusalResult(model, options.language), messages: [] };
    return runSpec(spec, runner(usable(model)));
  };
  const openOther = (found: OpenedModel | Refusal): OtherModel => {
    const model = usable(found);
    const open: OtherModel["open"] = (nonce) => model.transport.open({ system, tools: toolbox.specs, nonce });
    return { ...namedModel(model), open };
  };
  return { sessions, runAt, openOther };
}

const namedModel = ({ model, about, facts }: OpenedModel): Pick<Setup, "model" | "provider" | "price"> => ({
  model,
  provider: about.provider,
  price: priceOf(facts),
});

const policiesOf = (options: AgentOptions): Omit<Setup, "model" | "provider"> => ({
  maxIterations: iterationLimit(options.maxIterations),
  ...(options.maxOutput !== undefined && { maxOutput: outputLimit(options.maxOutput) }),
  approvals: options.approvals ?? "never",
  retry: { ...UNATTENDED_RETRY, ...options.retry },
  guardrails: { ...UNATTENDED_GUARDRAILS, ...readGuardrails({ ...options.guardrails }) },
  failOnToolError: options.failOnToolError ?? false,
});

function iterationLimit(limit: number = MAX_ITERATIONS): number {
  if (limit === Infinity || (Number.isInteger(limit) && limit > 0)) return limit;
  throw new RangeError(`maxIterations must be a whole number above zero, or Infinity; it is ${limit}.`);
}

/** The tools with these names; undefined when one of them does not exist. */
function subset(
  tools: readonly Tool[],
  names: readonly string[],
  clean: (text: string) => string,
): Toolbox | undefined {
  const picked = tools.filter((tool) => names.includes(tool.name));
  return picked.length === new Set(names).size ? createToolbox(picked, clean) : undefined;
}

const extensionOf = (
  { hooks = [], plugins = [], middleware = [], extensionLimitMs, extensionTroubles = [] }: AgentOptions,
  { read }: Toolbox,
): SessionsOptions["extend"] => {
  const limitMs = timeLimit("extensionLimitMs", extensionLimitMs);
  return createExtension({ hooks, plugins, middleware, troubles: extensionTroubles, read, limitMs });
};

/** Stops a turn because its agent is closed. What it could not keep is told in its result. */
async function endNow(begun: Promise<Turn | Refusal>): Promise<void> {
  const turn = await begun.catch(() => undefined);
  if (!(turn instanceof Turn)) return;
  await turn.interrupt("terminate").catch(() => false);
  await turn.end;
}

/** Starts the turn, or says why there is none. */
async function begin(
  { sessions, source }: { readonly sessions: Sessions; readonly source: ModelSource },
  prompt: string,
  sessionId: string,
  inputs: TurnInputs,
): Promise<Turn | Refusal> {
  const input = readInput(prompt);
  if (input.type === "blank") {
    return { reason: "usage_error", message: BLANK_PROMPT, sessionId };
  }
  const model = await source.open();
  if ("reason" in model) return { ...model, sessionId };
  try {
    return await sessions.start(sessionId, input.text, inputs);
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    return storeRefusal(error, sessionId);
  }
}

/** Hands the text on until the turn ends. A listener that throws or rejects is not called again; nobody waits for one. */
async function listen(turn: TurnHandle, { onText, onRetract }: RunOptions): Promise<RunResult> {
  if (onText === undefined) return turn;
  const complaints: string[] = [];
  const complain = (error: unknown): number => complaints.push(`onText: ${reasonOf(error)}`);
  const tell = (listener: () => unknown): void => {
    if (complaints.length === 0) (async () => listener())().catch(complain);
  };
  let given = false;
  for await (const event of turn) {
    if (event.type === "text-delta") {
      given = true;
      tell(() => onText(event.text));
    }
    if (event.type !== "attempt-start") continue;
    if (given && event.replaces !== undefined) tell(() => onRetract?.());
    given = false;
  }
  const result = await turn;
  return { ...result, cleanupErrors: [...result.cleanupErrors, ...complaints] };
}
