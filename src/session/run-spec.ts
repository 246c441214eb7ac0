import type { Purpose } from "../protocol/fact.ts";
import { legalHistory } from "../protocol/history.ts";
import type { Author } from "../protocol/memory.ts";
import { type ContextPart, type ImagePart, type Message } from "../protocol/message.ts";
import { withoutContext } from "../protocol/taint.ts";
import type { Bill, Caps, MoneyLimit } from "../protocol/money.ts";
import type { Model } from "../protocol/ports.ts";
import type { NextStep, TurnResult } from "../protocol/result.ts";
import type { Compaction } from "../protocol/projection/compaction.ts";
import { type ChildOf, type Store, StoreError, type StoredSession } from "../protocol/store.ts";
import { faultInPictures, readInput } from "./input.ts";
import { Lane } from "./lane.ts";
import type { LaneOptions } from "./lane-options.ts";
import { type Refusal, refusalResult, storeRefusal } from "./result.ts";
import type { Sessions } from "./sessions.ts";
import { tighter, tightestLimit } from "./spending.ts";
import type { SessionOpening, Turn, TurnEnd } from "./turn.ts";
import type { RunResult } from "./turn-handle.ts";

/**
 * One run as plain data (row I3): it can be kept, sent and run anywhere. It belongs to no session and leaves none, but for
 * a review, which reads its parent and is kept as a hidden session of its own.
 */
export interface RunSpec {
  readonly prompt: string;
  /** What comes with the prompt. */
  readonly attachments?: readonly (ImagePart | ContextPart)[];
  /** What was said before; of a review it is what was said in its parent. */
  readonly messages?: readonly Message[];
  readonly system?: string;
  readonly model?: string;
  readonly maxIterations?: number;
  /** ms */
  readonly maxTimeMs?: number;
  /** US dollars. What is left of the purse of its parent, or else of the day, holds too. */
  readonly maxCost?: number;
  /** Names of the agent's tools; none when absent. */
  readonly tools?: readonly string[];
  /** An auxiliary call: no tools (a review: those of memory and skills), and small limits where none are given. */
  readonly purpose?: Purpose;
  /** The session an auxiliary call is made for: what it took is kept there, and counted in a turn that runs there now. */
  readonly parent?: string;
  /** A turn of the parent that has ended: what an auxiliary call took is on its account. */
  readonly turnId?: string;
}

/** What a run works with. */
export interface Runner extends Omit<
  LaneOptions,
  "stored" | "prompt" | "tools" | "open" | "backup" | "extend" | "onUndelivered" | "maxTimeMs" | "localTime" | "limit"
> {
  /** What a run says that brings no words of its own, and whose session has none. */
  readonly system: string;
  readonly caps: Caps;
  readonly store: Store;
  /**
   * Opens the model and the tools of one run; undefined for a tool that does not exist. `author`: of a review, whose model
   * is shown all tools, as its parent's is, and may use these alone.
   */
  readonly open: (tools: readonly string[], author?: Author) => Opening | undefined;
  /** An abort stops the run; what it took until then is kept all the same. */
  readonly signal?: AbortSignal | undefined;
  readonly sessions: Sessions;
  /** What was sent of the parent of a review; absent: as is sent now. */
  readonly sent?: { readonly compaction: Compaction | undefined } | undefined;
}

interface Opening extends Pick<LaneOptions, "backup" | "tools"> {
  readonly model: (session: SessionOpening) => Model;
}

interface Limits {
  readonly maxIterations: number;
  /** ms */
  readonly maxTimeMs: number;
}

/** An auxiliary call asks for a short text: one answer, with room for the rungs of an empty one. */
const SHORT: Limits = { maxIterations: 3, maxTimeMs: 120_000 };
/** hermes.md §19; the time is ours. */
const REVIEW: Limits = { maxIterations: 16, maxTimeMs: 600_000 };

/** What a review may use, of the tools that the agent has. */
const REVIEW_TOOLS: ReadonlySet<string> = new Set(["memory", "skills_list", "skill_view", "skill_manage"]);

