import { spawn } from "node:child_process";
import { constants } from "node:os";
import { findShell } from "./find-shell.ts";
import { type Limits, limitScript } from "./limits.ts";

/** What is started, on this machine. */
export interface Launch {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Gives it a terminal of its own of this size. */
  readonly pty?: PtySize | undefined;
  /** It can be written to while it runs; a terminal always can. */
  readonly input?: boolean;
  /** Lets go of the sandbox that it runs in: called when it has ended, or could not be started. Absent: it runs in none. */
  readonly release?: (() => Promise<void>) | undefined;
  /** Its two streams come apart, in an order that nobody knows. */
  readonly apart?: boolean;
}

export interface PtySize {
  readonly cols: number;
  readonly rows: number;
}

export interface Ended {
  readonly code: number | null;
  readonly killedBy: string | null;
}

export interface Launched {
  readonly pid: number;
  readonly exit: Promise<Ended>;
  /** Nobody can write to its output any more. */
  readonly closed: Promise<void>;
  onOutput(take: (chunk: Buffer | string) => void): void;
  /** The other stream, of what was started `apart`. */
  onErrors(take: (chunk: Buffer) => void): void;
  /** False: it takes no input, or no longer. */
  write(text: string): boolean;
  /** Lets go of its output and input. */
  release(): void;
}

/**
 * Starts a program in a session and a group of its own, without our terminal, inside these limits. Rejects when it cannot
 * be started.
 */
export async function launch({ file, args, release, ...how }: Launch, limits: Limits): Promise<Launched> {
  // One pipe for both streams keeps their order; the shell that joins them is replaced by what runs.
  const joined = [
    ...NO_SETTINGS,
    "-c",
    `${limitScript(limits)}; exec "$@"${how.apart === true ? "" : " 2>&1"}`,
    "sh",
    file,
    ...args,
  ];
  const what = { ...how, file: SHELL, args: joined };
  const letGo = async (): Promise<void> => release?.().catch(() => undefined);
  try {
    const launched = await (how.pty === undefined ? launchOnPipes(what) : launchOnPty(what, how.pty));
    return release === undefined
      ? launched
      : { ...launched, exit: launched.exit.then((ended) => letGo().then(() => ended)) };
  } catch (error) {
    await letGo();
    throw error;
  }
}

/** A shell for what runs here. */
export const SHELL: string = findShell() ?? "/bin/sh";

/** Where its input is a socket, bash takes itself for one that was called over the network, and reads its user's settings. */
export const NO_SETTINGS: readonly string[] = SHELL.endsWith("bash") ? ["--noprofile", "--norc"] : [];

async function launchOnPipes({ file, args, cwd, env, input, apart }: Launch): Promise<Launched> {
  const stdin = input === true ? "pipe" : "ignore";
  const child = spawn(file, args, {
    cwd,
    env,
    detached: true,
    stdio: [stdin, "pipe", apart === true ? "pipe" : "ignore"],
  });
  const exit = new Promise<Ended>((resolve) => {
    child.once("exit", (code, killedBy) => resolve({ code, killedBy }));
  });
  const closed = new Promise<void>((resolve) => {
    child.once("close", () => resolve());
  });
  await new Promise<void>((resolve, reject) => {
    child.once("error", reject);
    child.once("spawn", resolve);
  });
  // What cannot be written any more is told by `write`.
  child.stdin?.on("error", () => undefined);
  return {
    pid: child.pid ?? 0,
    exit,
    closed,
    onOutput: (take) => {
      child.stdout?.on("data", take);
    },
    onErrors: (take) => {
      child.stderr?.on("data", take);
    },
    write: (text) => child.stdin?.writable === true && (child.stdin.write(text), true),
    release: () => {
      child.stdin?.destroy();
      child.stdout?.destroy();
      child.stderr?.destroy();
    },
  };
}

/** The part of the package that is used; it is not there on every platform. */
interface PtyPackage {
  spawn(
    file: string,
    args: readonly string[],
    options: PtySize & { readonly name: string; readonly cwd: string; readonly env: Readonly<Record<string, string>> },
  ): {
    readonly pid: number;
    onData(take: (text: string) => void): unknown;
    onExit(take: (end: { readonly exitCode: number; readonly signal?: number }) => void): unknown;
    write(text: string): void;
    destroy?(): void;
  };
}

/** Beside the bundle: it brings a library for each platform. */
const PTY_PACKAGE: string = "@lydell/node-pty";

const NO_PTY =
  "A terminal (pty) cannot be given to a command here: the package @lydell/node-pty is not installed for this platform. Run the command without pty.";

async function ptyPackage(): Promise<PtyPackage> {
  try {
    const found = (await import(PTY_PACKAGE)) as PtyPackage & { readonly default?: PtyPackage };
    return found.default ?? found;
  } catch (error) {
    throw new Error(NO_PTY, { cause: error });
  }
}

async function launchOnPty({ file, args, cwd, env }: Launch, size: PtySize): Promise<Launched> {
  const child = (await ptyPackage()).spawn(file, args, { ...size, name: "xterm-256color", cwd, env });
  let isOver = false;
  const exit = new Promise<Ended>((resolve) => {
    child.onExit(({ exitCode, signal = 0 }) => {
      isOver = true;
      resolve(signal === 0 ? { code: exitCode, killedBy: null } : { code: null, killedBy: signalName(signal) });
    });
  });
  return {
    pid: child.pid,
    exit,
    // The system ends the output of a terminal with the program that leads its session.
    closed: exit.then(() => undefined),
    onOutput: (take) => {
      child.onData(take);
    },
    onErrors: () => undefined,
    write: (text) => !isOver && (child.write(text), true),
    release: () => child.destroy?.(),
  };
}

const signalName = (signal: number): string =>
  Object.entries(constants.signals).find(([, number]) => number === signal)?.[0] ?? `signal ${signal}`;
