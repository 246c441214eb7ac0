import assert from "node:assert/strict";
import { renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Fact } from "../../src/protocol/fact.ts";
import { openSqliteStore } from "../../src/store/sqlite/store.ts";
import { type Ended, Place, resultOf, type Running } from "../scenario/program.ts";
import { EndlessProvider } from "../support/endless-provider.ts";
import { assertSound } from "../support/sound.ts";
import { said } from "../support/said.ts";
import type { Kept, Kill, Point } from "./points.ts";
import { approve, CALLS, effectsIn, furnish, modelOf, type Shape } from "./shapes.ts";

const JSON_OUT = ["--output", "json"];
const go = (shape: Shape): string[] => ["-p", "go", "--approve", approve(shape), ...JSON_OUT];
const resume = (shape: Shape): string[] => [
  "session",
  "resume",
  "last",
  "--continue",
  "--approve",
  approve(shape),
  ...JSON_OUT,
];
const FOLLOW = ["-p", "continue", "--resume", "last", "--approve", "all", ...JSON_OUT];
const yes = (id: string): string[] => ["approve", "yes", id];

/**
 * The program dies at a point of a turn; then one copy of what it left is gone on with by another message, and another one
 * is resumed. Throws for anything that was lost, done twice, or has to be mended by hand.
 */
export async function checkDeath(shape: Shape, kill: Kill, expected: Kept): Promise<void> {
  const place = new Place();
  let copy: Place | undefined;
  let provider: EndlessProvider | undefined;
  try {
    furnish(place);
    provider = await die(place, shape, kill);
    assertSound(join(place.home, "evander.db"));
    assert.equal(keptIn(place), expected);
    copy = new Place(place);
    await checkFollowUp(place, provider, { kill, kept: expected });
    checkSound(place);
    putBack(place, copy);
    await checkResume(place, shape, { kill, kept: expected });
    checkSound(place);
  } finally {
    await provider?.close();
    place.remove();
    copy?.remove();
  }
}

function checkSound(place: Place): void {
  assert.ok(effectsIn(place) <= 1, "the effect was done twice");
  const open = turnsIn(place).filter((facts) => !hasEnded(facts));
  assert.deepEqual(open, [], "a turn is still open");
  assertSound(join(place.home, "evander.db"));
}

/** A yes holds where it was given: the copy takes the place of the first one. */
function putBack(place: Place, copy: Place): void {
  for (const part of ["home", "work"] as const) {
    rmSync(place[part], { recursive: true, force: true });
    renameSync(copy[part], place[part]);
  }
}

interface Dead {
  readonly kill: Kill;
  readonly kept: Point["kept"];
}

/** Plays the commands of a shape until the one that dies. */
async function die(place: Place, shape: Shape, kill: Kill): Promise<EndlessProvider> {
  const { life = "go", at, wire, stopped } = kill;
  let running: Running | undefined;
  const onWire = async (): Promise<void> => {
    process.kill(running?.pid ?? 0, stopped === undefined ? "SIGKILL" : "SIGINT");
    await running?.ended;
  };
  const provider = new EndlessProvider(modelOf(shape, stopped === "in the effect"), {
    onRequest: ({ index }) => (index === wire?.index && wire.frames === undefined ? onWire() : undefined),
    onFrame: ({ index }, sent) => (index === wire?.index && wire.frames === sent ? onWire() : undefined),
  });
  await provider.server.listen();
  const { baseUrl } = provider.server;
  let asked = "";
  for (const each of ["go", "yes", "resume"] as const) {
    const args = each === "go" ? go(shape) : each === "yes" ? yes(asked) : resume(shape);
    running = place.start(baseUrl, args, each === life && at !== undefined ? { killAt: at } : {});
    writeFileSync(join(place.work, "pid"), String(running.pid));
    const ended = await running.ended;
    if (each === life) {
      const told = at === "before-close" || each === "yes" ? "" : ended.stdout;
      assert.deepEqual([ended.signal, told], ["SIGKILL", ""], ended.stderr);
      return provider;
    }
    if (each === "go") asked = questionIn(ended);
  }
  throw new Error(`no ${life} in a turn with ${shape}`);
}

function questionIn(ended: Ended): string {
  const result = resultOf(ended);
  assert.deepEqual([ended.code, result.exit.reason], [30, "parked_for_approval"], ended.stderr);
  assert.equal(result.waitingFor.length, 1);
  return result.waitingFor[0]?.approvalId ?? "";
}

async function diesAgain(place: Place, provider: EndlessProvider, args: string[], killAt?: string): Promise<void> {
  if (killAt === undefined) return;
  const ended = await place.run(provider.server.baseUrl, args, { killAt });
  assert.deepEqual([ended.signal, ended.stdout], ["SIGKILL", ""], ended.stderr);
}

