// node bench/profile.mjs [PEER] [--iterations 300] [--tools 8] [--stream]: where the CPU time of one turn goes, by
// package and by function (self time on the main thread, start of the process included).
import { readdirSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { runNode, temporaryFolder } from "./harness/job.mjs";
import { Mock } from "./harness/mock.mjs";
import { preparePeers } from "./harness/peers.mjs";

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    iterations: { type: "string", default: "300" },
    tools: { type: "string", default: "8" },
    stream: { type: "boolean", default: false },
  },
});
/** @param {string} line */
const report = (line) => process.stderr.write(`${line}\n`);
const [peer] = await preparePeers([positionals[0] ?? "evander"], report);
if (peer === undefined) process.exit(69);

const mock = await Mock.start();
const folder = temporaryFolder();
try {
  const turn = values.stream
    ? { iterations: 0, chunks: 50_000, delta: 4 }
    : { iterations: Number(values.iterations), tools: Number(values.tools) };
  const steps = ["warm", "turn"].map((id) => ({ id, ...turn }));
  for (const step of steps) await mock.register(step);
  const { persist } = peer;
  const job = {
    kind: "steps",
    persist,
    stateDir: folder,
    baseUrl: mock.baseUrl("{id}"),
    steps,
    listens: values.stream,
  };
  const host = fileURLToPath(new URL("measured/host.mjs", import.meta.url));
  const profiler = ["--cpu-prof", "--cpu-prof-dir", folder, "--cpu-prof-interval", "200"];
  const { output, trouble } = await runNode([...profiler, host, peer.driverUrl, JSON.stringify(job)]);
  if (!output.includes("@@")) report(trouble);
  const file = readdirSync(folder).find((name) => name.endsWith(".cpuprofile"));
  if (file !== undefined) print(JSON.parse(readFileSync(path.join(folder, file), "utf8")));
} finally {
  mock.stop();
  rmSync(folder, { recursive: true, force: true });
}

/** @param {{ nodes: any[], samples: number[], timeDeltas: number[] }} profile */
function print({ nodes, samples, timeDeltas }) {
  const frames = new Map(nodes.map((node) => [node.id, node.callFrame]));
  const byPackage = new Map();
  const byFunction = new Map();
  let total = 0;
  samples.forEach((id, index) => {
    const frame = frames.get(id);
    if (frame.functionName === "(idle)") return;
    const ms = timeDeltas[index] / 1000;
    const owner = ownerOf(frame);
    const name = `${frame.functionName || "(anonymous)"} ${path.basename(frame.url)}:${frame.lineNumber + 1} [${owner}]`;
    total += ms;
    byPackage.set(owner, (byPackage.get(owner) ?? 0) + ms);
    byFunction.set(name, (byFunction.get(name) ?? 0) + ms);
  });
  const lines = [
    `${total.toFixed(0)} ms on the main thread`,
    ...top(byPackage, total, 12),
    "",
    ...top(byFunction, total, 40),
  ];
  process.stdout.write(`${lines.join("\n")}\n`);
}

/** @param {{ url: string, functionName: string }} frame */
function ownerOf({ url, functionName }) {
  const inside = [...url.matchAll(/node_modules\/((?:@[^/]+\/)?[^/]+)/g)].at(-1);
  if (inside !== undefined) return inside[1];
  if (url.startsWith("node:")) return url.split("/").slice(0, 2).join("/");
  if (url === "") return functionName.startsWith("(") ? functionName : "native";
  return url.includes("/bench/") ? "bench" : "evander";
}

/**
 * @param {Map<string, number>} times
 * @param {number} total
 * @param {number} count
 */
function top(times, total, count) {
  const sorted = [...times].toSorted(([, a], [, b]) => b - a).slice(0, count);
  return sorted.map(([name, ms]) => `${((100 * ms) / total).toFixed(1).padStart(5)} %  ${name}`);
}
