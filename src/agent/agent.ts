import { randomUUID } from "node:crypto";
import { join } from "node:path";
import type { RuleBook } from "../protocol/approval.ts";
import { fromOpenAi, type OpenAiMessage, toOpenAi } from "../protocol/openai.ts";
import type { ModelChoice } from "../protocol/provider.ts";
import { reasonOf } from "../protocol/reason-of.ts";
import type { Store } from "../protocol/store.ts";
import { faultInPictures, readInput, type TurnInputs } from "../session/input.ts";
import { openTurn, type ParkedTurn } from "../session/parked-turn.ts";
import type { PastFound } from "../session/replay/past.ts";
import type { Refusal } from "../session/result.ts";
import type { RunSpec } from "../session/run-spec.ts";
import type { Sessions, SessionsOptions } from "../session/sessions.ts";
import { type OtherModel, Turn } from "../session/turn.ts";
import { turnHandle, type RunResult, type TurnHandle } from "../session/turn-handle.ts";
import { memoryStore } from "../store/memory.ts";
import { openSqliteStore } from "../store/sqlite/store.ts";
import { BLANK_PROMPT } from "../words/usage.ts";
import { branching, type Branches, checkInputs, refusedBy } from "./branching.ts";
import type { ModelSource } from "./model-source.ts";
import { agentModels } from "./models.ts";
import type { AgentOptions, Around } from "./options.ts";
import { askEyes } from "./vision.ts";
import { rulesLater } from "./rules-later.ts";
import { workOn } from "./work.ts";

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

export interface Agent extends AsyncDisposable, Branches {
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
  /** What was allowed for good; undefined: nothing is learnt, where nothing outlives the process. */
  readonly rules: RuleBook | undefined;
  /** Adds messages recorded elsewhere to a session. */
  importMessages(sessionId: string, messages: readonly OpenAiMessage[]): Promise<void>;
  /** A session in the OpenAI shape; undefined when there is no such session. */
  exportMessages(sessionId: string): OpenAiMessage[] | undefined;
  /**
   * For a session that is not gone on with: looks back at it where that is worth while (`review`), and resolves when all
   * reviews that go on are over; undefined: none does. Closing the agent ends them.
   */
  leave(sessionId: string): Promise<void> | undefined;
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
    return agentOn(store, { ...options, ...rulesBeside(options) });
  } catch (error) {
    store.close();
    throw error;
  }
}

/** What is kept beside the sessions holds for all who work on them. */
function rulesBeside({ store: data }: AgentOptions): Pick<Around, "rules"> {
  if (data === undefined) return {};
  return { rules: rulesLater(async () => (await import("./rules.ts")).rulesIn({ data }, process.cwd())) };
}

/** The store of a folder; see StoreError for what can be wrong with it. */
export const openStore = (folder: string, sync: "four" | "full" = "four"): Store =>
  openSqliteStore({ path: storeFile(folder), sync });

/** The file of the store of a folder. */
export const storeFile = (folder: string): string => join(folder, "evander.db");

/** As `agent`, on a store that is open already. */
export function agentOn(store: Store, options: AgentOptions & Around): Agent {
  const { language, onFollowUp } = options;
  const { source, sourceFor, close: closeModels, ...others } = agentModels(options);
  const running = new Set<Promise<Turn | Refusal>>();
  const find = async (choice: ModelChoice): Promise<OtherModel> => openOther(await sourceFor(choice).open());
  const handle = (sessionId: string, begun: Promise<Turn | Refusal>, signal?: AbortSignal): TurnHandle => {
    running.add(begun);
    const turn = turnHandle({ sessionId, begun, language, signal, find, check: source.check });
    const forget = (): boolean => running.delete(begun);
    turn.then(forget, forget);
    return turn;
  };
  const takeFollowUp: SessionsOptions["onFollowUp"] =
    onFollowUp && ((turn, sessionId) => onFollowUp(handle(sessionId, Promise.resolve(turn))));
  const { sessions, after, children, leave, runAt, openOther } = workOn(store, {
    options,
    source,
    ...others,
    takeFollowUp,
  });
  const { summary, vision } = others;
  if (summary !== undefined) options.summaries?.((...asked) => runAt(summary, ...asked));
  options.eyes?.(askEyes(vision ?? source, runAt));
  const beginIn = begin.bind(undefined, { sessions, source });
  const start: Agent["start"] = (prompt, { sessionId = randomUUID(), signal, ...inputs } = {}) => {
    checkInputs(inputs);
    return handle(sessionId, beginIn(prompt, sessionId, inputs), signal);
  };
  const close = async (): Promise<void> => {
    await Promise.all([...running].map(endNow));
    await children?.rest();
    await Promise.all([sessions.rest(), after?.rest()]);
    store.close();
    await closeModels();
    await options.toolSource?.close();
  };
  return {
    sessions,
    store,
    rules: options.rules,
    run: async (prompt, { onText, onRetract, ...more } = {}) => listen(start(prompt, more), { onText, onRetract }),
    start,
    ...branching({ store, handle, begin: beginIn, takeOver: takeOver.bind(undefined, { sessions, source }) }),
    open: (turnId) => openTurn(turnId, { store, sessions, handle }),
    runSpec: async (spec) => {
      const result = await runAt(source, spec);
      source.check?.();
      return result;
    },
    importMessages: (sessionId, messages) => sessions.importMessages(sessionId, fromOpenAi(messages)),
    leave: (sessionId) => leave(sessionId)?.then(() => undefined),
    exportMessages: (sessionId) => {
      const history = store.history(sessionId);
      return history && toOpenAi(history.filter((message) => message !== undefined));
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Stops a turn because its agent is closed. What it could not keep is told in its result. */
async function endNow(begun: Promise<Turn | Refusal>): Promise<void> {
  const turn = await begun.catch(() => undefined);
  if (!(turn instanceof Turn)) return;
  await turn.interrupt("terminate").catch(() => false);
  await turn.end;
}

interface Begins {
  readonly sessions: Sessions;
  readonly source: ModelSource;
}

/** Nothing is left before the model is there. */
async function takeOver(
  { sessions, source }: Begins,
  sessionId: string,
  leave: () => Promise<PastFound>,
): Promise<Turn | Refusal> {
  const model = await source.open();
  if ("reason" in model) return { ...model, sessionId };
  const found = await leave();
  if (found.type === "refused") return { reason: "usage_error", message: found.message, sessionId };
  return sessions.takeOver(sessionId, found.past);
}

/** Starts the turn, or says why there is none. */
async function begin(
  { sessions, source }: Begins,
  prompt: string,
  sessionId: string,
  inputs: TurnInputs,
): Promise<Turn | Refusal> {
  const input = readInput(prompt);
  if (input.type === "blank") {
    return { reason: "usage_error", message: BLANK_PROMPT, sessionId };
  }
  const fault = faultInPictures(inputs);
  if (fault !== undefined) return { reason: "usage_error", message: fault, sessionId };
  const model = await source.open();
  if ("reason" in model) return { ...model, sessionId };
  return sessions.start(sessionId, input.text, inputs).catch(refusedBy(sessionId));
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
