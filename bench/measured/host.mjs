// The measured process: `node host.mjs DRIVER JOB` imports one driver, does one job and prints one line of JSON.
// What only one kind of job needs is imported there: the time to the first request is measured, too.
import { mkdirSync } from "node:fs";

/** @typedef {import("./driver.d.ts").Driver} Driver */

const [driverUrl = "", jobText = "{}"] = process.argv.slice(2);
const job = JSON.parse(jobText);
const now = () => Number(process.hrtime.bigint()) / 1e6;

const ECHO = {
  name: "echo",
  description: "Echo the text back.",
  parameters: {
    type: "object",
    properties: { text: { type: "string" } },
    required: ["text"],
    additionalProperties: false,
  },
};

/** Wall and CPU time (all threads) of some work, in ms. */
async function timed(work) {
  const cpuBefore = process.cpuUsage();
  const startedMs = now();
  const value = await work();
  const wallMs = now() - startedMs;
  const { user, system } = process.cpuUsage(cpuBefore);
  return { value, wallMs, cpuMs: (user + system) / 1000 };
}

const modules = job.kind === "import" ? await watchModules() : undefined;
const imported = await timed(() => import(driverUrl));

/** @returns {Promise<Driver>} */
function open({ baseUrl = job.baseUrl, stateDir = job.stateDir } = {}) {
  const { persist } = job;
  return imported.value.create({ baseUrl, model: "mock", persist, stateDir, maxIterations: 1000, tools: [ECHO] });
}

/** One turn; a driver that ran another number of tools did not do the work. */
async function turn(driver, { sessionId, calls, onText }) {
  let executed = 0;
  const execute = async ({ text }) => {
    executed++;
    return `ok:${text}`;
  };
  const request = { sessionId, prompt: "go", tools: [{ ...ECHO, execute }], onText };
  const { value, wallMs, cpuMs } = await timed(() => driver.turn(request));
  if (executed !== calls) throw new Error(`${calls} tool calls were expected, ${executed} ran`);
  return { wallMs, cpuMs, text: value.text };
}

/** Each step has a script of its own, named by its id, and begins with an empty store. */
async function runSteps() {
  const results = [];
  for (const { id, iterations, tools = 1, traced = false } of job.steps) {
    const stateDir = `${job.stateDir}/${id}`;
    mkdirSync(stateDir);
    const driver = await open({ baseUrl: job.baseUrl.replace("{id}", id), stateDir });
    const heard = [];
    let chars = 0;
    const onText = (text) => {
      chars += text.length;
      if (traced) heard.push([now(), chars]);
    };
    const { wallMs, cpuMs } = await turn(driver, {
      sessionId: id,
      calls: iterations * tools,
      onText: job.listens ? onText : undefined,
    });
    await driver.close();
    results.push({ id, wallMs, cpuMs, chars, heard });
  }
  return { steps: results };
}

async function runConcurrent() {
  const { monitorEventLoopDelay } = await import("node:perf_hooks");
  const driver = await open();
  await turn(driver, { sessionId: "warm", calls: job.iterations });
  const delay = monitorEventLoopDelay({ resolution: 1 });
  const rssBefore = process.memoryUsage.rss();
  delay.enable();
  const sessions = Array.from({ length: job.sessions }, (_, index) => ({
    sessionId: `s${index}`,
    calls: job.iterations,
  }));
  const { wallMs, cpuMs } = await timed(() => Promise.all(sessions.map((session) => turn(driver, session))));
  delay.disable();
  const rssMb = (process.resourceUsage().maxRSS * 1024 - rssBefore) / 1e6;
  await driver.close();
  return { wallMs, cpuMs, rssMb, loopP99Ms: delay.percentile(99) / 1e6 };
}

const messagesOf = (count) =>
  Array.from({ length: count }, (_, index) => ({
    role: index % 2 === 0 ? "user" : "assistant",
    content: "m".repeat(500),
  }));

/** A session that holds `stored` messages: what it costs to save one more, and to take one more turn. */
async function runGrowth() {
  const driver = await open();
  await driver.save("grown", messagesOf(job.stored));
  const saves = [];
  for (let i = 0; i < job.saves; i++) saves.push(await timed(() => driver.save("grown", messagesOf(1))));
  const turns = [];
  for (let i = 0; i < job.turns; i++) turns.push(await turn(driver, { sessionId: "grown", calls: job.iterations }));
  await driver.close();
  const times = (list) => list.map(({ wallMs, cpuMs }) => ({ wallMs, cpuMs }));
  return { saves: times(saves), turns: times(turns) };
}

async function runHello() {
  const driver = await open();
  const { text } = await turn(driver, { sessionId: "hello", calls: job.iterations ?? 0 });
  await driver.close();
  return { text };
}

async function countStored() {
  const driver = await open();
  const stored = driver.stored("hello");
  await driver.close();
  return { stored };
}

async function watchModules() {
  const { Session } = await import("node:inspector");
  const session = new Session();
  const seen = new Set();
  session.connect();
  session.on("Debugger.scriptParsed", ({ params: { url } }) => {
    if (url.startsWith("file:") && url !== import.meta.url) seen.add(url);
  });
  session.post("Debugger.enable");
  return seen;
}

const KINDS = {
  import: () => ({ importMs: imported.wallMs, modules: modules?.size }),
  hello: runHello,
  steps: runSteps,
  concurrent: runConcurrent,
  growth: runGrowth,
  stored: countStored,
};

const result = await KINDS[job.kind]();
const { user, system } = process.cpuUsage();
const whole = { cpuMs: (user + system) / 1000, rssMb: process.resourceUsage().maxRSS / 1024 };
process.stdout.write(`\n@@${JSON.stringify({ ...result, process: whole })}\n`, () => process.exit(0));
