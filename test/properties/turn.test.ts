import assert from "node:assert/strict";
import { expect, test } from "vitest";
import type { Fact } from "../../src/protocol/fact.ts";
import type { ApprovalPolicy } from "../../src/turn/state.ts";
import { callsOf, type ToolCallPart } from "../../src/protocol/message.ts";
import { followUp, lifetime } from "../support/life.ts";
import { checkPromises } from "../support/promises.ts";
import { TOOL_NAMES } from "../support/world-tools.ts";
import type { Move } from "../support/world-script.ts";
import type { Plan } from "../support/world.ts";
import { checked, randomTurns } from "./random-turns.ts";

const RUNS = Number(process.env["RUNS"] ?? 25);
/** By chance where none is given. */
const SEED = process.env["SEED"] === undefined ? {} : { seed: Number(process.env["SEED"]) };

test(
  "[B5 B6 B7 B8 B9 B10 B14 G3] every turn keeps every promise, whatever comes, also when its process dies after any fact",
  { timeout: 600_000 },
  async () => {
    const { lives = 0 } = await randomTurns({ runs: RUNS, ...SEED });
    expect(lives).toBeGreaterThan(2 * RUNS);
    console.log(`# ${RUNS} scripts, ${lives} lives`);
  },
);

const whole: Plan = { moves: [], arrivals: [], maxIterations: 9, policies: ["all"], answers: [true] };

test("[E7] a turn that a guardrail stops keeps every promise, whatever fact its process dies at", async () => {
  const moves: Move[] = Array.from({ length: 3 }, () => ({ type: "tools", names: ["bad", "write", "bad", "bad"] }));
  const script: Plan = { ...whole, moves };
  const life = await lifetime(script);
  assert.equal(life.result?.exit.reason, "guardrail_halt");
  const { length: facts } = await checked(Promise.resolve(life), "whole");
  for (let death = 1; death < facts; death++) {
    const halted = await lifetime(script, [death]);
    await checked(Promise.resolve(halted), `dead after ${death}`);
  }
});

test.for(["said", "refused", undefined] as const)(
  "[A10] a turn whose window is full keeps every promise, whatever fact its process dies at; a model's summary: %s",
  async (summary) => {
    const moves: Move[] = Array.from({ length: 5 }, () => ({ type: "tools", names: ["read", "read", "write"] }));
    const script: Plan = { ...whole, moves, small: true, summary };
    const facts = await checked(lifetime(script), "whole");
    assert.ok(facts.some((fact) => fact.type === "history-compacted" && fact.because === "pressure"));
    assert.equal(
      facts.some((fact) => fact.type === "summary-start"),
      summary !== undefined,
    );
    for (let death = 1; death < facts.length; death++) await checked(lifetime(script, [death]), `dead after ${death}`);
  },
);

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

/** What broke a promise once: a reply is cut off, and a redirect comes where only one iteration is left. */
const cutCall: Move = { type: "cut-call", names: ["read"], text: "let me" };
const cutText: Move = { type: "text", pieces: ["too", " long"], finish: "length" };
test.each([
  { when: "between the iterations", moves: [cutCall], at: 2 },
  { when: "in the last one, which is cut again", moves: [cutCall, cutText], at: 3 },
  { when: "in the last one, behind a text", moves: [cutText, cutText, cutText], at: 3 },
])("[B14][C8] a redirect behind a cut reply is told to the model: $when", async ({ moves, at }) => {
  const script: Plan = { ...whole, moves, arrivals: [{ type: "redirect", at }], maxIterations: 2 };
  const facts = await checked(lifetime(script), "whole");
  expect(facts.map(({ type }) => type)).toContain("redirect-delivered");
  for (let death = 1; death < facts.length; death++)
    await assert.doesNotReject(checked(lifetime(script, [death]), `dead after ${death}`));
});

