import assert from "node:assert/strict";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { ApprovalPolicy } from "../../src/turn/state.ts";
import { followUp, lifetime, type Life, type TakeUp } from "../support/life.ts";
import { checkPromises } from "../support/promises.ts";
import { TOOL_NAMES } from "../support/world-tools.ts";
import type { Move } from "../support/world-script.ts";
import type { Arrival, Plan } from "../support/world.ts";

/** Random scripts, each lived through once whole and once for every fact of its journal. */
const RUNS = Number(process.env["RUNS"] ?? 25);

const names = fc.array(fc.constantFrom(...TOOL_NAMES), { minLength: 1, maxLength: 4 });
const text = fc.constantFrom(["fine"], [""], ["fi", "ne"], ["<th", "ink>hm</think>yes"], ["<think>on", "ly"], [" "]);
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
  type: fc.constantFrom("interrupt", "steer", "steer", "inject", "inject", "redirect", "redirect", "deadline"),
  at: fc.nat(25),
});
const policy = fc.constantFrom<ApprovalPolicy>("never", "all", "park", "ask");
const plan: fc.Arbitrary<Plan> = fc.record({
  moves: fc.array(move, { maxLength: 7 }),
  arrivals: fc.array(arrival, { maxLength: 4 }),
  maxIterations: fc.integer({ min: 1, max: 5 }),
  policies: fc.array(policy, { minLength: 1, maxLength: 3 }),
  answers: fc.array(fc.boolean(), { minLength: 1, maxLength: 3 }),
  elsewhere: fc.boolean(),
});

async function checked(life: Promise<Life>, label: string): Promise<number> {
  const { world, ...rest } = await life;
  try {
    checkPromises({ world, ...rest }, label);
    const facts = world.facts().length;
    if (facts % 3 === 0) {
      assert.ok(await followUp({ world, ...rest }), `${label}: there was no next turn`);
      assert.deepEqual([...world.provider.violations(), ...world.breaches], [], `${label}: the next turn`);
    }
    return facts;
  } finally {
    await world.dispose();
  }
}

test(
  "[B5 B6 B7 B8 B9 B10 B14 G3] every turn keeps every promise, whatever comes, also when its process dies after any fact",
  { timeout: 600_000 },
  async () => {
    let lives = 0;
    await fc.assert(
      fc.asyncProperty(plan, fc.nat(6), async (script, again) => {
        const facts = await checked(lifetime(script), "whole");
        for (let death = 1; death < facts; death++) {
          const takeUp: TakeUp = (death + again) % 4 === 0 ? "supersede" : "resume";
          const deaths = death % 3 === 0 ? [death, again] : [death];
          await checked(lifetime(script, deaths, takeUp), `dead after ${deaths.join(" and ")}, ${takeUp}`);
          lives++;
        }
      }),
      { numRuns: RUNS, endOnFailure: process.env["SHRINK"] === "0" },
    );
    expect(lives).toBeGreaterThan(RUNS);
    console.log(`# ${RUNS} scripts, ${lives} lives with a death in them`);
  },
);

const whole: Plan = { moves: [], arrivals: [], maxIterations: 9, policies: ["all"], answers: [true] };

test("[E7] a turn that a guardrail stops keeps every promise, whatever fact its process dies at", async () => {
  const moves: Move[] = Array.from({ length: 3 }, () => ({ type: "tools", names: ["bad", "write", "bad", "bad"] }));
  const script: Plan = { ...whole, moves };
  const life = await lifetime(script);
  assert.equal(life.result?.exit.reason, "guardrail_halt");
  const facts = await checked(Promise.resolve(life), "whole");
  for (let death = 1; death < facts; death++) {
    const halted = await lifetime(script, [death]);
    await checked(Promise.resolve(halted), `dead after ${death}`);
  }
});

