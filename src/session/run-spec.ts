import type { Purpose } from "../protocol/fact.ts";
import { legalHistory } from "../protocol/history.ts";
import type { Message } from "../protocol/message.ts";
import type { TurnPorts } from "../protocol/ports.ts";
import type { NextStep, TurnResult } from "../protocol/result.ts";
import { StoreError, type StoredSession } from "../protocol/store.ts";
import { readInput } from "./input.ts";
import { Lane, type LaneOptions } from "./lane.ts";
import { refusalResult } from "./result.ts";
import type { Sessions } from "./sessions.ts";
import type { RunResult } from "./turn-handle.ts";

/** One run as plain data (row I3): it can be kept, sent and run anywhere. It belongs to no session and leaves none. */
export interface RunSpec {
  readonly prompt: string;
  /** What was said before. */
  readonly messages?: readonly Message[];
  readonly system?: string;
  readonly model?: string;
  readonly maxIterations?: number;
  /** ms */
  readonly maxTimeMs?: number;
  /** Names of the agent's tools; none when absent. */
  readonly tools?: readonly string[];
  /** An auxiliary call: no tools, and small limits where none are given. */
  readonly purpose?: Purpose;
  /** The session an auxiliary call is made for: what it took is kept there, and counted in a turn that runs there now. */
  readonly parent?: string;
}

/** What a run works with. */
export interface Runner extends Omit<
  LaneOptions,
  "keepRequests" | "stored" | "ports" | "extend" | "onUndelivered" | "maxTimeMs" | "localTime"
> {
  readonly ports: Omit<LaneOptions["ports"], "model" | "tools">;
  /** The model and the tools of one run; undefined for a tool that does not exist. */
  readonly open: (run: {
    readonly system: string | undefined;
    readonly tools: readonly string[];
  }) => Pick<TurnPorts, "model" | "tools"> | undefined;
  readonly sessions: Sessions;
}

/** An auxiliary call asks for a short text: one answer, with room for the rungs of an empty one. */
const PURPOSE_ITERATIONS = 3;
const PURPOSE_TIME_MS = 120_000;

/** Spec in, result out. Never rejects for what a model, a tool or a disk does. */
export async function runSpec(spec: RunSpec, runner: Runner): Promise<RunResult> {
  const { purpose, parent, tools = [] } = spec;
  const input = readInput(spec.prompt);
  if (input.type === "blank") return refused("The prompt of the run is empty.", runner);
  if (purpose !== undefined && tools.length > 0) return refused("A run with a purpose has no tools.", runner);
  if (purpose === undefined && parent !== undefined) return refused("Only a run with a purpose has a parent.", runner);
  if (![spec.maxIterations, spec.maxTimeMs].every(isLimit))
    return refused(`maxIterations and maxTimeMs are whole numbers from 1 to ${HIGHEST}.`, runner);
  const opened = runner.open({ system: spec.system, tools });
  if (opened === undefined) return refused(`One of these tools does not exist: ${tools.join(", ")}.`, runner);
  const { result, messages } = await laneOf(spec, runner, opened).run(input.text).end;
  const ended = { ...withoutSession(result), messages };
  return purpose === undefined || parent === undefined ? ended : charge(ended, { purpose, parent }, runner);
}

/** The longest a timer can wait, ms. */
const HIGHEST = 2 ** 31 - 1;

const isLimit = (limit: number | undefined): boolean =>
  limit === undefined || (Number.isInteger(limit) && limit > 0 && limit <= HIGHEST);

const refused = (message: string, { about }: Runner): RunResult => ({
  ...refusalResult({ reason: "usage_error", message }, about.language),
  messages: [],
});

function laneOf(spec: RunSpec, runner: Runner, opened: Pick<TurnPorts, "model" | "tools">): Lane {
  const { ports, setup, about, newId, log } = runner;
  const auxiliary = spec.purpose !== undefined;
  return new Lane({
    keepRequests: false,
    stored: unkept(newId(), legalHistory(spec.messages ?? [])),
    setup: {
      ...setup,
      model: spec.model ?? setup.model,
      maxIterations: spec.maxIterations ?? (auxiliary ? PURPOSE_ITERATIONS : setup.maxIterations),
      approvals: "never",
    },
    ports: { ...ports, ...opened },
    about,
    newId,
    log,
    maxTimeMs: spec.maxTimeMs ?? (auxiliary ? PURPOSE_TIME_MS : undefined),
  });
}

/** A session that nobody keeps: what is recorded counts as committed at once. */
const unkept = (sessionId: string, history: Message[]): StoredSession => ({
  sessionId,
  nonce: sessionId,
  history,
  openTurn: [],
  compaction: undefined,
  writer: (onCommit) => ({
    append: () => onCommit(1),
    keepRequest: () => undefined,
    barrier: () => Promise.resolve(),
  }),
  release: () => undefined,
});

/** There is no session to go on with, so no step may name one. */
function withoutSession(result: TurnResult): TurnResult {
  const { sessionId, exit, error } = result;
  const can = ({ command }: NextStep): boolean => sessionId === null || command?.includes(sessionId) !== true;
  return {
    ...result,
    sessionId: null,
    exit: { ...exit, next: exit.next.filter(can) },
    error: error && { ...error, next: error.next.filter(can) },
  };
}

/** Money that was spent is a fact of the session it was spent for; a fault there does not lose the answer. */
async function charge(
  result: RunResult,
  { purpose, parent }: { readonly purpose: Purpose; readonly parent: string },
  { sessions }: Runner,
): Promise<RunResult> {
  const { model, attempts, usage, exit } = result;
  try {
    const lane = await sessions.lane(parent);
    if (lane.history.length === 0) throw new StoreError("io", `There is no session ${parent}.`);
    await lane.charge({ type: "auxiliary-run", purpose, model: model ?? "", exit: exit.reason, attempts, usage });
    return result;
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    return { ...result, cleanupErrors: [...result.cleanupErrors, `usage of ${purpose}: ${error.message}`] };
  }
}
