import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "vitest";
import { type Handle, HandleFiles } from "../../src/tools/processes/handle.ts";
import { markedBy } from "../../src/tools/terminal/process-tree.ts";
import { EndlessProvider } from "../support/endless-provider.ts";
import type { ReceivedRequest } from "../support/fake-provider.ts";
import { goesSoon } from "../support/gone.ts";
import { said } from "../support/said.ts";
import { callTools, say, type Step } from "../support/wire-script.ts";
import { atMost } from "./at-most.ts";
import { Place, resultOf, type Running } from "./program.ts";

/** Says that it ran before it goes on for longer than any test. */
const COMMAND = "echo ran >> effects.log; exec sleep 1000";

interface Death {
  readonly name: string;
  /** See kill-at.mjs; absent: the model does it when it is told of the start. */
  readonly killAt?: string;
  /** What the dead process has left behind. */
  readonly left: "nothing" | "a note" | "a process";
}

const DEATHS: readonly Death[] = [
  { name: "when the start was a fact", killAt: "after-commit:segment-start", left: "nothing" },
  { name: "before the start was noted", killAt: "before-handle:write#1", left: "nothing" },
  { name: "when the start was noted", killAt: "after-handle:write#1", left: "a note" },
  { name: "when it had started and its pid was not noted", killAt: "before-handle:write#2", left: "a process" },
  { name: "when its pid was noted", killAt: "after-handle:write#2", left: "a process" },
  { name: "before its receipt was stored", killAt: "before-commit:receipt", left: "a process" },
  { name: "when the model was told", left: "a process" },
];

type Tell = (request: ReceivedRequest) => Step;

/** Starts it, and then looks after it by what it is told. */
const model: Tell = ({ body }) => {
  const told = body.messages.filter(({ role }) => role === "tool").map(({ content }) => String(content));
  const look = (action: string, id = "p1"): Step =>
    callTools([{ id: `c${told.length}`, name: "process", arguments: { action, ...(action !== "list" && { id }) } }]);
  if (told.length === 0)
    return callTools([{ id: "c0", name: "terminal", arguments: { command: COMMAND, background: true } }]);
  if (told.length === 1) return look("list");
  if (told.length < 4 && told[1]?.startsWith("p1 runs") === true) return look(told.length === 2 ? "poll" : "kill");
  return say(["all", " done"]);
};

const GO = ["-p", "go", "--approve", "all", "--output", "json"];
const RESUME = ["session", "resume", "last", "--continue", "--approve", "all", "--output", "json"];
const FOLLOW = ["-p", "continue", "--resume", "last", "--approve", "all", "--output", "json"];

const handlesIn = (place: Place): readonly Handle[] => new HandleFiles(join(place.home, "processes")).all();

const runningIn = (place: Place): readonly number[] =>
  handlesIn(place).flatMap(({ marker }) => markedBy(marker).map(({ pid }) => pid));

function effectsIn(place: Place): number {
  try {
    return readFileSync(join(place.work, "effects.log"), "utf8").split("\n").length - 1;
  } catch {
    return 0;
  }
}

/** The program is killed, and nothing else is. */
async function dies(place: Place, { killAt, left }: Death): Promise<void> {
  const started = Promise.withResolvers<Running>();
  const provider = new EndlessProvider(model, {
    onRequest: async ({ index }) => {
      if (killAt === undefined && index === 1) process.kill((await started.promise).pid, "SIGKILL");
    },
  });
  await provider.server.listen();
  const running = place.start(provider.server.baseUrl, GO, killAt === undefined ? {} : { killAt });
  started.resolve(running);
  const ended = await running.ended;
  await provider.close();
  assert.deepEqual([ended.signal, ended.stdout], ["SIGKILL", ""], ended.stderr);
  assert.equal(handlesIn(place).length, left === "nothing" ? 0 : 1);
  assert.equal(runningIn(place).length > 0, left === "a process");
}

/** In a place of its own, of which nothing is left. */
async function livesOn(death: Death, next: (place: Place, provider: EndlessProvider) => Promise<void>): Promise<void> {
  await atMost(async () => {
    const place = new Place();
    const provider = new EndlessProvider(model);
    try {
      await dies(place, death);
      await provider.server.listen();
      await next(place, provider);
      assert.deepEqual(provider.violations(), []);
    } finally {
      await provider.close();
      for (const pid of runningIn(place)) process.kill(pid, "SIGKILL");
      place.remove();
    }
  });
}

const toldIn = (provider: EndlessProvider): readonly string[] =>
  (provider.requests.at(-1)?.body.messages ?? []).filter(({ role }) => role === "tool").map(said);

async function checkKilled(told: readonly string[], place: Place, pid: number | undefined): Promise<void> {
  assert.match(told[1] ?? "", new RegExp(`^p1 runs since .*\\(pid ${pid}\\)`, "u"));
  assert.match(told[2] ?? "", /runs since .* was interrupted since it was started/u);
  assert.match(told[3] ?? "", /has ended: how is not known/u);
  assert.ok(await goesSoon(pid ?? 0));
  assert.ok(effectsIn(place) <= 1, "it was started twice");
}

for (const death of DEATHS)
  test.concurrent(`[E9 X6 G3] kill -9 ${death.name}: the turn goes on, nothing is started twice, what runs is found`, () =>
    assert.doesNotReject(
      livesOn(death, async (place, provider) => {
        const [pid] = runningIn(place);
        const resumed = await place.run(provider.server.baseUrl, RESUME);
        assert.deepEqual([resumed.code, resultOf(resumed).answer], [0, "all done"], resumed.stderr);
        const told = toldIn(provider);
        if (death.left === "a process") {
          assert.match(
            told[0] ?? "",
            death.killAt === undefined ? /^Started as p1/u : /and not again: p1 .* runs since/u,
          );
          return checkKilled(told, place, pid);
        }
        assert.match(told[0] ?? "", death.left === "nothing" ? /It was not started again/u : /nothing of it runs/u);
        assert.doesNotMatch(told[1] ?? "", /runs since/u);
        assert.equal(effectsIn(place), 0);
      }),
    ));

const TOLD = DEATHS.at(-1) ?? { name: "", left: "nothing" };

test.concurrent("[E9 X6] kill -9 while it runs, and a new message instead of going on: it is found, polled and killed", () =>
  assert.doesNotReject(
    livesOn(TOLD, async (place, provider) => {
      const [pid] = runningIn(place);
      const followed = await place.run(provider.server.baseUrl, FOLLOW);
      assert.deepEqual([followed.code, resultOf(followed).answer], [0, "all done"], followed.stderr);
      await checkKilled(toldIn(provider), place, pid);
    }),
  ));

test.concurrent("[E9] what ended while no program ran is told with the next message, once", () =>
  assert.doesNotReject(
    livesOn(TOLD, async (place, provider) => {
      const [pid = 0] = runningIn(place);
      process.kill(pid, "SIGKILL");
      assert.ok(await goesSoon(pid));
      const NEWS = /The background process p1 \(echo ran .*?\) has ended: how is not known/gu;
      for (let message = 1; message <= 2; message++) {
        const followed = await place.run(provider.server.baseUrl, FOLLOW);
        assert.deepEqual([followed.code, resultOf(followed).answer], [0, "all done"], followed.stderr);
        const text = JSON.stringify(provider.requests.at(-1)?.body.messages);
        assert.equal(text.match(NEWS)?.length, 1, text);
      }
      assert.ok(effectsIn(place) <= 1, "it was started twice");
    }),
  ));
