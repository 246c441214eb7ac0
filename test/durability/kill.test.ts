import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { test } from "vitest";
import type { Fact } from "../../src/protocol/fact.ts";
import { openSqliteStore } from "../../src/store/sqlite/store.ts";
import { EndlessProvider } from "../support/endless-provider.ts";
import type { ReceivedRequest } from "../support/fake-provider.ts";
import { said } from "../support/said.ts";
import { callTools, say, type Step } from "../support/wire-script.ts";
import { atMost } from "../scenario/at-most.ts";
import { Place, resultOf, type Running } from "../scenario/program.ts";

const SHAPES = {
  text: [],
  "one tool": [{ id: "e1", name: "terminal", arguments: { command: "echo ran >> effects.log" } }],
  "three parallel": [
    { id: "r1", name: "read_file", arguments: { path: "a.txt" } },
    { id: "r2", name: "read_file", arguments: { path: "b.txt" } },
    { id: "r3", name: "search_files", arguments: { pattern: "needle", path: "many" } },
  ],
} as const;
type Shape = keyof typeof SHAPES;

interface Point {
  readonly name: string;
  readonly killAt?: string;
  /** The provider does it: when the first request has come, or when so many frames of its answer have left. */
  readonly onWire?: "request" | "frames";
  readonly shapes: readonly Shape[];
  /** What must have been kept when the process died; at a random point the journal says. */
  readonly kept?: Kept;
}

type Kept = "nothing" | "open turn" | "whole turn";

const ALL: readonly Shape[] = ["text", "one tool", "three parallel"];
const TOOLS: readonly Shape[] = ["one tool", "three parallel"];
const POINTS: readonly Point[] = [
  { name: "before the first commit", killAt: "before-commit:turn-start", shapes: ALL, kept: "nothing" },
  { name: "after the user message", killAt: "after-commit:turn-start", shapes: ALL, kept: "open turn" },
  { name: "when the request was sent", onWire: "request", shapes: ALL, kept: "open turn" },
  { name: "in mid-stream", onWire: "frames", shapes: ALL, kept: "open turn" },
  { name: "when the calls were committed", killAt: "after-commit:assistant-message", shapes: TOOLS, kept: "open turn" },
  { name: "when the segment had started", killAt: "after-commit:segment-start", shapes: TOOLS, kept: "open turn" },
  {
    name: "when the effect was done and its receipt not stored",
    killAt: "before-commit:receipt",
    shapes: TOOLS,
    kept: "open turn",
  },
  {
    name: "when two of three receipts were stored",
    killAt: "after-commit:receipt#2",
    shapes: ["three parallel"],
    kept: "open turn",
  },
  // The answer and the end of the turn are one commit.
  { name: "when the answer was stored", killAt: "after-commit:turn-end", shapes: ALL, kept: "whole turn" },
];

/** A model that goes by what it reads, so that it does not matter how often it is asked. */
function modelOf(shape: Shape): (request: ReceivedRequest) => Step {
  return ({ body }) => {
    const last = body.messages.at(-1);
    if (last?.role === "user" && said(last).endsWith("continue")) return say(["went", " on"]);
    const calls = SHAPES[shape];
    return last?.role === "user" && calls.length > 0 ? callTools(calls) : say(["all", " done"]);
  };
}

function furnish(place: Place): void {
  writeFileSync(join(place.work, "a.txt"), "alpha\n");
  writeFileSync(join(place.work, "b.txt"), "beta\n");
  // Slower than the two reads before it, so that their receipts are stored while it runs.
  mkdirSync(join(place.work, "many"));
  for (let n = 0; n < 300; n++) writeFileSync(join(place.work, "many", `${n}.txt`), `${"hay ".repeat(2_000)}\n`);
}

function effectsIn(place: Place): number {
  try {
    return readFileSync(join(place.work, "effects.log"), "utf8").split("\n").length - 1;
  } catch {
    return 0;
  }
}

const GO = ["-p", "go", "--approve", "all", "--output", "json"];
const FOLLOW = ["-p", "continue", "--resume", "last", "--approve", "all", "--output", "json"];
const RESUME = ["session", "resume", "last", "--continue", "--approve", "all", "--output", "json"];

async function dies(place: Place, shape: Shape, point: Point): Promise<EndlessProvider> {
  const started = Promise.withResolvers<Running>();
  const kill = async (): Promise<void> => void process.kill((await started.promise).pid, "SIGKILL");
  const provider = new EndlessProvider(modelOf(shape), {
    ...(point.onWire === "request" && { onRequest: ({ index }) => (index === 0 ? kill() : undefined) }),
    ...(point.onWire === "frames" && {
      onFrame: ({ index }, sent) => (index === 0 && sent === 2 ? kill() : undefined),
    }),
  });
  await provider.server.listen();
  const running = place.start(provider.server.baseUrl, GO, point.killAt === undefined ? {} : { killAt: point.killAt });
  started.resolve(running);
  const ended = await running.ended;
  assert.deepEqual([ended.signal, ended.stdout], ["SIGKILL", ""], ended.stderr);
  return provider;
}