/** Spec in, result out. Never rejects for what a model, a tool or a disk does. */
export async function runSpec(spec: RunSpec, runner: Runner): Promise<RunResult> {
  const { tools = [] } = spec;
  const input = readInput(spec.prompt);
  const fault = input.type === "blank" ? "The prompt of the run is empty." : (faultInPictures(spec) ?? faultIn(spec));
  if (input.type === "blank" || fault !== undefined) return refused(fault ?? "", runner);
  const open = runner.open(tools, reviewerOf(spec));
  if (open === undefined) return refused(`One of these tools does not exist: ${tools.join(", ")}.`, runner);
  const limit = await limitOf(spec, runner);
  if (limit !== undefined && "reason" in limit) return refusedAs(limit, runner);
  const stored = await sessionOf(spec, runner);
  if ("reason" in stored) return refusedAs(stored, runner);
  const lane = laneOf({ spec, stored, opening: open, limit }, runner);
  const { result, messages } = await endOf(lane.run(input.text, { attachments: spec.attachments }), runner.signal);
  lane.release();
  const ended = { ...(isReview(spec) ? result : withoutSession(result)), messages };
  return charge({ result: ended, bill: lane.bill }, spec, runner);
}

async function endOf(turn: Turn, signal: AbortSignal | undefined): Promise<TurnEnd> {
  const stop = (): void => {
    turn.interrupt("user").catch(() => false);
  };
  if (signal?.aborted === true) stop();
  signal?.addEventListener("abort", stop, { once: true });
  const end = await turn.end;
  signal?.removeEventListener("abort", stop);
  return end;
}

/** What a review writes is known from the turn that is reviewed. */
const reviewerOf = ({ purpose, parent, turnId }: RunSpec): Author | undefined =>
  purpose !== "review" || parent === undefined
    ? undefined
    : { by: "review", sessionId: parent, ...(turnId !== undefined && { turnId }) };

const isReview = ({ purpose }: RunSpec): boolean => purpose === "review";

/** The longest a timer can wait, ms. */
const HIGHEST = 2 ** 31 - 1;

const isLimit = (limit: number | undefined): boolean =>
  limit === undefined || (Number.isInteger(limit) && limit > 0 && limit <= HIGHEST);

const isAmount = (usd: number): boolean => Number.isFinite(usd) && usd > 0;

function faultInLimits({ maxIterations, maxTimeMs, maxCost }: RunSpec): string | undefined {
  if (![maxIterations, maxTimeMs].every(isLimit))
    return `maxIterations and maxTimeMs are whole numbers from 1 to ${HIGHEST}.`;
  return maxCost === undefined || isAmount(maxCost) ? undefined : "maxCost is a number of US dollars above zero.";
}

/** What cannot be in a spec, in one sentence. */
function faultIn(spec: RunSpec): string | undefined {
  const { purpose, parent, tools = [], messages } = spec;
  if (purpose === undefined && parent !== undefined) return "Only a run with a purpose has a parent.";
  const limits = faultInLimits(spec);
  if (limits !== undefined) return limits;
  if (purpose === undefined) return undefined;
  if (purpose !== "review") return tools.length > 0 ? "A run with this purpose has no tools." : undefined;
  if (parent === undefined || messages !== undefined)
    return "A review has a parent, whose messages it reads, and none of its own.";
  return tools.every((name) => REVIEW_TOOLS.has(name))
    ? undefined
    : `A review has no tools but ${[...REVIEW_TOOLS].join(", ")}.`;
}

const refused = (message: Refusal["message"], runner: Runner): RunResult =>
  refusedAs({ reason: "usage_error", message }, runner);

const refusedAs = (refusal: Refusal, { about }: Runner): RunResult => ({
  ...refusalResult(refusal, about.language),
  messages: [],
});

/** Undefined where another process works in the session: what is kept of it is read then. */
const saidIn = (parent: string, sessions: Sessions): Promise<Lane["history"] | undefined> =>
  sessions.lane(parent).then(
    ({ history }) => history,
    () => undefined,
  );

const compactionIn = (sent: Runner["sent"]): Pick<ChildOf, "compaction"> =>
  sent === undefined ? {} : { compaction: sent.compaction ?? null };

/** A review keeps what it does, since it changes what the agent knows; other runs leave their answer alone. */
async function sessionOf(spec: RunSpec, { newId, store, sent, sessions }: Runner): Promise<StoredSession | Refusal> {
  const { parent = "", messages = [], purpose } = spec;
  // What others have added to a message is no matter of titles and summaries.
  const read = purpose === undefined ? messages : messages.map(withoutContext);
  if (!isReview(spec)) return unkept(newId(), legalHistory(read));
  try {
    const history = await saidIn(parent, sessions);
    const child = await store.openChild(newId(), { parent, purpose: "review", history, ...compactionIn(sent) });
    return child ?? { reason: "session_not_found", message: `There is no session ${parent}.` };
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    return storeRefusal(error);
  }
}

