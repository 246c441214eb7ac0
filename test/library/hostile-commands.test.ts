import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { builtInTools } from "../../src/tools/built-in.ts";
import { type ProcessDesk, processDesk } from "../../src/tools/processes/desk.ts";
import { bench, type Bench } from "../support/agent-in-folder.ts";
import { goesSoon } from "../support/gone.ts";
import { callTools, say } from "../support/wire-script.ts";

let cwd = "";
let desk: ProcessDesk;

beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), "evander-hostile-"));
  desk = processDesk({ folder: join(cwd, "processes"), most: 4 });
});

afterEach(async () => {
  await desk.close();
  rmSync(cwd, { recursive: true, force: true });
});

const options = (): object => ({
  tools: builtInTools({ cwd, home: cwd, env: process.env, processes: desk }),
  approvals: "all",
});

const command = (line: string, more: object = {}): ReturnType<typeof callTools> =>
  callTools([{ id: "c", name: "terminal", arguments: { command: line, ...more } }]);

const lastResult = (on: Bench): string => String(on.provider.requests.at(-1)?.body.messages.at(-1)?.content);

test.each([
  // On a busy machine it takes its time to write so much.
  ["prints 1 GB", "head -c 1000000000 /dev/zero | tr '\\0' x", /it wrote too much output/u, 50],
  ["dies", "kill -9 $$", /^Killed by SIGKILL/u, 50],
  [
    "forks 100 children and leaves them",
    "for i in $(seq 100); do (sleep 1000 >/dev/null 2>&1 &) ; done",
    /background/iu,
    2,
  ],
  ["hangs and ignores the signal", "trap '' TERM; while :; do sleep 0.1; done", /the timeout was reached/u, 2],
] as const)("[E9] [B15] a command that %s never takes the turn with it", async (_what, line, told, limit) => {
  await using on = await bench(command(line, { timeout_s: limit }), say("Done."));
  const result = await on.agent(options()).run("go");
  expect(result).toMatchObject({ exit: { reason: "text_response" }, answer: "Done." });
  expect(lastResult(on)).toMatch(told);
});

test("[X6] a background start survives its turn, is told when it ends, and a crash behind it never repeats it", async () => {
  await using on = await bench(command("echo up; exec sleep 1000", { background: true }), say("Started."));
  const bot = on.agent(options());
  expect((await bot.run("go", { sessionId: "s" })).answer).toBe("Started.");
  const pid = Number(/pid (\d+)/u.exec(lastResult(on))?.[1]);
  process.kill(pid, 0);
  const start = on.facts().find((fact) => fact.type === "segment-start");
  expect(start).toMatchObject({ effect: "resumable" });
  process.kill(pid, "SIGKILL");
  expect(await goesSoon(pid)).toBe(true);
  const [process_] = (await desk.open()).of("s");
  await process_?.wait(60_000, new AbortController().signal);
  on.provider.script(say("I know."));
  await bot.run("and now?", { sessionId: "s" });
  expect((await desk.open()).resume({ ...process_?.handle, sessionId: "s", callId: "c" })).toMatchObject({
    type: "found",
  });
});
