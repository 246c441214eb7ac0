import type { Fact } from "../../src/protocol/fact.ts";
import type { Failure, FailureReason, KeysLeft } from "../../src/protocol/failure.ts";
import { decide } from "../../src/turn/decide.ts";
import type { TurnState } from "../../src/turn/state.ts";
import { afterTools, ask, follow, KEYS } from "./ladder-climb.ts";

const PARTIALS = [
  { text: "some ", reasoning: "", droppedTools: [] },
  { text: "", reasoning: "hm", droppedTools: [] },
  { text: "", reasoning: "", droppedTools: ["write"] },
];

const failure = (reason: FailureReason, more: Partial<Failure> = {}): readonly Fact[] => {
  const hints = { retryable: true, shouldCompress: false, shouldRotateCredential: false, shouldFallback: false };
  const told: Fact = { type: "model-failure", failure: { ...hints, reason, message: "it failed", ...more } };
  return [told, ...PARTIALS.map((partial): Fact => ({ ...told, partial }))];
};

/** Everything a model that never says anything whole can do, as far as rungs tell it apart. */
export const REPLIES_OF_NONE: readonly Fact[] = [
  { type: "reply-empty" },
  { type: "reply-empty", reasoning: { type: "reasoning", text: "hm" } },
  ...PARTIALS.map((partial): Fact => ({ type: "reply-cut", partial })),
  // One reason that passes by itself, one that does not, and one that is final.
  ...failure("timeout"),
  ...failure("server_error"),
  ...failure("auth", { retryable: false }),
];
/** What a chain of models answers in ways of its own. */
export const CHAIN_OF_NONE: readonly Fact[] = [
  ...REPLIES_OF_NONE.slice(0, 3),
  ...failure("overloaded").slice(0, 2),
  ...failure("rate_limit").slice(0, 2),
  ...failure("content_policy_blocked", { retryable: false, shouldFallback: true }).slice(0, 2),
];
/** Fewer kinds of nothing, and one refusal that is answered by asking for something else. */
const withRefusal = (more: Partial<Failure>): readonly Fact[] => [
  ...REPLIES_OF_NONE.slice(0, 3),
  ...failure("timeout").slice(0, 2),
  ...failure("format_error", more).slice(0, 1),
];
export const REFUSALS: Readonly<Record<string, readonly Fact[]>> = {
  "too large": withRefusal({ shouldCompress: true }),
  "does not stream": withRefusal({ refusesStreaming: true }),
  "tools cannot be forbidden": withRefusal({ refusesToolChoice: true }),
  "takes no pictures": withRefusal({ refusesPictures: true }),
  "cannot read these pictures": withRefusal({ refusesThesePictures: true }),
  "does not know its own seals": withRefusal({ reason: "thinking_signature" }),
  "refuses the history": withRefusal({ refusesHistory: true }),
  "a picture is too large": withRefusal({ reason: "image_too_large", refusesThesePictures: true }),
  "takes no pictures from tools": withRefusal({ reason: "multimodal_tool_content_unsupported" }),
  "cannot read what it encrypted": withRefusal({ reason: "invalid_encrypted_content" }),
  "may not use a beta": withRefusal({ reason: "oauth_long_context_beta_forbidden" }),
  "cannot read the schemas": withRefusal({ refusesSchemaWords: true }),
  "does not take a tool": withRefusal({ refusesTool: "bad" }),
  "does not know a parameter": [
    ...withRefusal({ refusesParameter: "stream_options" }),
    ...withRefusal({ refusesParameter: "temperature" }).slice(-1),
  ],
  "too much output": withRefusal({ outputRoom: 100 }),
};

/** An overload that lasts, and others. */
export const OVERLOADS: readonly Fact[] = [
  ...REPLIES_OF_NONE.slice(0, 3),
  ...failure("timeout").slice(0, 2),
  ...failure("overloaded", { overload: "anthropic" }).slice(0, 2),
];

const ofKeys = (reason: FailureReason, keys: KeysLeft, more: Partial<Failure> = {}): readonly Fact[] =>
  failure(reason, { shouldRotateCredential: true, ...more })
    .slice(0, 1)
    .map((fact) => ({ ...fact, circumstances: { keys, chainLeft: 0 } }));
/** As a pool of keys may be found each time: with another one, without, and with one to be renewed; little else. */
export const KEY_TROUBLES: readonly Fact[] = [
  ...REPLIES_OF_NONE.slice(0, 1),
  ...failure("timeout").slice(0, 1),
  ...ofKeys("rate_limit", { size: KEYS, usable: 1, refreshable: false }),
  ...ofKeys("billing", { size: KEYS, usable: 0, refreshable: false }, { retryable: false }),
  ...ofKeys("auth", { size: KEYS, usable: 1, refreshable: true }, { retryable: false }),
  ...ofKeys("auth", { size: 1, usable: 0, refreshable: true }, { retryable: false }),
];

/** The worst that a model can do. */
export interface Worst {
  readonly requests: number;
  /** How many different situations it can bring about. */
  readonly situations: number;
}

/**
 * Tries every answer in every situation, each once: what was asked after `begin` and can still be asked. Throws when
 * a situation can come again, for then a turn need not end.
 */
export function worstOf(begin: TurnState, answers: readonly Fact[]): Worst {
  const known = new Map<string, number>();
  const open = new Set<string>();
  const worst = (state: TurnState): number => {
    const action = decide(state);
    if (action.do === "end-turn") return 0;
    if (action.do !== "call-model") {
      const ways = MAY_FAIL.has(action.do) ? [true, false] : [true];
      return Math.max(...ways.map((works) => worst(after(state, (next) => follow(next, action, works)))));
    }
    const key = situationOf(state);
    const before = known.get(key);
    if (before !== undefined) return before;
    if (open.has(key)) throw new Error(`this comes again and again: ${key}`);
    open.add(key);
    const left = answers.map((answer) => worst(after(state, (next) => ask(next, action, answer))));
    open.delete(key);
    known.set(key, 1 + Math.max(...left));
    return 1 + Math.max(...left);
  };
  const requests = worst(begin);
  return { requests, situations: known.size };
}

const MAY_FAIL: ReadonlySet<string> = new Set(["compact", "rotate-key", "refresh-key"]);

/** The state with a change; the history only grows at its end, which nothing here changes but the last step of a turn. */
function after(state: TurnState, change: (next: TurnState) => void): TurnState {
  const next = { ...state, history: [...state.history], budget: { ...state.budget } };
  change(next);
  return next;
}

/** What only counts or names, or stays as it is: what else a state holds tells situations apart. */
const TELLS_NOTHING: ReadonlySet<string> = new Set([
  "setup",
  "history",
  "attempt",
  "iteration",
  "budget",
  "usage",
  "retries",
  "retract",
  "compaction",
  "guard",
  // Where it is not persistent.
  "alike",
  // Its texts grow: told below.
  "cut",
]);

const TELLING = Object.keys(afterTools(0)).filter((key) => !TELLS_NOTHING.has(key)) as (keyof TurnState)[];

function situationOf(state: TurnState): string {
  const { text, reasoning, ...cut } = state.cut ?? { text: "", reasoning: "" };
  return JSON.stringify([TELLING.map((key) => state[key]), text !== "", reasoning !== "", cut]);
}
