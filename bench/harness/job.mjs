import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { busySeconds, now, waitForCalm } from "./machine.mjs";
import { BENCH_HOME } from "./peers.mjs";

const HOST = fileURLToPath(new URL("../measured/host.mjs", import.meta.url));
const TIMEOUT_MS = 180_000;

/**
 * @typedef {object} JobOutcome
 * @property {any} result what measured/host.mjs printed; undefined when it failed
 * @property {string | undefined} error
 * @property {number} startedMs
 * @property {number} endedMs
 * @property {number} foreignCores what other programs used meanwhile
 */

/** @returns {string} a folder that the caller removes */
export function temporaryFolder() {
  mkdirSync(BENCH_HOME, { recursive: true });
  return mkdtempSync(path.join(BENCH_HOME, "state-"));
}

/**
 * Runs one job of one peer in a process of its own.
 * @param {import("./peers.mjs").Peer} peer
 * @param {Record<string, unknown>} job
 * @param {{ mock: import("./mock.mjs").Mock, calmMs: number }} bench
 * @returns {Promise<JobOutcome>}
 */
export async function runJob(peer, job, { mock, calmMs }) {
  const stateDir = temporaryFolder();
  try {
    await waitForCalm(calmMs);
    const mockBefore = await mock.cpuSeconds();
    const busyBefore = busySeconds();
    const ourBefore = process.cpuUsage();
    const child = await runNode([HOST, peer.driverUrl, JSON.stringify({ ...job, persist: peer.persist, stateDir })]);
    const own = process.cpuUsage(ourBefore);
    const result = resultOf(child.output);
    const ours =
      (own.user + own.system) / 1e6 + ((await mock.cpuSeconds()) - mockBefore) + (result?.process.cpuMs ?? 0) / 1000;
    const seconds = (child.endedMs - child.startedMs) / 1000;
    const foreignCores = Math.max(0, (busySeconds() - busyBefore - ours) / seconds);
    const { startedMs, endedMs } = child;
    return { result, error: result === undefined ? child.trouble : undefined, startedMs, endedMs, foreignCores };
  } finally {
    rmSync(stateDir, { recursive: true, force: true });
  }
}

/**
 * @param {string[]} args
 * @param {{ env?: NodeJS.ProcessEnv, cwd?: string }} [options]
 */
export function runNode(args, options = {}) {
  return new Promise(
    (
      /** @type {(ended: { output: string, trouble: string, exitCode: number | null, startedMs: number, endedMs: number }) => void} */ resolve,
    ) => {
      const startedMs = now();
      const env = { ...process.env, NODE_ENV: "production", ...options.env };
      const child = spawn(process.execPath, args, { ...options, env, stdio: ["ignore", "pipe", "pipe"] });
      let output = "";
      let words = "";
      child.stdout.on("data", (text) => (output += text));
      child.stderr.on("data", (text) => (words += text));
      const timer = setTimeout(() => child.kill("SIGKILL"), TIMEOUT_MS);
      child.on("close", (exitCode, signal) => {
        clearTimeout(timer);
        const trouble = signal === null ? words.trim().slice(-600) : `ended by ${signal}`;
        resolve({ output, trouble, exitCode, startedMs, endedMs: now() });
      });
    },
  );
}

/**
 * @param {string} output
 * @returns {any}
 */
export function resultOf(output) {
  const [, line] = output.split("\n@@");
  return line === undefined ? undefined : JSON.parse(line);
}
