import assert from "node:assert/strict";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "vitest";
import type { OpenAiMessage } from "../../src/protocol/openai.ts";
import type { TurnResult } from "../../src/protocol/result.ts";
import { EndlessProvider } from "../support/endless-provider.ts";
import { goesSoon } from "../support/gone.ts";
import { said } from "../support/said.ts";
import { assertSound } from "../support/sound.ts";
import { callTools, delta, PAUSE, refuse, replyFrames, say, type Step, stream } from "../support/wire-script.ts";
import { atMost } from "./at-most.ts";
import { Place, resultOf } from "./program.ts";

const GO = ["-p", "go", "--approve", "all", "--output", "jsonl"];
const FOLLOW = ["-p", "continue", "--resume", "last", "--output", "json"];

/** A model that begins with `first`, ends after tools, and answers when it is asked to continue. */
async function withModel(
  first: Step,
  use: (provider: EndlessProvider, place: Place) => Promise<void>,
  behindTools: Step = say("done"),
): Promise<void> {
  await atMost(async () => {
    const place = new Place();
    const provider = new EndlessProvider(({ body }) => {
      const last = body.messages.at(-1);
      if (String(body.messages[0]?.content).startsWith("You are a child agent")) return halfAnAnswer;
      if (last?.role === "tool") return behindTools;
      return said(last).endsWith("continue") ? say("went on") : first;
    });
    try {
      await provider.server.listen();
      await use(provider, place);
      assert.deepEqual(provider.violations(), []);
      assertSound(join(place.home, "evander.db"), { idle: true, ended: true });
    } finally {
      await provider.close();
      place.remove();
    }
  });
}

const lastLine = (stdout: string): TurnResult => JSON.parse(stdout.trimEnd().split("\n").at(-1) ?? "") as TurnResult;

async function stored(place: Place): Promise<readonly OpenAiMessage[]> {
  const { stdout } = await place.run(undefined, ["session", "show", "last", "--json"]);
  return (JSON.parse(stdout) as { messages: readonly OpenAiMessage[] }).messages;
}

/** The history is legal: the next turn is answered, and the provider polices what it was sent. */
async function checkNextTurn(provider: EndlessProvider, place: Place): Promise<void> {
  const followed = await place.run(provider.server.baseUrl, FOLLOW);
  assert.equal(resultOf(followed).answer, "went on", followed.stderr);
}

const halfAnAnswer = stream([
  ...replyFrames({ text: "half", finish: null, usage: null, done: false }),
  PAUSE,
  delta({ content: "!" }),
  delta({}, "stop"),
]);
const SIGNALS = [
  { signal: "SIGINT", code: 130 },
  { signal: "SIGTERM", code: 143 },
] as const;

for (const { signal, code } of SIGNALS)
  test.concurrent(`[B5 B15 J1] ${signal} in mid-stream: exit ${code}, and the text that had come is kept`, async () => {
    await withModel(halfAnAnswer, async (provider, place) => {
      const running = place.start(provider.server.baseUrl, GO);
      await running.shows('"half"');
      process.kill(running.pid, signal);
      const ended = await running.ended;
      const result = lastLine(ended.stdout);
      assert.deepEqual([ended.code, result.answer, result.interrupted], [code, "half", true], ended.stderr);
      assert.deepEqual((await stored(place)).at(-1), { role: "assistant", content: "half" });
      await checkNextTurn(provider, place);
    });
  });

for (const { signal, code } of SIGNALS)
  test.concurrent(`[B5 B6 B7 J1] ${signal} in mid-tool: exit ${code}, the command is gone, its call is answered`, async () => {
    // No digit of the process number may be taken for it: the line is whole when its end has come.
    const command = "echo my-$$-pid; exec sleep 60";
    await withModel(callTools([{ id: "t1", name: "terminal", arguments: { command } }]), async (provider, place) => {
      const running = place.start(provider.server.baseUrl, GO);
      await running.shows("-pid\\n");
      process.kill(running.pid, signal);
      const ended = await running.ended;
      const result = lastLine(ended.stdout);
      assert.deepEqual([ended.code, result.exit.reason], [code, "interrupted_by_user"], ended.stderr);
      const pid = Number(/my-(\d+)-pid/.exec(ended.stdout)?.[1]);
      assert.ok(await goesSoon(pid), "the command still runs");
      assert.deepEqual(
        (await stored(place)).map((message) => message.role),
        ["user", "assistant", "tool", "assistant"],
      );
      await checkNextTurn(provider, place);
    });
  });

/** A command that goes on when it is asked to end, and says its number. */
const STUBBORN = "trap '' TERM; echo my-$$-pid; while :; do sleep 0.2; done";
const terminal = (command: string, id = "t1"): Step => callTools([{ id, name: "terminal", arguments: { command } }]);
const BUSY = refuse(503, { error: { message: "busy" } });
const SLOW = ["--config", "retry.baseMs=30000", "--config", "retry.maxMs=60000"];

/** A tool of one's own that hears of no stop: three of them run side by side. */
function addDeafTool({ home }: Place): void {
  mkdirSync(join(home, "tools"), { recursive: true });
  const tool = `{ name: "deaf", description: "Waits.", effect: "pure", concurrency: "shared",
    parameters: { type: "object", properties: { n: { type: "string" } } }, run: (_, { output }) => new Promise(() => { output("is-deaf\\n"); setInterval(() => {}, 1e6); }) }`;
  writeFileSync(join(home, "tools", "deaf.mjs"), `export const tools = [${tool}];\n`);
}

interface Busy {
  readonly state: string;
  readonly first: Step;
  /** It takes its time to end: a second signal can come before it has. */
  readonly stubborn?: true;
  /** What it shows when it is there; absent: the model has fallen silent. */
  readonly shown?: string;
}

