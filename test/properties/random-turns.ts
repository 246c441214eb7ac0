import assert from "node:assert/strict";
import fc from "fast-check";
import type { Fact } from "../../src/protocol/fact.ts";
import type { ApprovalPolicy } from "../../src/turn/state.ts";
import { followUp, lifetime, type Life, type TakeUp } from "../support/life.ts";
import { checkPromises } from "../support/promises.ts";
import { assertReplays } from "../support/replays.ts";
import { TOOL_NAMES } from "../support/world-tools.ts";
import type { Move } from "../support/world-script.ts";
import type { Arrival, Plan } from "../support/world.ts";
import type { Job, Tally } from "./shards.ts";

const names = fc.array(fc.constantFrom(...TOOL_NAMES), { minLength: 1, maxLength: 4 });
const text = fc.constantFrom(["fine"], [""], ["fi", "ne"], ["<th", "ink>hm</think>yes"], ["<think>on", "ly"], [" "]);
const NO_STREAM: Move = { type: "status", status: 400, words: "Streaming is not supported" };
const NO_USAGE: Move = { type: "status", status: 400, words: "Unsupported parameter: 'stream_options'" };
const move: fc.Arbitrary<Move> = fc.oneof(
  { weight: 3, arbitrary: text.map((pieces) => ({ type: "text" as const, pieces })) },
  { weight: 2, arbitrary: fc.constant({ type: "text" as const, pieces: ["too", " long"], finish: "length" as const }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<Move>({ type: "thoughts" }, { type: "thoughts", finish: "length" }),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom<Move>(
      { type: "cut-call", names: [] },
      { type: "cut-call", names: ["read"], text: "let me" },
    ),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom(429, 500, 401, 400, 413).map((status) => ({ type: "status" as const, status })),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(NO_STREAM, NO_USAGE),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant("break" as const),
      after: fc.nat(6),
      end: fc.constantFrom("cut", "reset"),
      names: fc.oneof(fc.constant([]), names),
    }),
  },
  { weight: 8, arbitrary: names.map((it) => ({ type: "tools" as const, names: it })) },
  { weight: 2, arbitrary: names.map((it) => ({ type: "tools" as const, names: it, text: "let me see" })) },
);
const arrival: fc.Arbitrary<Arrival> = fc.record({
  type: fc.constantFrom(
    "interrupt",
    "steer",
    "steer",
    "inject",
    "inject",
    "redirect",
    "redirect",
    "switchModel",
    "deadline",
  ),
  at: fc.nat(25),
});
const policy = fc.constantFrom<ApprovalPolicy>("never", "all", "park", "ask");
const plan: fc.Arbitrary<Plan> = fc.record({
  moves: fc.array(move, { maxLength: 7 }),
  arrivals: fc.array(arrival, { maxLength: 4 }),
  maxIterations: fc.integer({ min: 1, max: 5 }),
  limitUsd: fc.option(fc.integer({ min: 1, max: 40 }), { nil: undefined, freq: 2 }),
  policies: fc.array(policy, { minLength: 1, maxLength: 3 }),
  answers: fc.array(fc.boolean(), { minLength: 1, maxLength: 3 }),
  elsewhere: fc.boolean(),
  fallbacks: fc.nat(2),
  cooling: fc.boolean(),
  keys: fc.constantFrom(0, 2, 3),
  small: fc.boolean(),
  summary: fc.constantFrom("said", "refused", undefined),
});

/** What came to a turn, by the fact that says so; the rest of what a script can do is told by these names. */
const EVENTS: Partial<Readonly<Record<Fact["type"], string>>> = {
  "steer-placed": "steers on a receipt",
  "injection-delivered": "injections delivered",
  "redirect-delivered": "redirects delivered",
  "model-switched": "model switches",
  "chain-spent": "chains spent",
  "key-rotated": "keys given up",
  "rotation-failed": "pools without another key",
  "interrupt-requested": "stops",
  "deadline-reached": "deadlines",
  "approval-decided": "approvals decided",
  "question-asked": "questions asked",
  "question-answered": "questions answered",
  "turn-parked": "turns parked",
  "turn-resumed": "resumes",
  "history-compacted": "compactions",
  "compaction-failed": "compactions in vain",
  "compaction-judged": "compactions judged",
  "summary-start": "summaries asked for",
  "request-adjusted": "requests adjusted",
  "money-warning": "warnings about money",
  "money-decided": "answers about money",
  "money-end": "limits of money",
};

/** Every life without a death, and a third of the others: which of them differs from turn to turn. */
const isReplayed = ({ deaths: [death] }: Pick<Life, "deaths">, { length }: readonly Fact[]): boolean =>
  death === undefined || (death + length) % 3 === 0;

/** Checks one life, and the turn behind it now and then; returns its facts. */
export async function checked(life: Promise<Life>, label: string): Promise<readonly Fact[]> {
  const { world, ...rest } = await life;
  try {
    checkPromises({ world, ...rest }, label);
    const facts = world.facts();
    if (isReplayed(rest, facts)) await assertReplays(world.reader, world.turnIds, label);
    if (facts.length % 3 === 0) {
      assert.ok(await followUp({ world, ...rest }), `${label}: there was no next turn`);
      assert.deepEqual([...world.provider.violations(), ...world.breaches], [], `${label}: the next turn`);
    }
    return facts;
  } finally {
    await world.dispose();
  }
}

/** Random scripts, each lived through once whole and once for every fact of its journal. Throws what fast-check found. */
export async function randomTurns({ runs, seed, onProgress }: Job): Promise<Tally> {
  const tally: Record<string, number> = { lives: 0 };
  const add = (what: string): void => {
    tally[what] = (tally[what] ?? 0) + 1;
  };
  const note = (facts: readonly Fact[]): void => {
    add("lives");
    for (const { type } of facts) if (EVENTS[type] !== undefined) add(EVENTS[type]);
  };
  await fc.assert(
    fc.asyncProperty(plan, fc.nat(6), async (script, again) => {
      const whole = await checked(lifetime(script), "whole");
      note(whole);
      for (let death = 1; death < whole.length; death++) {
        const takeUp: TakeUp = (death + again) % 4 === 0 ? "supersede" : "resume";
        const deaths = death % 3 === 0 ? [death, again] : [death];
        note(await checked(lifetime(script, deaths, takeUp), `dead after ${deaths.join(" and ")}, ${takeUp}`));
      }
      onProgress?.();
    }),
    {
      numRuns: runs,
      includeErrorInReport: true,
      ...(seed !== undefined && { seed }),
      endOnFailure: process.env["SHRINK"] === "0",
    },
  );
  return tally;
}
