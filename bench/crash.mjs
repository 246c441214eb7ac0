// node bench/crash.mjs [--peers a,b]: a durable turn of 40 iterations is killed after about 20; a new process then counts
// what it can read. Two messages for each finished iteration and the prompt is perfect.
import { spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { resultOf, runNode, temporaryFolder } from "./harness/job.mjs";
import { Mock } from "./harness/mock.mjs";
import { preparePeers } from "./harness/peers.mjs";

const { values } = parseArgs({ options: { peers: { type: "string", default: "evander,bare-buffer-sqlite" } } });
const peers = await preparePeers(values.peers.split(","), (line) => process.stderr.write(`${line}\n`));
const host = fileURLToPath(new URL("measured/host.mjs", import.meta.url));
const KILL_AT = 21;

const mock = await Mock.start();
try {
  for (const peer of peers) process.stdout.write(`${JSON.stringify(await crash(peer))}\n`);
} finally {
  mock.stop();
}

/** @param {import("./harness/peers.mjs").Peer} peer */
async function crash({ name, persist, driverUrl }) {
  const id = `crash-${name}`;
  const stateDir = temporaryFolder();
  await mock.register({ id, iterations: 40, latencyMs: 20 });
  const job = { persist, stateDir, baseUrl: mock.baseUrl(id), iterations: 40 };
  const child = spawn(process.execPath, [host, driverUrl, JSON.stringify({ ...job, kind: "hello" })], {
    stdio: "ignore",
  });
  const ended = new Promise((resolve) => child.on("exit", resolve));
  const requests = async () => (await mock.log(id)).log.length;
  while (child.exitCode === null && (await requests()) < KILL_AT) await sleep(5);
  child.kill("SIGKILL");
  await ended;
  const { output, trouble } = await runNode([host, driverUrl, JSON.stringify({ ...job, kind: "stored" })]);
  const requested = await requests();
  rmSync(stateDir, { recursive: true, force: true });
  const stored = resultOf(output)?.stored;
  // Whatever a request held was durable before it left.
  const expected = 2 * (requested - 1) + 1;
  return { peer: name, requested, expected, stored: stored ?? trouble, lost: Math.max(0, expected - (stored ?? 0)) };
}
