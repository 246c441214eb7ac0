import assert from "node:assert/strict";
import { test } from "vitest";
import type { OpenAiMessage } from "../../src/protocol/openai.ts";
import type { TurnResult } from "../../src/protocol/result.ts";
import { EndlessProvider } from "../support/endless-provider.ts";
import { goesSoon } from "../support/gone.ts";
import { said } from "../support/said.ts";
import { callTools, delta, PAUSE, replyFrames, say, type Step, stream } from "../support/wire-script.ts";
import { atMost } from "./at-most.ts";
import { Place, resultOf } from "./program.ts";

const GO = ["-p", "go", "--approve", "all", "--output", "jsonl"];
const FOLLOW = ["-p", "continue", "--resume", "last", "--output", "json"];

/** A model that begins with `first`, ends after tools, and answers when it is asked to continue. */
async function withModel(first: Step, use: (provider: EndlessProvider, place: Place) => Promise<void>): Promise<void> {
  await atMost(async () => {
    const place = new Place();
    const provider = new EndlessProvider(({ body }) => {
      const last = body.messages.at(-1);
      if (last?.role === "tool") return say("done");
      return said(last) === "continue" ? say("went on") : first;
    });
    try {
      await provider.server.listen();
      await use(provider, place);
      assert.deepEqual(provider.violations(), []);
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