test("[B14][C8] time that is up behind a redirect ends the turn: what was shown before it stands above it, and is no answer", async () => {
  const arrivals: Plan["arrivals"] = [
    { type: "redirect", at: 3 },
    { type: "deadline", at: 6 },
  ];
  const script: Plan = { ...whole, moves: [cutText], arrivals, maxIterations: 2 };
  const facts = await checked(lifetime(script), "whole");
  expect(facts.at(-1)).toMatchObject({ outcome: { exit: "time_limit", answer: null } });
  for (let death = 1; death < facts.length; death++)
    await assert.doesNotReject(checked(lifetime(script, [death]), `dead after ${death}`));
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

test("[C18 D3 G3] what a server does not take is learnt once, whatever fact the process dies at", async () => {
  const moves: Move[] = [
    { type: "status", status: 400, words: "Unsupported parameter: 'stream_options'" },
    { type: "tools", names: ["read"] },
    { type: "status", status: 400, words: "Streaming is not supported" },
  ];
  const facts = await checked(lifetime({ ...whole, moves }), "whole");
  expect(facts.filter(({ type }) => type === "request-adjusted")).toMatchObject([
    { learnt: { "fake/m": { without: ["stream_options"] } } },
    { learnt: { "fake/m": { without: ["stream_options"], streaming: false } } },
  ]);
  for (let death = 1; death < facts.length; death++)
    await assert.doesNotReject(checked(lifetime({ ...whole, moves }, [death]), `dead after ${death}`));
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
    await followUp({ world, result, events: undefined });
    assert.deepEqual([...world.provider.violations(), ...world.breaches], []);
  } finally {
    await world.dispose();
  }
});

test("[D7 D10 G3] a switch between a refused key and the next one asks the model that was chosen", async () => {
  const script: Plan = { ...whole, moves: [{ type: "status", status: 401 }], keys: 3 };
  for (const at of [4, 5, 6, 7, 8]) {
    const plan: Plan = { ...script, arrivals: [{ type: "switchModel", at }] };
    await checked(lifetime(plan), `switched at ${at}`);
    const facts = await checked(lifetime(plan, [3, 0]), `switched at ${at}, dead after 3`);
    expect(facts.at(-1)).toMatchObject({ type: "turn-end", outcome: { exit: "text_response" } });
  }
});

test("[D10] a switch that comes when the history is closed is not accepted: it is the next turn's, and the answer of no model is lost", async () => {
  const script: Plan = { ...whole, moves: [{ type: "status", status: 400 }] };
  for (let at = 0; at < 8; at++) {
    const life = await lifetime({ ...script, arrivals: [{ type: "switchModel", at }] });
    await assert.doesNotReject(checked(Promise.resolve(life), `switched at ${at}`));
  }
});

test("[D10 G3] a turn that died when its history was closed is ended by whoever takes it up, whomever it was switched to", async () => {
  const moves: readonly Move[] = [
    { type: "break", after: 2, end: "cut", names: ["read"] },
    { type: "status", status: 401 },
  ];
  const script: Plan = { ...whole, moves, arrivals: [{ type: "switchModel", at: 0 }], maxIterations: 1 };
  const facts = await checked(lifetime(script), "whole");
  expect(facts.map(({ type }) => type)).toContain("closing-message");
  for (let death = 1; death < facts.length; death++)
    await assert.doesNotReject(checked(lifetime(script, [death]), `dead after ${death}`));
});

test("[D10 G3] a turn that was switched asks what it was told to, and whoever takes it up after a crash its own model", async () => {
  const tools: Move = { type: "tools", names: ["read"] };
  const arrivals: Plan["arrivals"] = [2, 6].map((at) => ({ type: "switchModel", at }));
  const script: Plan = { ...whole, moves: [tools, { type: "status", status: 429 }, tools], arrivals };
  const asked = (facts: readonly Fact[]): string[] =>
    facts.flatMap((fact) => (fact.type === "attempt-start" ? [fact.model] : []));
  const facts = await checked(lifetime(script), "whole");
  expect(new Set(asked(facts))).toEqual(new Set(["m", "switchModel0", "switchModel1"]));
  // Both switches come before this death: nobody makes them again.
  for (let death = 8; death < facts.length; death++) {
    const all = await checked(lifetime(script, [death]), `dead after ${death}`);
    const resumed = all.slice(all.findIndex((fact) => fact.type === "turn-resumed"));
    expect(asked(resumed).filter((model) => model !== "m")).toEqual([]);
  }
});

test("[A11 G3] what a memory and plug-ins add to the prompt is there once and whole, wherever the process dies", async () => {
  const script: Plan = {
    moves: [{ type: "tools", names: [TOOL_NAMES[0] ?? ""] }],
    arrivals: [],
    maxIterations: 3,
    policies: ["all"],
    answers: [true],
    advised: true,
  };
  const { length: facts } = await checked(lifetime(script), "whole");
  expect(facts).toBeGreaterThan(6);
  for (let crashAfter = 1; crashAfter < facts; crashAfter++) {
    const life = await lifetime(script, [crashAfter]);
    const sources = life.world.stored()[0]?.parts.flatMap((part) => (part.type === "context" ? [part.source] : []));
    expect(sources, `after ${crashAfter}`).toEqual(["memory", "one", "two"]);
    await checked(Promise.resolve(life), `after ${crashAfter}`);
  }
});

test("[X4][G3] what a process has asked about money before it died is answered once, there or by another process", async () => {
  const script: Plan = { ...whole, moves: [{ type: "tools", names: ["read"] }], limitUsd: 1, policies: ["ask"] };
  const { length: facts } = await checked(lifetime(script), "whole");
  for (const answers of [[true], [false]])
    for (const elsewhere of [true, false])
      for (let death = 1; death < facts; death++) {
        const life = lifetime({ ...script, answers, elsewhere }, [death]);
        const all = await checked(life, `${answers.join()} ${elsewhere}, dead after ${death}`);
        const count = (type: Fact["type"]): number => all.filter((fact) => fact.type === type).length;
        assert.ok(count("money-asked") > 0);
        assert.equal(count("money-decided"), count("money-asked"));
      }
});

test("[X4] one yes is enough for the next request, also behind one that took many times the limit", async () => {
  const moves: readonly Move[] = [{ type: "break", after: 2, end: "reset", names: [] }];
  const facts = await checked(lifetime({ ...whole, moves, limitUsd: 1, policies: ["ask"] }), "whole");
  const asked = facts.flatMap((fact, at) =>
    fact.type === "money-asked" ? [{ ...fact, next: facts[at + 2]?.type }] : [],
  );
  expect(asked).toMatchObject([{ limitUsd: 1, next: "attempt-start" }]);
  expect(asked[0]?.moreUsd).toBeGreaterThan(10);
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

test.each<{ readonly how: string; readonly moves: readonly Move[]; readonly cooling?: true }>([
  {
    how: "by refusals",
    moves: [
      { type: "status", status: 401 },
      { type: "tools", names: ["write"] },
      { type: "status", status: 429 },
    ],
  },
  { how: "by silence", moves: Array.from({ length: 4 }, () => ({ type: "text", pieces: [" "] })) },
  {
    how: "in the middle of a text",
    moves: [
      { type: "break", after: 2, end: "reset", names: [] },
      { type: "status", status: 401 },
    ],
  },
  {
    how: "from the beginning",
    moves: [
      { type: "status", status: 400 },
      { type: "status", status: 400 },
    ],
    cooling: true,
  },
])("[D9 A13 G3] a turn is handed on $how, and keeps every promise whatever fact its process dies at", async (one) => {
  const script: Plan = { ...whole, ...one, fallbacks: 2 };
  const facts = await checked(lifetime(script), "whole");
  expect(facts.map(({ type }) => type)).toContain("model-switched");
  for (let death = 1; death < facts.length; death++)
    await assert.doesNotReject(checked(lifetime(script, [death]), `dead after ${death}`));
});

test.each<{ readonly how: string; readonly moves: readonly Move[]; readonly fallbacks?: number }>([
  {
    how: "refused, then limited",
    moves: [
      { type: "status", status: 401 },
      { type: "tools", names: ["write"] },
      { type: "status", status: 429 },
      { type: "status", status: 429 },
    ],
  },
  {
    how: "out of money, one after the other",
    moves: [402, 402, 402].map((status) => ({ type: "status", status })),
    fallbacks: 1,
  },
])(
  "[D6 D7 G3] keys that are $how are given up, and every promise is kept whatever fact the process dies at",
  async (one) => {
    const script: Plan = { ...whole, ...one, keys: 3 };
    const facts = await checked(lifetime(script), "whole");
    expect(facts.map(({ type }) => type)).toContain("key-rotated");
    for (let death = 1; death < facts.length; death++)
      await assert.doesNotReject(checked(lifetime(script, [death]), `dead after ${death}`));
  },
);

test("[X6][G3] what goes on beside a turn is started once, whatever fact the process dies at, and asked about instead", async () => {
  const script: Plan = { ...whole, moves: [{ type: "tools", names: ["start", "read", "start"] }] };
  const facts = await checked(lifetime(script), "whole");
  const asked = new Set<number>();
  for (let death = 1; death < facts.length; death++) {
    const life = lifetime(script, [death]);
    for (const _call of (await life).world.asked) asked.add(death);
    await assert.doesNotReject(checked(life, `dead after ${death}`));
  }
  // Between the start and the receipt of each of the two.
  expect(asked.size).toBeGreaterThanOrEqual(2);
});

const isQuestion = ({ name }: ToolCallPart): boolean => name === "ask";

test.each<ApprovalPolicy>(["ask", "park", "all"])(
  "[E9][G3] a question (%s) is asked once and its answer told once, whatever fact the process dies at",
  async (policy) => {
    const moves: readonly Move[] = [{ type: "tools", names: ["read", "ask", "write", "ask"] }];
    for (const elsewhere of [false, true]) {
      const script: Plan = { ...whole, moves, policies: [policy], elsewhere };
      const asks = (facts: readonly Fact[]): number =>
        facts.flatMap((fact) => (fact.type === "assistant-message" ? callsOf(fact.message) : [])).filter(isQuestion)
          .length;
      const answers = (facts: readonly Fact[]): number =>
        facts.filter((fact) => fact.type === "question-answered").length;
      const facts = await checked(lifetime(script), "whole");
      assert.equal(answers(facts), policy === "all" ? 0 : 2);
      for (let death = 1; death < facts.length; death++) {
        const all = await checked(lifetime(script, [death]), `dead after ${death}`);
        assert.equal(answers(all), policy === "all" ? 0 : asks(all), `dead after ${death}`);
      }
    }
  },
);