async function checkFollowUp(place: Place, provider: EndlessProvider, { kill, kept }: Dead): Promise<void> {
  await diesAgain(place, provider, FOLLOW, kill.again?.follow);
  const followed = await place.run(provider.server.baseUrl, FOLLOW);
  assert.deepEqual(provider.violations(), []);
  const result = resultOf(followed);
  if (kept === "nothing") {
    assert.equal(result.exit.reason, "session_not_found");
    return;
  }
  assert.deepEqual(
    [followed.code, result.exit.reason, result.answer],
    [0, "text_response", "went on"],
    followed.stderr,
  );
  const asked = provider.requests.at(-1)?.body.messages.filter((message) => message.role === "user");
  // Where nothing was answered in between, they are one message.
  assert.equal(asked?.map(said).join("\n\n"), "go\n\ncontinue", "the user's message is kept");
  const [first] = turnsIn(place);
  if (kept === "open turn" && kill.stopped === undefined) assert.equal(interruptIn(first), "superseded");
}

async function checkResume(place: Place, shape: Shape, { kill, kept }: Dead): Promise<void> {
  const before = factsIn(place);
  const provider = new EndlessProvider(modelOf(shape));
  try {
    await provider.server.listen();
    await diesAgain(place, provider, resume(shape), kill.again?.resume);
    const resumed = await resumeToEnd(place, shape, provider);
    assert.deepEqual(provider.violations(), []);
    const result = resultOf(resumed);
    if (kept !== "open turn") {
      assert.equal(result.exit.code, 2, resumed.stderr);
      return;
    }
    if (kill.stopped !== undefined) {
      assert.deepEqual([result.interrupted, provider.requests.length], [true, 0], resumed.stderr);
      return;
    }
    assert.deepEqual([resumed.code, result.answer], [0, "all done"], resumed.stderr);
    checkRun(place, provider, shape, kill.again === undefined ? before : undefined);
  } finally {
    await provider.close();
  }
}

/** As a person would who reads what it says: a question that stands open is answered, and the turn taken up again. */
async function resumeToEnd(place: Place, shape: Shape, { server }: EndlessProvider): Promise<Ended> {
  const resumed = await place.run(server.baseUrl, resume(shape));
  if (resumed.code !== 30) return resumed;
  const allowed = await place.run(undefined, yes(questionIn(resumed)));
  assert.equal(allowed.code, 0, allowed.stderr);
  return place.run(server.baseUrl, resume(shape));
}

/** `before`: what the dead process left; undefined: it died more than once. */
function checkRun(place: Place, provider: EndlessProvider, shape: Shape, before: readonly Fact[] | undefined): void {
  const messages = provider.requests.at(-1)?.body.messages ?? [];
  assert.deepEqual(messages.filter(({ role }) => role === "user").map(said), ["go"]);
  const receipts = messages.filter((message) => message.role === "tool");
  assert.deepEqual(
    receipts.map((message) => message.tool_call_id),
    CALLS[shape].map((call) => call.id),
  );
  if (before === undefined) return;
  for (const { tool_call_id: id = "", content } of receipts) assert.match(String(content), receiptOf(id, before));
  const effect = shape === "subagent" ? "c1" : "e1";
  if (shape !== "text" && shape !== "three parallel" && !isUnknown(effect, before)) assert.equal(effectsIn(place), 1);
}

/**
 * An effect that had been started and not answered is closed, for it may have happened; a receipt that was stored is
 * kept, and everything else was run (again).
 */
function receiptOf(callId: string, before: readonly Fact[]): RegExp {
  if (callId === "e1") return isUnknown(callId, before) ? /^Interrupted before it finished/ : /^Exit code 0/;
  return { r1: /alpha/, r2: /beta/ }[callId] ?? /^(?!Interrupted)/;
}

/** It had been started, and nobody knows what became of it. */
function isUnknown(callId: string, before: readonly Fact[]): boolean {
  const begun = before.some((fact) => fact.type === "segment-start" && fact.callIds.includes(callId));
  return begun && !before.some((fact) => fact.type === "receipt" && fact.message.callId === callId);
}

const interruptIn = (facts: readonly Fact[] = []): string | undefined =>
  facts.findLast((fact) => fact.type === "interrupt-requested")?.by;

function keptIn(place: Place): Kept {
  const [first] = turnsIn(place);
  if (first === undefined) return "nothing";
  return hasEnded(first) ? "whole turn" : "open turn";
}

/** What a child took may be entered behind the end. */
const hasEnded = (facts: readonly Fact[]): boolean => facts.some(({ type }) => type === "turn-end");

/** All facts, those of children too. */
const factsIn = (place: Place): Fact[] => turnsIn(place).flat();

/** The facts of each turn, those of the session's own turns first, in order. */
function turnsIn(place: Place): (readonly Fact[])[] {
  const store = openSqliteStore({ path: join(place.home, "evander.db") });
  try {
    const [session] = store.list();
    if (session === undefined) return [];
    const turns: Fact[][] = [];
    for (const { fact } of store.record(session.sessionId)?.facts ?? [])
      if (fact.type === "turn-start") turns.push([fact]);
      else turns.at(-1)?.push(fact);
    const children = store.children(session.sessionId).map(({ sessionId }) => store.turn(sessionId)?.facts ?? []);
    return [...turns, ...children.map((facts) => facts.map(({ fact }) => fact))];
  } finally {
    store.close();
  }
}
