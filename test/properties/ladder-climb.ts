import type { Fact } from "../../src/protocol/fact.ts";
import { apply } from "../../src/turn/apply.ts";
import type { Action } from "../../src/turn/decide.ts";
import { MAX_COMPACTIONS } from "../../src/turn/recovery/compact-and-retry.ts";
import { MAX_CONTINUATIONS } from "../../src/turn/recovery/cut-reply.ts";
import { EMPTY_LIMITS } from "../../src/turn/recovery/empty-reply.ts";
import { MAX_SMALLER } from "../../src/turn/recovery/output-room.ts";
import { MAX_REFRESHES } from "../../src/turn/recovery/refresh.ts";
import { MAX_PARAMETERS } from "../../src/turn/recovery/refused-words.ts";
import { MAX_ATTEMPTS, MAX_OVERLOADED } from "../../src/turn/recovery/wait-and-retry.ts";
import { initialState, type RetryPolicy, type TurnState, UNATTENDED } from "../../src/turn/state.ts";

/** The first reply, each rung for empty ones, each continuation: more iterations no reply without calls can bring. */
export const REPLIES: number =
  1 + Object.values(EMPTY_LIMITS).reduce((sum, limit) => sum + limit, 0) + MAX_CONTINUATIONS;
/**
 * A model is asked otherwise once for each thing that it refuses: streams, tool choice, large pictures, those of tools,
 * all of them, betas, words of schemas, the form of the history; and twice for its seals.
 */
const REFUSED = 8 + 2 + MAX_PARAMETERS;
/** Each of them may fail until the last attempt; beside, refusals are answered a few times each. */
const requestsWith = (attempts: number): number =>
  REPLIES * attempts + MAX_CONTINUATIONS + REFUSED + MAX_SMALLER + MAX_COMPACTIONS;
export const REQUESTS: number = requestsWith(MAX_ATTEMPTS);
/** Where its server may be overloaded in a way that is known to last, and is waited for. */
export const REQUESTS_OVERLOADED: number = requestsWith(MAX_OVERLOADED);

/** Where the pool has so many keys: each may be given up once in an iteration, and renewed twice in the turn. */
export const KEYS = 2;
export const REQUESTS_WITH_KEYS: number = REQUESTS + REPLIES * KEYS + KEYS * MAX_REFRESHES;

/** Each model of a chain has all that before it (row D9). */
export const requestsOf = (fallbacks: number): number => REQUESTS * (1 + fallbacks);

const THOUGHT = { type: "reasoning", text: "hm", provenance: { provider: "p", model: "m" } } as const;
const PICTURE = { type: "image", url: "https://h.test/x.png" } as const;

export function begun(policy: RetryPolicy, maxIterations: number, fallbacks: number = 0): TurnState {
  const setup = {
    model: "m",
    provider: "p",
    maxIterations,
    approvals: "never",
    ...UNATTENDED,
    retry: policy,
    fallbacks,
  } as const;
  const state = initialState(setup, []);
  apply(state, {
    type: "turn-start",
    turnId: "t",
    seq: 0,
    message: { role: "user", parts: [{ type: "text", text: "go" }, PICTURE] },
    model: "m",
    provider: "p",
    maxIterations,
  });
  return state;
}

const IMPATIENT: RetryPolicy = { mode: "standard", baseMs: 1, maxMs: 1, maxWaitMs: 1 };
/** Every wait is begun. */
export const ATTENDED: RetryPolicy = { mode: "standard", baseMs: 1, maxMs: 1, maxWaitMs: 600_000 };

/** A turn in which a tool has answered, or nothing has happened yet. */
export function afterTools(rounds: number, fallbacks: number = 0, policy: RetryPolicy = IMPATIENT): TurnState {
  const state = begun(policy, 500, fallbacks);
  for (let round = 0; round < rounds; round++) {
    const seq = state.history.length;
    const callId = `c${round}`;
    apply(state, { type: "attempt-start", attempt: state.attempt + 1, iteration: state.iteration + 1, model: "m" });
    apply(state, {
      type: "assistant-message",
      seq,
      message: { role: "assistant", parts: [THOUGHT, { type: "tool-call", callId, name: "look", input: "{}" }] },
      finish: "tool_calls",
    });
    const message = { role: "tool", callId, status: "ok", parts: [{ type: "text", text: "x" }, PICTURE] } as const;
    apply(state, { type: "receipt", seq: seq + 1, message });
  }
  return state;
}

/** What was decided is done, where it asks nothing of the model and does not end the turn. */
export function follow(state: TurnState, action: Action, works: boolean): void {
  switch (action.do) {
    case "rotate-key":
    case "refresh-key":
      return takeKey(state, action.do, works);
    case "wait-and-retry":
      apply(state, { type: "retry-scheduled", delayMs: action.delayMs, untilMs: 0 });
      return;
    case "switch-model":
      return switchModel(state);
    case "adjust-request":
      apply(state, { type: "request-adjusted", adjustment: action.adjustment });
      return;
    case "compact": {
      const compaction = { through: 1, from: 0, instruction: 0, cutBefore: 1 };
      apply(state, works ? { type: "history-compacted", compaction } : { type: "compaction-failed" });
      return;
    }
    case "close-history":
      apply(state, {
        type: "closing-message",
        seq: state.history.length,
        message: { role: "assistant", parts: [{ type: "text", text: action.text }] },
        ...(action.partial && { partial: true }),
      });
      return;
    default:
      throw new Error(`unexpected ${action.do}`);
  }
}

/** Keys are `a` and `b`, with a stroke for each time they were renewed. */
function takeKey(state: TurnState, how: "rotate-key" | "refresh-key", works: boolean): void {
  const { key: from = "a", refreshes } = state;
  const provider = "p";
  const renewing = how === "refresh-key";
  if (!works) return apply(state, { type: "rotation-failed", provider, key: from, ...(renewing && { renewing }) });
  if (renewing) return apply(state, { type: "key-refreshed", provider, from, to: `${from}'` });
  const other = from.startsWith("a") ? "b" : "a";
  const to = `${other}${"'".repeat(Object.keys(refreshes).filter((key) => key.startsWith(other)).length)}`;
  return apply(state, { type: "key-rotated", provider, from, to });
}

const leftOf = ({ setup, tried }: TurnState): number => (setup.fallbacks ?? 0) - tried.length;

function switchModel(state: TurnState): void {
  const { failure, tried } = state;
  if (leftOf(state) <= 0) return apply(state, { type: "chain-spent" });
  const because = failure?.reason ?? "empty_reply";
  apply(state, { type: "model-switched", provider: `p${tried.length + 1}`, model: "m", because });
}

/** The model is asked, and this is what comes of it. */
export function ask(state: TurnState, action: Extract<Action, { do: "call-model" }>, answer: Fact): void {
  const { iteration, grace, rung, replaces } = action;
  apply(state, {
    type: "attempt-start",
    attempt: state.attempt + 1,
    iteration,
    model: "m",
    key: state.key ?? "a",
    ...(grace && { grace }),
    ...(rung && { rung }),
    ...(replaces !== undefined && { replaces }),
  });
  const chained = answer.type === "model-failure" && (state.setup.fallbacks ?? 0) > 0;
  const circumstances = { ...(chained && answer.circumstances), chainLeft: leftOf(state) };
  apply(state, chained ? { ...answer, circumstances } : answer);
}
