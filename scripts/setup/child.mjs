import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { isatty } from "node:tty";
import { exitCodeOfSignal, SetupTrouble } from "./trouble.mjs";

/** @typedef {import("node:child_process").ChildProcess} ChildProcess */

/** A terminal sends these to the whole foreground group, so the child has them already. */
const FROM_TERMINAL = /** @type {NodeJS.Signals[]} */ (["SIGINT", "SIGQUIT"]);
const FORWARDED = /** @type {NodeJS.Signals[]} */ ([...FROM_TERMINAL, "SIGTERM", "SIGHUP"]);

/** A signal to the whole group reaches us twice: by itself and through npm. */
const ECHO_MS = 300;

/**
 * Whether a signal that reached us has to be handed on to the child.
 * @param {NodeJS.Signals} signal
 * @param {boolean} onTerminal stdin is a terminal
 * @returns {boolean}
 */
export function mustForward(signal, onTerminal) {
  return !(onTerminal && FROM_TERMINAL.includes(signal));
}

/**
 * Keeps this process alive until the child has ended, whatever signal comes, and hands signals on.
 * @param {ChildProcess} child
 * @returns {Promise<{ exitCode: number, interruptedBy: NodeJS.Signals | undefined }>} `exitCode` is 128+n after a death by signal
 */
function outlive(child) {
  return new Promise((resolve, reject) => {
    /** @type {NodeJS.Signals | undefined} */
    let interruptedBy;
    const onTerminal = isatty(0);
    /** @type {Map<string, number>} */
    const forwardedAt = new Map();
    /** @param {NodeJS.Signals} signal */
    const onSignal = (signal) => {
      interruptedBy = signal;
      const isEcho = Date.now() - (forwardedAt.get(signal) ?? 0) < ECHO_MS;
      if (isEcho || !mustForward(signal, onTerminal)) return;
      forwardedAt.set(signal, Date.now());
      child.kill(signal);
    };
    const release = () => {
      for (const signal of FORWARDED) process.off(signal, onSignal);
    };
    for (const signal of FORWARDED) process.on(signal, onSignal);
    child.once("error", (error) => {
      release();
      reject(error);
    });
    child.once("close", (code, signal) => {
      release();
      resolve({ exitCode: signal === null ? (code ?? 1) : exitCodeOfSignal(signal), interruptedBy });
    });
  });
}

/**
 * npm runs scripts in the checkout and tells where the user stands.
 * @returns {string}
 */
export function callerFolder() {
  const folder = process.env["INIT_CWD"] ?? "";
  return existsSync(folder) ? folder : process.cwd();
}

/**
 * Runs a program in the foreground: it owns stdin, stdout and stderr.
 * @param {string} command
 * @param {string[]} args
 * @param {{ cwd: string, env?: NodeJS.ProcessEnv }} options
 * @returns {Promise<number>} its exit code
 */
export async function runInForeground(command, args, options) {
  const child = spawn(command, args, { ...options, stdio: "inherit" });
  const { exitCode } = await outlive(child);
  return exitCode;
}

/**
 * Runs a set-up step and collects what it prints. A signal ends the step first and then, as trouble, the set-up.
 * @param {string} command
 * @param {string[]} args
 * @param {{ cwd: string, env?: NodeJS.ProcessEnv, shell?: boolean, onStart?: (pid: number) => void }} options
 * @returns {Promise<{ exitCode: number, output: string }>}
 */
export async function runStep(command, args, options) {
  const { onStart, ...spawnOptions } = options;
  const child = spawn(command, args, { ...spawnOptions, stdio: ["ignore", "pipe", "pipe"] });
  if (child.pid !== undefined) onStart?.(child.pid);
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8");
    stream.on("data", (/** @type {string} */ text) => (output += text));
  }
  const { exitCode, interruptedBy } = await outlive(child);
  if (interruptedBy !== undefined) {
    throw new SetupTrouble("set-up interrupted; run the command again to go on", exitCodeOfSignal(interruptedBy));
  }
  return { exitCode, output };
}