/** What a turn is at when a signal comes, beside what stands above. */
const STATES: readonly Busy[] = [
  { state: "before the first byte", first: stream([PAUSE, ...say("late").frames]) },
  { state: "while a retry is waited for", first: BUSY, shown: '"retry-scheduled"' },
  { state: "in a command that ignores SIGTERM", first: terminal(STUBBORN), shown: "-pid\\n", stubborn: true },
  {
    state: "in three tools that hear of no stop",
    first: callTools(["d1", "d2", "d3"].map((id) => ({ id, name: "deaf", arguments: { n: id } }))),
    shown: "is-deaf",
    stubborn: true,
  },
  {
    state: "in a child agent",
    first: callTools([{ id: "c1", name: "delegate_task", arguments: { goal: "go" } }]),
  },
];

/** How signals come one after the other; the first one says how it ends. */
const VOLLEYS = [
  { signals: ["SIGINT"], code: 130 },
  { signals: ["SIGTERM"], code: 143 },
  { signals: ["SIGTERM", "SIGTERM"], code: 143 },
  { signals: ["SIGTERM", "SIGINT"], code: 143 },
] as const;

for (const { state, first, shown, stubborn } of STATES)
  for (const { signals, code } of VOLLEYS) {
    const [signal, again] = signals;
    if (again !== undefined && stubborn !== true) continue;
    test.concurrent(`[B5 B7 B15 J1] ${signals.join(", then ")} ${state}: exit ${code}, nothing goes on, and the next turn is legal`, async () => {
      await withModel(first, async (provider, place) => {
        addDeafTool(place);
        const running = place.start(provider.server.baseUrl, [...GO, ...SLOW]);
        await (shown === undefined ? provider.server.paused() : running.shows(shown));
        process.kill(running.pid, signal);
        if (again !== undefined) {
          await running.shows('"interrupt-requested"');
          process.kill(running.pid, again);
        }
        const ended = await running.ended;
        assert.deepEqual([ended.code, lastLine(ended.stdout).interrupted], [code, true], ended.stderr);
        const pid = /my-(\d+)-pid/.exec(ended.stdout)?.[1];
        if (pid !== undefined) assert.ok(await goesSoon(Number(pid)), "the command still runs");
        provider.server.release();
        await checkNextTurn(provider, place);
      });
    });
  }

for (const { signal, code } of SIGNALS)
  test.concurrent(`[E10 J1] ${signal} when a turn is taken up that was parked: exit ${code}, and its call never runs`, async () => {
    await withModel(
      terminal("echo ran > effect"),
      async (provider, place) => {
        const parked = await place.run(provider.server.baseUrl, ["-p", "go", "--approve", "park", "--output", "json"]);
        assert.equal(parked.code, 30, parked.stderr);
        const [waits] = resultOf(parked).waitingFor;
        assert.equal((await place.run(undefined, ["approve", "no", waits?.approvalId ?? ""])).code, 0);
        const running = place.start(provider.server.baseUrl, [
          "session",
          "resume",
          "last",
          "--continue",
          "--output",
          "jsonl",
        ]);
        await running.shows('"half"');
        process.kill(running.pid, signal);
        const ended = await running.ended;
        assert.deepEqual([ended.code, lastLine(ended.stdout).answer], [code, "half"], ended.stderr);
        assert.equal(existsSync(join(place.work, "effect")), false);
        await checkNextTurn(provider, place);
      },
      halfAnAnswer,
    );
  });

test.concurrent("[G3] a second process on one session is told so (exit 75) and disturbs nothing", async () => {
  await withModel(halfAnAnswer, async (provider, place) => {
    const first = place.start(provider.server.baseUrl, GO);
    await first.shows('"half"');
    const second = await place.run(provider.server.baseUrl, FOLLOW);
    const refused = resultOf(second);
    assert.deepEqual([second.code, refused.exit.reason], [75, "session_busy"], second.stderr);
    assert.match(refused.error?.message ?? "", new RegExp(`process ${first.pid}`));
    provider.server.release();
    const ended = await first.ended;
    assert.deepEqual([ended.code, lastLine(ended.stdout).answer], [0, "half!"]);
    await checkNextTurn(provider, place);
  });
});

test.concurrent("[A2] whoever reads our output may leave: the turn goes on to its end", async () => {
  await withModel(halfAnAnswer, async (provider, place) => {
    const running = place.start(provider.server.baseUrl, GO);
    await running.shows('"half"');
    running.child.stdout?.destroy();
    provider.server.release();
    const ended = await running.ended;
    assert.deepEqual([ended.code, ended.stderr], [0, ""]);
    assert.deepEqual((await stored(place)).at(-1), { role: "assistant", content: "half!" });
  });
});

test.concurrent("[E2] eight calls run at once, and are answered in the order asked", async () => {
  const ids = Array.from({ length: 8 }, (_, n) => `s${n}`);
  const calls = ids.map((id) => ({ id, name: "search_files", arguments: { pattern: id, path: "." } }));
  await withModel(callTools(calls), async (provider, place) => {
    const ended = await place.run(provider.server.baseUrl, GO);
    assert.deepEqual([ended.code, lastLine(ended.stdout).answer], [0, "done"], ended.stderr);
    const segment = ended.stdout.split("\n").find((line) => line.includes('"segment-start"')) ?? "";
    assert.deepEqual((JSON.parse(segment) as { callIds: string[] }).callIds, ids);
    const receipts = provider.requests.at(-1)?.body.messages.filter((message) => message.role === "tool");
    assert.deepEqual(
      receipts?.map((message) => message.tool_call_id),
      ids,
    );
  });
});
