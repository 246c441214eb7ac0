import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import type { Tool } from "../../src/index.ts";
import { builtInTools } from "../../src/tools/built-in.ts";
import { bench, type Bench } from "../support/agent-in-folder.ts";
import { callTools, say } from "../support/wire-script.ts";

const cwd = mkdtempSync(join(tmpdir(), "evander-terminal-"));
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

const tools = (): Tool[] => builtInTools({ cwd, home: cwd, env: process.env });

/** Whoever waits for one of these commands waits for 30 s, or for somebody who never comes. */
const HANGS_MS = 25_000;

/** What the model is told of one command, and how long the turn took, ms. */
async function told(on: Bench, command: string): Promise<{ readonly text: string; readonly ms: number }> {
  on.provider.script(callTools([{ id: "c", name: "terminal", arguments: { command } }]), say("Done."));
  const { durationMs } = await on.agent({ tools: tools(), approvals: "all" }).run("go");
  return { text: String(on.provider.requests.at(-1)?.body.messages.at(-1)?.content), ms: durationMs };
}

test("[EXEC-01] a command ends when its own shell ends, whatever keeps its output open", async () => {
  await using on = await bench();
  const script =
    "require('child_process').spawn('sleep', ['30'], { stdio: 'inherit' }).unref(); console.log('started')";
  const { text, ms } = await told(on, `"${process.execPath}" -e "${script}"`);
  expect(text).toContain("started");
  expect(ms).toBeLessThan(HANGS_MS);
});

test.each(["sleep 30 & echo started", "setsid sleep 30 & echo started", "nohup sleep 30 & sleep 1; echo up"])(
  "[EXEC-01] a background command is not begun, and the model is told what to do instead: %s",
  async (command) => {
    await using on = await bench();
    const { text, ms } = await told(on, command);
    expect(text).toMatch(/background/i);
    expect(ms).toBeLessThan(HANGS_MS);
  },
);

test("[EXEC-03] a stop ends the command before the turn ends, and says that it was cut short", async () => {
  await using on = await bench(
    callTools([{ id: "c", name: "terminal", arguments: { command: "echo $$; exec sleep 60" } }]),
    say("Next."),
  );
  const bot = on.agent({ tools: tools(), approvals: "all" });
  const lane = await bot.sessions.lane("s");
  const turn = lane.run("go");
  let output = "";
  for await (const event of turn) {
    if (event.type !== "tool-output-delta") continue;
    output += event.text;
    await lane.interrupt("user");
  }
  expect((await turn.result).exit.reason).toBe("interrupted_by_user");
  expect(output).toMatch(/^\d+\n/);
  expect(() => process.kill(Number(output), 0)).toThrow("ESRCH");
  expect((await bot.run("go on", { sessionId: "s" })).answer).toBe("Next.");
  expect(bot.store.history("s")?.[2]).toMatchObject({ role: "tool", status: "interrupted" });
});

test.each(["read x </dev/tty", "cat", "git commit", "python3 -c 'input()'", "sudo -k true"])(
  "[EXEC-08] a command that asks a person ends quickly: %s",
  async (command) => {
    await using on = await bench();
    expect((await told(on, command)).ms).toBeLessThan(HANGS_MS);
  },
);

test.each([
  ["none", []],
  ["one", [{ name: "quiet" }]],
])("[E10] the first command that only reads runs unasked, beside %s hook", async (_count, hooks) => {
  await using on = await bench(
    callTools([{ id: "c", name: "terminal", arguments: { command: "echo read" } }]),
    say("Done."),
  );
  await on.agent({ tools: tools(), hooks, approvals: "never" }).run("go");
  expect(on.provider.requests.at(-1)?.body.messages.at(-1)?.content).toMatch(/^Exit code 0 /u);
});
