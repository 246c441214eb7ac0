import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { goesSoon } from "../../../test/support/gone.ts";
import type { ToolCallPart } from "../../protocol/message.ts";
import type { ToolContext } from "../../protocol/tool.ts";
import { builtInTools } from "../built-in.ts";
import { launch } from "../terminal/launch.ts";
import { USUAL_LIMITS } from "../terminal/limits.ts";
import { createToolbox, type Toolbox } from "../toolbox.ts";
import { type ProcessDesk, processDesk } from "./desk.ts";
import { backgroundRows } from "./rows.ts";

let base = "";
let folder = "";
let desk: ProcessDesk;
let toolbox: Toolbox;
let calls = 0;

const open = (most = 4): void => {
  desk = processDesk({ folder, most, cleaner: () => Promise.resolve((text) => text.replaceAll("SECRET-KEY", "***")) });
  toolbox = createToolbox(builtInTools({ cwd: base, home: base, env: process.env, processes: desk }));
};

beforeEach(() => {
  base = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), "evander-processes-")));
  folder = join(base, "state", "processes");
  open();
});

afterEach(async () => {
  await desk.close();
  fs.rmSync(base, { recursive: true, force: true });
});

/** As a person would let it run. */
async function call(name: string, input: object, more: Partial<ToolContext> = {}): Promise<string> {
  const part: ToolCallPart = { type: "tool-call", callId: `c${calls++}`, name, input: JSON.stringify(input) };
  await toolbox.port.ready?.();
  const { ask, plan, refuse } = toolbox.port.inspect(part);
  if (refuse !== undefined) throw new Error(refuse);
  const allowed = { ...(ask !== undefined && { approved: ask }), ...(plan && { approvedPlan: plan.digest }) };
  const own = { callId: part.callId, sessionId: "s", turnId: "t", history: [], output: () => undefined };
  const signal = new AbortController().signal;
  return (await toolbox.port.run(part, { ...own, signal, ...allowed, ...more })).text;
}

const start = (command: string, more: object = {}): Promise<string> =>
  call("terminal", { command, background: true, ...more });
const look = (action: string, more: object = {}): Promise<string> => call("process", { action, id: "p1", ...more });

/** Asks until it has said what is waited for. */
async function until(words: RegExp, ask: () => Promise<string>): Promise<string> {
  let all = await ask();
  while (!words.test(all)) {
    await setImmediate();
    all += await ask();
  }
  return all;
}

const pidIn = (text: string): number => Number(/pid (\d+)/u.exec(text)?.[1]);

