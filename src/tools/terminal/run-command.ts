import { setTimeout as delay } from "node:timers/promises";
import { KeptOutput } from "./kept-output.ts";
import { type Ended, type Launch, launch, type Launched } from "./launch.ts";
import type { Limits } from "./limits.ts";
import { endTree, lookFor, type Member, startTicksOf, type Tree } from "./process-tree.ts";
import { TerminalText } from "./terminal-text.ts";

export interface CommandRun {
  readonly launch: Launch;
  readonly limits: Limits;
  /** In the environment of what is launched; see Tree. */
  readonly marker: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly onOutput: (text: string) => void;
  /** Ends what it started on another machine. It must not reject, and comes back soon. */
  readonly endElsewhere?: (() => Promise<void>) | undefined;
}

export interface CommandEnd extends Ended {
  /** `unknown`: killed, and still not gone. */
  readonly type: "exited" | "timeout" | "interrupted" | "flooded" | "unknown";
  readonly output: KeptOutput;
  /** Of a program whose streams come apart. */
  readonly errors: KeptOutput;
  /** What still ran when its shell had ended, and was ended then. */
  readonly left: readonly Member[];
  readonly ms: number;
}

/** What a shell leaves behind has this long to come to its end, ms: what it printed last may still be on its way. */
const LEFTOVER_MS = 300;
/** Then it is told to end, and killed after this, ms. */
const LEFTOVER_GRACE_MS = 200;
/** Whoever cannot be found can hold the pipe; nobody waits longer for it, ms. */
const DRAIN_MS = 300;
const LOOK_MS = 10;
/** Bytes after which a command is stopped: nobody reads that much. */
const FLOOD = 100 * 1024 * 1024;
/** Characters of a stream of errors (hermes.md §14.6). */
const ERRORS = 10_000;
/** Characters shown while the command runs. */
const SHOWN = 1_000_000;

/**
 * Runs a command to its end and leaves nothing of it behind: at the timeout, an interrupt or a flood its whole tree gets
 * SIGTERM and, shortly after, SIGKILL; what its shell leaves behind is ended too. Rejects only when it cannot be started.
 */
export async function runCommand(run: CommandRun): Promise<CommandEnd> {
  const started = performance.now();
  const flood = new AbortController();
  const stop = AbortSignal.any([run.signal, AbortSignal.timeout(run.timeoutMs), flood.signal]);
  const launched = await launch(run.launch, run.limits);
  const tree = { pid: launched.pid, startTicks: startTicksOf(launched.pid), marker: run.marker };
  const output = collect(launched, run.onOutput, () => flood.abort());
  const exit = await exitOf(launched.exit, stop, () => Promise.all([endTree(tree), run.endElsewhere?.()]));
  const left = stop.aborted ? [] : await endLeftovers(tree);
  await output.drained();
  const type = endType(exit, { stopped: stop.aborted, interrupted: run.signal.aborted, flooded: flood.signal.aborted });
  const { code, killedBy } = exit ?? { code: null, killedBy: null };
  return { type, code, killedBy, output: output.kept, errors: output.errors, left, ms: performance.now() - started };
}

/** Undefined: it was ended, and nobody saw it go. */
async function exitOf(
  exit: Promise<Ended>,
  stop: AbortSignal,
  end: () => Promise<unknown>,
): Promise<Ended | undefined> {
  const first = await Promise.race([exit, aborted(stop)]);
  if (!stop.aborted) return first;
  // Its shell goes first; the rest of the tree is waited for as well.
  await end();
  return Promise.race([exit, delay(DRAIN_MS, undefined, { ref: false })]);
}

const aborted = (signal: AbortSignal): Promise<undefined> =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve(undefined);
    return signal.addEventListener("abort", () => resolve(undefined), { once: true });
  });

async function endLeftovers(tree: Tree): Promise<readonly Member[]> {
  let look = lookFor(tree);
  for (let waited = 0; !look.isGone && waited < LEFTOVER_MS; waited += LOOK_MS) {
    await delay(LOOK_MS);
    look = lookFor(tree);
  }
  if (look.members.length > 0) await endTree(tree, LEFTOVER_GRACE_MS);
  return look.members;
}

function endType(
  exit: Ended | undefined,
  why: { readonly interrupted: boolean; readonly flooded: boolean; readonly stopped: boolean },
): CommandEnd["type"] {
  if (exit === undefined) return "unknown";
  if (!why.stopped) return "exited";
  if (why.interrupted) return "interrupted";
  return why.flooded ? "flooded" : "timeout";
}

interface Collected {
  readonly kept: KeptOutput;
  readonly errors: KeptOutput;
  /** Resolves when the output is closed, or nobody waits for it any more. */
  drained(): Promise<void>;
}

function collect(launched: Launched, onOutput: (text: string) => void, onFlood: () => void): Collected {
  const kept = new KeptOutput();
  const errors = new KeptOutput(ERRORS);
  let bytes = 0;
  let shown = 0;
  const show = (text: string): void => {
    if (text !== "" && shown < SHOWN) onOutput(text);
    if (shown < SHOWN && shown + text.length >= SHOWN) onOutput("\n[further output is not shown here]\n");
    shown += text.length;
  };
  const into = (kind: KeptOutput): Stream => {
    const plain = new TerminalText();
    const decoder = new TextDecoder();
    const take = (text: string): void => {
      kind.push(text);
      show(text);
    };
    return {
      push: (chunk) => {
        bytes += chunk.length;
        if (bytes > FLOOD) onFlood();
        else take(plain.push(typeof chunk === "string" ? chunk : decoder.decode(chunk, { stream: true })));
      },
      end: () => take(plain.push(decoder.decode()) + plain.end()),
    };
  };
  const streams = [into(kept), into(errors)] as const;
  launched.onOutput(streams[0].push);
  launched.onErrors(streams[1].push);
  return {
    kept,
    errors,
    drained: async () => {
      await Promise.race([launched.closed, delay(DRAIN_MS)]);
      launched.release();
      for (const stream of streams) stream.end();
    },
  };
}

interface Stream {
  readonly push: (chunk: Buffer | string) => void;
  readonly end: () => void;
}
