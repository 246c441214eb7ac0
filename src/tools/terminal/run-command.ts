import { spawn, type ChildProcess } from "node:child_process";
import { existsSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { KeptOutput } from "./kept-output.ts";
import { TerminalText } from "./terminal-text.ts";

export interface CommandRun {
  readonly command: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly onOutput: (text: string) => void;
}

export interface CommandEnd {
  /** `unknown`: killed, and still not gone. */
  readonly type: "exited" | "timeout" | "interrupted" | "flooded" | "unknown";
  readonly code: number | null;
  readonly killedBy: string | null;
  readonly output: string;
  readonly ms: number;
}

/** Between SIGTERM and SIGKILL; shorter than a turn waits for an interrupted tool. */
const GRACE_MS = 1_000;
/** For what a finished command left running. */
const LEFTOVER_GRACE_MS = 200;
/** A process that leaves its group can hold the pipe; nobody waits longer for it. */
const DRAIN_MS = 300;
const GIVE_UP_MS = 2_000;
const POLL_MS = 10;
/** Bytes after which a command is stopped: nobody reads that much. */
const FLOOD = 100 * 1024 * 1024;
/** Characters shown while the command runs. */
const SHOWN = 1_000_000;

const BASH = ["/bin/bash", "/usr/bin/bash", "/usr/local/bin/bash", "/opt/homebrew/bin/bash"].find((path) =>
  existsSync(path),
);
const SHELL: readonly string[] = BASH === undefined ? ["/bin/sh"] : [BASH, "--noprofile", "--norc"];

/**
 * Runs a shell command in a process group of its own, without input, and leaves nothing of that group behind: at the
 * end, the timeout or an abort the group gets SIGTERM and, shortly after, SIGKILL. A process that made itself a group
 * of its own is not found. Rejects only when the shell cannot be started.
 */
export async function runCommand(run: CommandRun): Promise<CommandEnd> {
  const started = performance.now();
  const flood = new AbortController();
  const timeout = AbortSignal.timeout(run.timeoutMs);
  const stop = AbortSignal.any([run.signal, timeout, flood.signal]);
  const child = start(run);
  const output = collect(child, run.onOutput, () => flood.abort());
  const exit = await exitOf(child, stop);
  if (child.pid !== undefined) await endGroup(child.pid, LEFTOVER_GRACE_MS);
  await output.drained();
  const type = endType(exit.type, {
    interrupted: run.signal.aborted,
    flooded: flood.signal.aborted,
    stopped: stop.aborted,
  });
  return { ...exit, type, output: output.text(), ms: performance.now() - started };
}

function start(run: CommandRun): ChildProcess {
  // One pipe for both streams keeps their order; the shell that joins them is replaced by the one that runs.
  const joined = ["-c", 'exec "$@" 2>&1', "sh", ...SHELL, "-c", run.command];
  return spawn("/bin/sh", joined, { cwd: run.cwd, env: run.env, detached: true, stdio: ["ignore", "pipe", "ignore"] });
}

type Exit = Pick<CommandEnd, "code" | "killedBy"> & { readonly type: "exited" | "unknown" };

async function exitOf(child: ChildProcess, stop: AbortSignal): Promise<Exit> {
  const { promise, resolve, reject } = Promise.withResolvers<Exit>();
  child.once("error", reject);
  child.once("exit", (code, killedBy) => resolve({ type: "exited", code, killedBy }));
  const giveUp = async (): Promise<void> => {
    if (child.pid === undefined) return;
    await endGroup(child.pid, GRACE_MS);
    await delay(GIVE_UP_MS, undefined, { ref: false });
    resolve({ type: "unknown", code: null, killedBy: null });
  };
  const onStop = (): void => {
    giveUp().catch(reject);
  };
  if (stop.aborted) onStop();
  stop.addEventListener("abort", onStop, { once: true });
  try {
    return await promise;
  } finally {
    stop.removeEventListener("abort", onStop);
  }
}

function endType(
  exit: Exit["type"],
  why: { readonly interrupted: boolean; readonly flooded: boolean; readonly stopped: boolean },
): CommandEnd["type"] {
  if (exit === "unknown" || !why.stopped) return exit;
  if (why.interrupted) return "interrupted";
  return why.flooded ? "flooded" : "timeout";
}

/** Resolves when nothing of the group is left, or it was sent SIGKILL. */
async function endGroup(pid: number, graceMs: number): Promise<void> {
  if (!signalGroup(pid, "SIGTERM")) return;
  const deadline = performance.now() + graceMs;
  while (performance.now() < deadline) {
    await delay(POLL_MS);
    if (!signalGroup(pid, 0)) return;
  }
  signalGroup(pid, "SIGKILL");
}

/** False when there is no such group any more. */
function signalGroup(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(-pid, signal);
    return true;
  } catch {
    return false;
  }
}

interface Collected {
  /** Resolves when the pipe is closed, or nobody waits for it any more. */
  drained(): Promise<void>;
  text(): string;
}

function collect(child: ChildProcess, onOutput: (text: string) => void, onFlood: () => void): Collected {
  const kept = new KeptOutput();
  const plain = new TerminalText();
  const decoder = new TextDecoder();
  let bytes = 0;
  let shown = 0;
  const take = (text: string): void => {
    kept.push(text);
    if (text !== "" && shown < SHOWN) onOutput(text);
    if (shown < SHOWN && shown + text.length >= SHOWN) onOutput("\n[further output is not shown here]\n");
    shown += text.length;
  };
  child.stdout?.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > FLOOD) onFlood();
    else take(plain.push(decoder.decode(chunk, { stream: true })));
  });
  const closed = new Promise<void>((resolve) => {
    child.stdout?.once("close", resolve);
  });
  return {
    drained: async () => {
      await Promise.race([closed, delay(DRAIN_MS)]);
      child.stdout?.destroy();
      take(plain.push(decoder.decode()) + plain.end());
    },
    text: () => kept.text(),
  };
}