describe("a background process", () => {
  test("[E9] is started, polled, listed, written to, waited for and killed", async () => {
    const started = await start("echo one; read line; echo got $line; exec sleep 1000");
    expect(started).toMatch(/^Started as p1 \(pid \d+\)\./u);
    expect(await until(/one/u, () => look("poll"))).toMatch(/^p1 \(echo one; .*\) runs since [\d.]+ s \(pid \d+\)\./u);
    expect(await look("poll")).toContain("(no new output)");
    expect(await look("list")).toMatch(/^p1 runs since .*: echo one; read line/u);
    expect(await look("write", { text: "two\n" })).toMatch(/^Written to p1/u);
    await until(/got two/u, () => look("poll"));
    expect(await look("wait", { timeout_s: 0 })).toContain("runs since");
    expect(await look("log")).toContain("Characters 0 to 12 of 12:\none\ngot two\n");
    expect(await look("log", { offset: 4, limit: 3 })).toContain("Characters 4 to 7 of 12:\ngot");
    expect(backgroundRows(folder)).toMatchObject([{ id: "p1", sessionId: "s", isRunning: true, owner: process.pid }]);
    expect(await look("kill")).toMatch(/has ended: killed by SIG(?:TERM|KILL) after/u);
    expect(await goesSoon(pidIn(started))).toBe(true);
    await expect(look("write", { text: "x" })).rejects.toThrow("takes no input");
    await expect(look("poll", { id: "p7" })).rejects.toThrow("There is no background process p7 in this session. p1");
  });

  test("[E9] [limit-004] ends with its session, also what left its group, and is listed until then", async () => {
    const started = await start("setsid sleep 1000 </dev/null >/dev/null 2>&1 & echo $!", {}).catch(String);
    expect(started).toContain("Background commands");
    fs.writeFileSync(join(base, "away.sh"), "setsid sleep 1000 </dev/null >/dev/null 2>&1 & echo away $!\n");
    await start("bash away.sh");
    const away = Number(/away (\d+)/u.exec(await until(/away \d+\n/u, () => look("poll")))?.[1]);
    expect(await look("poll")).toContain("runs since");
    await desk.leave("s");
    expect(await goesSoon(away)).toBe(true);
    expect(fs.existsSync(folder)).toBe(false);
    expect(await look("list")).toBe("No background process was started in this session.");
  });

  test("[E9] that ends is told once: with the next result or message, unless somebody has asked", async () => {
    await start("exit 3");
    await look("wait", { id: "p1" });
    expect(await desk.take("s", "result")).toEqual([]);
    await start("exit 4");
    const [process] = (await desk.open()).of("s").slice(-1);
    await process?.wait(60_000, new AbortController().signal);
    const told = await desk.take("s", "result");
    expect(told).toEqual([
      expect.stringMatching(/^The background process p2 \(exit 4\) has ended: exit code 4 after/u),
    ]);
    expect(await desk.take("s", "message")).toEqual([]);
  });

  test("[E9] no more run at once than is allowed, and other sessions do not see them", async () => {
    await desk.close();
    open(1);
    await start("sleep 1000");
    await expect(start("sleep 1001")).rejects.toThrow("1 background processes of this session run already");
    await call("terminal", { command: "sleep 1000", background: true }, { sessionId: "other" });
    expect(await call("process", { action: "list" }, { sessionId: "third" })).toContain("No background process");
    await look("kill");
    await start("sleep 1001");
    expect(await call("process", { action: "list" })).toMatch(/^p1 has ended.*\np2 runs/u);
  });

  test("[E9] keeps the last 200,000 characters of its output, in memory and in its file, without keys", async () => {
    await start(
      `"${process.execPath}" -e 'console.log("SECRET-KEY"); for (let i = 0; i < 100000; i++) console.log("line " + i)'`,
    );
    await look("wait", { timeout_s: 600 });
    const [process_] = (await desk.open()).of("s");
    await process_?.log.settled();
    const { from, text } = process_?.log.since(0) ?? { from: 0, text: "" };
    expect(text.length).toBe(200_000);
    expect(text.endsWith("line 99999\n")).toBe(true);
    expect(from + text.length).toBe(4 + 1_088_890);
    const [file = ""] = fs.readdirSync(folder).filter((name) => name.endsWith(".log"));
    const kept = fs.readFileSync(join(folder, file), "utf8");
    expect(kept.length).toBeLessThanOrEqual(400_000);
    expect(kept.endsWith(text.slice(-150_000))).toBe(true);
    expect(fs.statSync(join(folder, file)).mode & 0o077).toBe(0);
    await start("echo SECRET-KEY");
    expect(await look("wait", { id: "p2" })).toContain("\n***\n");
  });
});