/** An auxiliary call spends of what its parent has left; any other run of what a turn and a day have. */
async function limitOf(
  { maxCost, parent }: RunSpec,
  { caps, store, sessions, ports }: Runner,
): Promise<MoneyLimit | Refusal | undefined> {
  const own = maxCost === undefined ? undefined : ({ of: "turn", usd: maxCost, leftUsd: maxCost } as const);
  const nowMs = ports.clock.now();
  if (Object.keys(caps).length === 0 && parent === undefined) return own;
  const { session: _, ...apart } = caps;
  if (parent === undefined) return tighter(own, tightestLimit(apart, { store, sessionId: "", nowMs }));
  try {
    return tighter(own, (await sessions.lane(parent)).limit);
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    return Object.keys(caps).length === 0 ? own : storeRefusal(error);
  }
}

interface Opened {
  readonly limit: MoneyLimit | undefined;
  readonly spec: RunSpec;
  readonly stored: StoredSession;
  readonly opening: Opening;
}

function laneOf({ spec, stored, opening, limit }: Opened, runner: Runner): Lane {
  const { ports, setup, about, newId, log } = runner;
  const { nonce, prompt } = stored;
  // A review says what its parent says, so that what they share has the same bytes.
  const system = spec.system ?? (prompt.state === "present" ? prompt.text : runner.system);
  const limits = limitsOf(spec);
  return new Lane({
    stored,
    setup: {
      ...setup,
      model: spec.model ?? setup.model,
      maxIterations: spec.maxIterations ?? limits?.maxIterations ?? setup.maxIterations,
      approvals: "never",
    },
    ports,
    tools: opening.tools,
    open: (tools) => ({ model: opening.model({ nonce, system, tools }) }),
    prompt: { text: system },
    backup: opening.backup,
    about,
    newId,
    log,
    limit: () => limit,
    maxTimeMs: spec.maxTimeMs ?? limits?.maxTimeMs,
  });
}

function limitsOf({ purpose }: RunSpec): Limits | undefined {
  if (purpose === undefined) return undefined;
  return purpose === "review" ? REVIEW : SHORT;
}

/** A session that nobody keeps: what is recorded counts as committed at once. */
const unkept = (sessionId: string, history: Message[]): StoredSession => ({
  sessionId,
  nonce: sessionId,
  history,
  openTurn: [],
  compaction: undefined,
  strikes: 0,
  prompt: { state: "missing" },
  learnt: undefined,
  writer: (onCommit) => ({
    append: () => onCommit(1),
    keepRequest: () => undefined,
    keepPrompt: () => undefined,
    keepKit: () => undefined,
    barrier: () => Promise.resolve(),
  }),
  release: () => undefined,
});

/** There is no session to go on with, so no step may name one. */
function withoutSession(result: TurnResult): TurnResult {
  const { sessionId, exit, error } = result;
  // Nothing is kept of it to be explained: "last" would be another turn.
  const can = ({ do: what, command }: NextStep): boolean =>
    what !== "explain" && (sessionId === null || command?.includes(sessionId) !== true);
  return {
    ...result,
    sessionId: null,
    exit: { ...exit, next: exit.next.filter(can) },
    error: error && { ...error, next: error.next.filter(can) },
  };
}

/** Money that was spent is a fact of the session it was spent for; a fault there does not lose the answer. */
async function charge(
  { result, bill }: { readonly result: RunResult; readonly bill: Bill },
  { purpose, parent, turnId }: RunSpec,
  { sessions }: Runner,
): Promise<RunResult> {
  if (purpose === undefined || parent === undefined) return result;
  const { model, attempts, usage, exit, sessionId } = result;
  const kept = { ...(turnId !== undefined && { turnId }), ...(sessionId !== null && { sessionId }) };
  try {
    const lane = await sessions.lane(parent);
    // Pictures are described before the first turn of a session begins.
    if (lane.history.length === 0 && purpose !== "vision") throw new StoreError("io", `There is no session ${parent}.`);
    const spent = { model: model ?? "", exit: exit.reason, attempts, usage, bill };
    await lane.charge({ type: "auxiliary-run", purpose, ...kept, ...spent });
    return result;
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    return { ...result, cleanupErrors: [...result.cleanupErrors, `usage of ${purpose}: ${error.message}`] };
  }
}
