import { expect, test } from "vitest";
import type { Fact } from "../protocol/fact.ts";
import { userText } from "../protocol/message.ts";
import type { Compactor, TurnLog, TurnPorts } from "../protocol/ports.ts";
import { apply } from "./apply.ts";
import { compact } from "./perform-compaction.ts";
import { initialState, type TurnState, UNATTENDED } from "./state.ts";

const COMPACTION = { through: 2, from: 1, instruction: 1, cutBefore: 0 };
const PRESSURE = { do: "compact", share: 0.5, because: "pressure" } as const;

/** A turn under pressure; its requests are aborted by the controller, and the facts are as they were recorded. */
function underPressure(compactor: Compactor): {
  readonly compacting: (action?: Parameters<typeof compact>[0]) => Promise<void> | void;
  readonly state: TurnState;
  readonly facts: readonly Fact[];
  readonly controller: AbortController;
} {
  const setup = { model: "m", provider: "p", maxIterations: 3, approvals: "never", ...UNATTENDED } as const;
  const state = initialState(setup, [userText("word ".repeat(2_000)), userText("go")]);
  const facts: Fact[] = [];
  const controller = new AbortController();
  const log = {
    requestSignal: () => controller.signal,
    record: (fact: Fact) => {
      apply(state, fact);
      facts.push(fact);
    },
  } as unknown as TurnLog;
  const ports = { compactor, sessionId: "s" } as unknown as TurnPorts;
  return { compacting: (action = PRESSURE) => compact(action, state, ports, log), state, facts, controller };
}

test("[A10] a stop does not wait for a summary that never comes, and nothing is left out by it", async () => {
  const { compacting, facts, controller, state } = underPressure({
    compact: () => COMPACTION,
    summarise: () => new Promise(() => undefined),
  });
  const going = compacting();
  expect(state.summarising).toBe(true);
  controller.abort();
  await going;
  expect(facts).toEqual([{ type: "summary-start" }]);
});

test("[A10] rules leave out what no model could sum up, and the fact says why", async () => {
  const { compacting, facts, state } = underPressure({
    compact: () => COMPACTION,
    summarise: () => Promise.resolve({ trouble: "it was empty" }),
  });
  await compacting();
  expect(facts).toMatchObject([
    { type: "summary-start" },
    { type: "history-compacted", because: "pressure", compaction: COMPACTION, trouble: "it was empty" },
  ]);
  expect(state.summarising).toBe(false);
});

test("[D14] the first request that is too large is summed up, the later ones of the turn are cut by rules", async () => {
  const asked: number[] = [];
  const { compacting, facts } = underPressure({
    compact: () => COMPACTION,
    summarise: ({ target }) => {
      asked.push(target);
      return Promise.resolve({ compaction: { ...COMPACTION, summary: "Words were said." } });
    },
  });
  const tooLarge = { ...PRESSURE, because: "too-large" } as const;
  await compacting(tooLarge);
  await compacting(tooLarge);
  expect(asked).toHaveLength(1);
  expect(facts.map(({ type }) => type)).toEqual(["summary-start", "history-compacted", "history-compacted"]);
});

test("[A10] an answer that comes when another model is asked already is of no use: it may have another window", async () => {
  const { promise, resolve } = Promise.withResolvers<{ readonly compaction: typeof COMPACTION }>();
  const { compacting, facts, state } = underPressure({ compact: () => COMPACTION, summarise: () => promise });
  const going = compacting();
  apply(state, { type: "model-switched", provider: "other", model: "o" });
  resolve({ compaction: COMPACTION });
  await going;
  expect(facts).toEqual([{ type: "summary-start" }]);
});

test("[A10] what cannot be left out is recorded with what it weighs", () => {
  const { compacting, facts, state } = underPressure({ compact: () => undefined });
  expect(compacting()).toBeUndefined();
  expect(facts).toEqual([{ type: "compaction-failed", because: "pressure", tokens: expect.any(Number) }]);
  expect(state.incompressible).toBe(true);
});