describe("trouble", () => {
  test("[E9] no shell reads the settings of its user, whatever its input is", async () => {
    fs.writeFileSync(join(base, ".bashrc"), "touch read\n");
    const env = { PATH: process.env["PATH"] ?? "", HOME: base };
    const what = { file: "/bin/sh", args: ["-c", "exit 0"], cwd: base, env, input: true };
    await (
      await launch(what, USUAL_LIMITS)
    ).exit;
    expect(fs.existsSync(join(base, "read"))).toBe(false);
  });

  test("[E9] where no start can be written down nothing is started, and the sentence names the folder", async () => {
    fs.mkdirSync(join(base, "state"));
    fs.writeFileSync(folder, "in the way");
    await expect(start("touch ran; sleep 1000")).rejects.toThrow(
      `The command was not started: nothing can be written in ${folder} (`,
    );
    expect(fs.existsSync(join(base, "ran"))).toBe(false);
    expect(await look("list")).toBe("No background process was started in this session.");
  });

  test("[E9] notes that are broken, or of another start of the machine, are of nothing that runs", async () => {
    await start("exec sleep 1000");
    const [name = ""] = fs.readdirSync(folder).filter((file) => file.endsWith(".json"));
    const handle = JSON.parse(fs.readFileSync(join(folder, name), "utf8")) as object;
    const first = desk;
    open();
    fs.writeFileSync(join(folder, name), JSON.stringify({ ...handle, boot: "another", pid: process.pid }));
    fs.writeFileSync(join(folder, "broken.json"), "{");
    expect(await look("list")).toMatch(/^p1 has ended: how is not known[^\n]*$/u);
    await first.close();
  });
});

describe("safety", () => {
  test("[E10] what is written to a process asks a person each time; the rest asks nobody", async () => {
    await toolbox.port.ready?.();
    const inspect = (input: object): ReturnType<Toolbox["port"]["inspect"]> =>
      toolbox.port.inspect({ type: "tool-call", callId: "c", name: "process", input: JSON.stringify(input) });
    expect(inspect({ action: "write", id: "p1", text: "rm -rf /\n" })).toMatchObject({
      effect: "effect",
      ask: expect.stringContaining("may be a command for it"),
      plan: { shown: [String.raw`Written to the background process p1: "rm -rf /\n"`] },
    });
    for (const action of ["list", "poll", "log", "wait"]) expect(inspect({ action, id: "p1" }).ask).toBeUndefined();
    expect(inspect({ action: "poll", id: "p1" }).effect).toBe("pure");
    expect(inspect({ action: "kill", id: "p1" }).effect).toBe("idempotent");
  });

  test("[X6] a start is judged as any command, and is found again instead of being repeated", async () => {
    await toolbox.port.ready?.();
    const inspect = (input: object): ReturnType<Toolbox["port"]["inspect"]> =>
      toolbox.port.inspect({ type: "tool-call", callId: "c", name: "terminal", input: JSON.stringify(input) });
    expect(inspect({ command: "sleep 5", background: true }).effect).toBe("resumable");
    expect(inspect({ command: "sleep 5" }).effect).toBe("effect");
    expect(inspect({ command: "rm -rf x", background: true }).ask).toBeDefined();
    expect(inspect({ command: "rm -rf /", background: true }).refuse).toBe(inspect({ command: "rm -rf /" }).refuse);
  });

  test("[X6] a call that a dead process had started is told what became of it; nothing is started", async () => {
    const call_ = { callId: "again", sessionId: "s", turnId: "t", iteration: 1 };
    const input = { command: "echo ran >>ran; exec sleep 1000", background: true };
    const resumed = { ...call_, resumed: true } as const;
    expect(await call("terminal", input, resumed)).toContain("It was not started again.");
    expect(fs.existsSync(join(base, "ran"))).toBe(false);
    const pid = pidIn(await call("terminal", input, call_));
    // As SIGKILL leaves it: the process goes on, and its handle names an owner that is gone.
    const [name = ""] = fs.readdirSync(folder).filter((file) => file.endsWith(".json"));
    const handle = JSON.parse(fs.readFileSync(join(folder, name), "utf8")) as object;
    const { pid: _pid, ...cutOff } = { pid, ...handle, owner: { pid: 1, startTicks: 1 } };
    fs.writeFileSync(join(folder, name), JSON.stringify(cutOff));
    const first = desk;
    open();
    expect(await call("terminal", input, resumed)).toContain(
      `not again: p1 (echo ran >>ran; exec sleep 1000) runs since`,
    );
    expect(await look("poll")).toContain(`(pid ${pid})`);
    expect(await look("kill")).toContain("has ended: how is not known");
    expect(await goesSoon(pid)).toBe(true);
    await first.close();
  });
});
