import type { Adjustment } from "../../protocol/adjustment.ts";
import type { Fact } from "../../protocol/fact.ts";
import type { PromptPart, PromptState } from "../../protocol/prompt.ts";
import type { ModelName } from "../../protocol/ports.ts";
import type { Price } from "../../protocol/money.ts";
import type { Usage } from "../../protocol/outcome.ts";
import type { TimedFact } from "../../protocol/store.ts";
import { enter, newLedger } from "../../turn/ledger.ts";

/** What a session recorded between two requests that may change what the later one begins with. */
export type Change =
  | { readonly type: "compacted" }
  | { readonly type: "adjusted"; readonly adjustment: Adjustment }
  /** The system prompt was built anew; `parts`: those that are known to be others. */
  | { readonly type: "prompt"; readonly state: PromptState; readonly parts: readonly string[] }
  | { readonly type: "key" }
  | { readonly type: "resumed" };

/** One request of a session, and what came of it. */
export interface Asking extends ModelName {
  readonly turnId: string;
  readonly attempt: number;
  /** What whoever asked for the turn added to the system prompt. */
  readonly system: string | undefined;
  /** The version of the program that ran the turn; undefined: nobody wrote it down. */
  readonly program: string | undefined;
  /** ms since the epoch */
  readonly startMs: number;
  /** What was recorded since the request before it. */
  readonly changes: readonly Change[];
  readonly price: Price | undefined;
  /** Undefined: nobody said, or the end has not come. */
  readonly usage: Usage | undefined;
  /** When the end of it was recorded, ms since the epoch. */
  readonly endMs: number;
}

interface Now {
  provider: string;
  turn: Pick<Asking, "turnId" | "system" | "program">;
  prompt: readonly PromptPart[] | undefined;
  key: string | undefined;
  changes: Change[];
  open: Omit<Asking, "usage" | "endMs" | "price"> | undefined;
}

/** Every request of a session, in order; the last may be one whose end has not come. */
export function* askingsIn(facts: Iterable<TimedFact>): Generator<Asking> {
  const ledger = newLedger();
  const now: Now = {
    provider: "",
    turn: { turnId: "", system: undefined, program: undefined },
    prompt: undefined,
    key: undefined,
    changes: [],
    open: undefined,
  };
  for (const { fact, atMs } of facts) {
    const charge = enter(ledger, fact);
    if (charge?.type === "attempt" && now.open !== undefined) {
      yield { ...now.open, usage: charge.usage, price: charge.price, endMs: atMs };
      now.open = undefined;
    }
    follow(now, fact, atMs);
  }
  if (now.open !== undefined) yield { ...now.open, usage: undefined, price: ledger.price, endMs: now.open.startMs };
}

function follow(now: Now, fact: Fact, atMs: number): void {
  switch (fact.type) {
    case "turn-start":
      now.provider = fact.provider;
      now.turn = { turnId: fact.turnId, system: fact.system, program: fact.program };
      return;
    case "prompt-built":
      now.changes.push({ type: "prompt", state: fact.state, parts: otherParts(now.prompt, fact.parts) });
      now.prompt = fact.parts;
      return;
    case "model-switched":
      now.provider = fact.provider;
      return;
    case "attempt-start":
      return begin(now, fact, atMs);
    case "key-refreshed":
      now.key = fact.to;
      return;
    case "key-rotated":
      now.key = fact.to;
      now.changes.push({ type: "key" });
      return;
    default: {
      const change = changeOf(fact);
      if (change !== undefined) now.changes.push(change);
    }
  }
}

function begin(now: Now, { attempt, model, key }: Extract<Fact, { type: "attempt-start" }>, atMs: number): void {
  if (key !== undefined && now.key !== undefined && key !== now.key) now.changes.push({ type: "key" });
  now.key = key ?? now.key;
  const { provider, turn, changes } = now;
  now.open = { ...turn, provider, attempt, model, startMs: atMs, changes };
  now.changes = [];
}

function changeOf(fact: Fact): Change | undefined {
  switch (fact.type) {
    case "history-compacted":
      return { type: "compacted" };
    case "request-adjusted":
      return { type: "adjusted", adjustment: fact.adjustment };
    case "turn-resumed":
      return { type: "resumed" };
    default:
      return undefined;
  }
}

/** The names of those that are not as they were, as far as their sizes tell. */
function otherParts(before: readonly PromptPart[] | undefined, now: readonly PromptPart[]): readonly string[] {
  if (before === undefined) return [];
  const told = ({ name, source, chars, note }: PromptPart): string => JSON.stringify([name, source, chars, note]);
  const [old, young] = [before, now].map((parts) => new Set(parts.map(told)));
  const others = [
    ...now.filter((part) => old?.has(told(part)) !== true),
    ...before.filter((part) => young?.has(told(part)) !== true),
  ];
  return [...new Set(others.map(({ name, source }) => source ?? name))];
}