/** The receipts in the last request, by call. */
function receiptsSent(provider: EndlessProvider): Map<string, string> {
  const messages = provider.requests.at(-1)?.body.messages ?? [];
  return new Map(messages.filter((m) => m.role === "tool").map((m) => [m.tool_call_id ?? "", String(m.content)]));
}

async function checkFollowUp(place: Place, provider: EndlessProvider, point: Point): Promise<void> {
  const followed = await place.run(provider.server.baseUrl, FOLLOW);
  assert.deepEqual(provider.violations(), []);
  if (point.kept === "nothing") {
    assert.equal(resultOf(followed).exit.reason, "session_not_found");
    return;
  }
  const result = resultOf(followed);
  assert.deepEqual(
    [followed.code, result.exit.reason, result.answer],
    [0, "text_response", "went on"],
    followed.stderr,
  );
  const asked = provider.requests.at(-1)?.body.messages.filter((message) => message.role === "user");
  // Where nothing was answered in between, they are one message.
  assert.equal(asked?.map(said).join("\n\n"), "go\n\ncontinue", "the user's message is kept");
  const explained = await place.run(undefined, ["turn", "explain", "last"]);
  assert.equal(explained.code, 0);
  assert.match(explained.stdout, /asked: continue/);
  if (point.kept === "open turn") assert.match(explained.stdout, /asked: go[^]*closed, because a new message came/);
}

async function checkResume(copy: Place, shape: Shape, point: Point): Promise<void> {
  const before = storedFacts(copy);
  const provider = new EndlessProvider(modelOf(shape));
  await provider.server.listen();
  const resumed = await copy.run(provider.server.baseUrl, RESUME);
  const violations = provider.violations();
  await provider.close();
  assert.deepEqual(violations, []);
  const result = resultOf(resumed);
  if (point.kept !== "open turn") {
    assert.equal(result.exit.code, 2, resumed.stderr);
    return;
  }
  assert.deepEqual([resumed.code, result.answer], [0, "all done"], resumed.stderr);
  const receipts = receiptsSent(provider);
  assert.deepEqual(
    [...receipts.keys()],
    SHAPES[shape].map((call) => call.id),
  );
  for (const [callId, content] of receipts) assert.match(content, expectedReceipt(callId, before));
}

/**
 * An effect that had been started and not answered is closed, for it may have happened; a receipt that was stored is
 * kept, and everything else was run (again).
 */
function expectedReceipt(callId: string, before: readonly Fact[]): RegExp {
  const begun = before.some((fact) => fact.type === "segment-start" && fact.callIds.includes(callId));
  const answered = before.some((fact) => fact.type === "receipt" && fact.message.callId === callId);
  if (callId === "e1") return begun && !answered ? /^Interrupted before it finished/ : /^Exit code 0/;
  return { r1: /alpha/, r2: /beta/ }[callId] ?? /^(?!Interrupted)/;
}

/** What the dead process left in its journal. */
function storedFacts(place: Place): Fact[] {
  const store = openSqliteStore({ path: join(place.home, "evander.db") });
  const facts = store.turn("last")?.facts.map(({ fact }) => fact) ?? [];
  store.close();
  return facts;
}

/** The program dies at this point; then one copy of what it left is followed up, and another one resumed. */
async function checkDeath(shape: Shape, point: Point): Promise<void> {
  const place = new Place();
  let copy: Place | undefined;
  let provider: EndlessProvider | undefined;
  try {
    furnish(place);
    provider = await dies(place, shape, point);
    assert.equal(keptIn(place), point.kept ?? keptIn(place));
    const dead = { ...point, kept: keptIn(place) };
    copy = new Place(place);
    await checkFollowUp(place, provider, dead);
    await checkResume(copy, shape, dead);
    for (const it of [place, copy]) assert.ok(effectsIn(it) <= 1, "the effect was done twice");
  } finally {
    await provider?.close();
    place.remove();
    copy?.remove();
  }
}

function keptIn(place: Place): Kept {
  const facts = storedFacts(place);
  if (facts.length === 0) return "nothing";
  return facts.at(-1)?.type === "turn-end" ? "whole turn" : "open turn";
}

for (const point of POINTS)
  for (const shape of point.shapes)
    test.concurrent(`[G2 G3] kill -9 ${point.name} (${shape}): nothing is lost, nothing done twice`, () =>
      assert.doesNotReject(atMost(() => checkDeath(shape, point))));

/** How many facts the whole turn has. */
const FACTS: Readonly<Record<Shape, number>> = { text: 4, "one tool": 8, "three parallel": 10 };

const SOMEWHERE = fc.record({
  shape: fc.constantFrom(...ALL),
  when: fc.constantFrom("before", "after"),
  at: fc.nat(9),
});

// Each by itself, and by name: five in one test take longer on a busy machine than one test may.
for (const [n, { shape, when, at }] of fc.sample(SOMEWHERE, 5).entries()) {
  const killAt = `${when}-commit:any#${1 + (at % FACTS[shape])}`;
  test.concurrent(`[G3] kill -9 at a random commit (${n + 1}: ${shape}, ${killAt}): nothing is lost, nothing done twice`, () =>
    assert.doesNotReject(atMost(() => checkDeath(shape, { name: "", killAt, shapes: ALL }))));
}