test("[B8] a steer that comes while a sent receipt is tried again waits for one that was not sent", async () => {
  const tools: Move = { type: "tools", names: ["read"] };
  const again: readonly Move[] = [
    { type: "status", status: 429 },
    { type: "break", after: 0, end: "reset", names: [] },
  ];
  for (let at = 1; at < 20; at++) {
    const script: Plan = { ...whole, moves: [tools, ...again, tools, ...again], arrivals: [{ type: "steer", at }] };
    await assert.doesNotReject(checked(lifetime(script), `steer at ${at}`));
  }
});

test("[B14] a redirect between the last word of a turn and its end comes back, and begins nothing", async () => {
  for (let at = 1; at < 6; at++) {
    const script: Plan = { ...whole, moves: [{ type: "status", status: 400 }], arrivals: [{ type: "redirect", at }] };
    await assert.doesNotReject(checked(lifetime(script), `redirect at ${at}`));
  }
});

test("[D14 F1 G3] a request that is too large is sent with less, also when the process dies at any fact of it", async () => {
  const tools: Move = { type: "tools", names: ["read", "read", "read"] };
  const tooLarge: Move = { type: "status", status: 413 };
  const script: Plan = { ...whole, moves: [tools, tools, tools, tooLarge, tools, tooLarge] };
  const { world } = await lifetime(script);
  const types = world.facts().map((fact) => fact.type);
  await world.dispose();
  assert.equal(types.filter((type) => type === "history-compacted").length, 2);
  for (let death = 1; death < types.length; death++)
    await assert.doesNotReject(checked(lifetime(script, [death]), `dead after ${death}`));
});

test("[G3] a call that takes its process down every time is closed in the end, and the turn with it", async () => {
  const script: Plan = { ...whole, moves: [{ type: "tools", names: ["slow", "read"] }] };
  // Each life gets as far as the start of the segment.
  const { world, result } = await lifetime(script, [4, 2, 2, 2]);
  try {
    assert.equal(result?.exit.reason, "internal_error");
    const statuses = world.facts().flatMap((fact) => (fact.type === "receipt" ? [fact.message.status] : []));
    assert.deepEqual(statuses, ["interrupted", "interrupted"]);
    assert.equal(world.provider.requests.length, 1);
    await followUp({ world, result, events: [] });
    assert.deepEqual([...world.provider.violations(), ...world.breaches], []);
  } finally {
    await world.dispose();
  }
});

test("[A11 G3] what plug-ins add to the prompt is there once and whole, wherever the process dies", async () => {
  const script: Plan = {
    moves: [{ type: "tools", names: [TOOL_NAMES[0] ?? ""] }],
    arrivals: [],
    maxIterations: 3,
    policies: ["all"],
    answers: [true],
    advised: true,
  };
  const facts = await checked(lifetime(script), "whole");
  expect(facts).toBeGreaterThan(6);
  for (let crashAfter = 1; crashAfter < facts; crashAfter++) {
    const life = await lifetime(script, [crashAfter]);
    const sources = life.world.stored()[0]?.parts.flatMap((part) => (part.type === "context" ? [part.source] : []));
    expect(sources, `after ${crashAfter}`).toEqual(["one", "two"]);
    await checked(Promise.resolve(life), `after ${crashAfter}`);
  }
});

test("[E10][G3] what a process has asked before it died is decided by another, and holds for whoever goes on", async () => {
  const moves: readonly Move[] = [{ type: "tools", names: ["read", "guarded", "guarded"] }];
  for (const answers of [
    [true, false],
    [false, true],
  ])
    for (const policies of [["ask"], ["park"]] as const) {
      // The first life dies when it has asked, before anybody answers.
      const script: Plan = { ...whole, moves, policies: [...policies, "park"], answers, elsewhere: true };
      const { world, ...rest } = await lifetime(script, [4]);
      checkPromises({ world, ...rest }, `${policies.join()} ${answers.join()}`);
      const decided = world.facts().flatMap((fact) => (fact.type === "approval-decided" ? [fact.allow] : []));
      assert.deepEqual(decided, answers);
      assert.equal(world.ran.filter((call) => call.startsWith("guarded")).length, 1);
      await world.dispose();
    }
});
