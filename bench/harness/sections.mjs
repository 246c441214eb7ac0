import { runJob } from "./job.mjs";
import { now } from "./machine.mjs";
import { median, percentile } from "./statistics.mjs";

/**
 * @typedef {import("./peers.mjs").Peer} Peer
 * @typedef {import("./mock.mjs").Mock} Mock
 * @typedef {import("./mock.mjs").Script} Script
 * @typedef {import("./mock.mjs").LogEntry} LogEntry
 *
 * @typedef {object} Sample
 * @property {string} peer
 * @property {number} round
 * @property {string} group what was done, e.g. "8 tools"
 * @property {Record<string, number>} values
 * @property {number} foreignCores
 * @property {string} [error]
 *
 * @typedef {Omit<Sample, "peer" | "round">} Taken
 *
 * @typedef {object} Bench
 * @property {Mock} mock
 * @property {number} calmMs how long to wait for a calm machine before each job
 *
 * @typedef {object} Section
 * @property {string} name
 * @property {string} about
 * @property {(peer: Peer) => boolean} [takes] absent: every peer
 * @property {(peer: Peer, bench: Bench) => Promise<Taken[]>} take
 *
 * @typedef {Script & { group?: string, traced?: boolean }} Step a step without a group only warms the process up
 */

let scripts = 0;
const nextId = () => `run${scripts++}`;

/**
 * Runs steps in one process and hands each measured one to `read`.
 * @param {{ peer: Peer, bench: Bench, steps: readonly Omit<Step, "id">[], listens?: boolean }} work
 * @param {(step: Step, figures: { wallMs: number, cpuMs: number, heard: [number, number][] }, log: LogEntry[]) => Record<string, number>} read
 * @returns {Promise<Taken[]>}
 */
async function takeSteps({ peer, bench, steps, listens = false }, read) {
  const { mock } = bench;
  const named = steps.map((step) => ({ ...step, id: nextId() }));
  for (const step of named) await mock.register(step);
  const job = { kind: "steps", baseUrl: mock.baseUrl("{id}"), steps: named, listens };
  const { result, error, foreignCores } = await runJob(peer, job, bench);
  const taken = [];
  for (const step of named) {
    const { log } = await mock.log(step.id);
    await mock.forget(step.id);
    if (step.group === undefined) continue;
    const figures = result?.steps.find((/** @type {{ id: string }} */ done) => done.id === step.id);
    const values = figures === undefined ? {} : read(step, figures, log);
    taken.push({ group: step.group, values, foreignCores, ...(error !== undefined && { error }) });
  }
  return taken;
}

/**
 * From the model's last byte to the arrival of the next request: the purest cost of an iteration.
 * @param {readonly LogEntry[]} log
 */
const gapsOf = (log) => log.slice(1).map(({ arrivedMs }, index) => arrivedMs - (log[index]?.endMs ?? NaN));

/** Gaps that stand for the beginning and the end of a long turn. */
const GAPS = 40;

/** @type {Parameters<typeof takeSteps>[1]} */
const perIteration = ({ iterations }, { wallMs, cpuMs }, log) => {
  const gaps = gapsOf(log);
  return {
    cpuMs: cpuMs / (iterations + 1),
    wallMs: wallMs / (iterations + 1),
    gapMs: median(gaps) ?? NaN,
    gapFirstMs: median(gaps.slice(0, GAPS)) ?? NaN,
    gapLastMs: median(gaps.slice(-GAPS)) ?? NaN,
    growth: (median(gaps.slice(-GAPS)) ?? NaN) / (median(gaps.slice(0, GAPS)) ?? NaN),
  };
};

/** @type {Section} */
const iteration = {
  name: "iteration",
  about: "a turn of 50 iterations: cost of one",
  take: (peer, bench) => {
    const steps = [
      { iterations: 100, tools: 1 },
      { iterations: 60, tools: 8 },
      { iterations: 50, tools: 1, group: "1 tool" },
      { iterations: 50, tools: 8, group: "8 tools" },
    ];
    return takeSteps({ peer, bench, steps }, perIteration);
  },
};

/** @type {Section} */
const long = {
  name: "long",
  about: "a turn of 400 iterations: does the cost grow with the history?",
  take: (peer, bench) => {
    const steps = [
      { iterations: 60, tools: 1 },
      { iterations: 60, tools: 8 },
      { iterations: 400, tools: 1, group: "1 tool" },
      { iterations: 400, tools: 8, group: "8 tools" },
    ];
    return takeSteps({ peer, bench, steps }, perIteration);
  },
};

/** @type {Section} */
const start = {
  name: "start",
  about: "a process that asks one question",
  async take(peer, bench) {
    const { mock } = bench;
    const id = nextId();
    await mock.register({ id, iterations: 0 });
    const { result, error, startedMs, endedMs, foreignCores } = await runJob(
      peer,
      { kind: "hello", baseUrl: mock.baseUrl(id) },
      bench,
    );
    const { log } = await mock.log(id);
    await mock.forget(id);
    const group = "hello";
    if (result === undefined || log[0] === undefined)
      return [{ group, values: {}, foreignCores, error: error ?? "no request" }];
    const { cpuMs, rssMb } = result.process;
    const values = { firstRequestMs: log[0].arrivedMs - startedMs, exitMs: endedMs - startedMs, cpuMs, rssMb };
    return [{ group, values, foreignCores }];
  },
};

/** Bytes of thought per event of the mock. */
const THOUGHT_BYTES = 40;

/** @param {Script} script */
const eventsOf = ({ chunks = 0, think = 0 }) => chunks + (think > 0 ? think / THOUGHT_BYTES + 2 : 0);

/**
 * When each delta was heard, against when it was written.
 * @param {Script} script
 * @param {readonly [number, number][]} heard
 * @param {readonly number[]} writes
 */
function latencies({ chunks = 0, delta = 1 }, heard, writes) {
  const waits = [];
  for (const [atMs, chars] of heard) {
    while (waits.length < chunks && delta * (waits.length + 1) <= chars)
      waits.push(atMs - (writes[waits.length + 1] ?? NaN));
  }
  return waits;
}

/** @type {Section} */
const stream = {
  name: "stream",
  about: "deltas of 4 characters to a listener: cold, warm, behind <think> blocks, and paced at 1,000/s",
  take: (peer, bench) => {
    const text = { iterations: 0, chunks: 5000, delta: 4 };
    const steps = [
      { ...text, group: "first 5,000" },
      { ...text, chunks: 20_000 },
      { ...text, chunks: 20_000, group: "warm" },
      { ...text, chunks: 20_000, group: "warm" },
      { ...text, chunks: 10_000, think: 50_000, group: "50 KB think" },
      { ...text, chunks: 10_000, think: 200_000, group: "200 KB think" },
      { ...text, chunks: 1500, pace: 1000, traced: true, group: "paced" },
    ];
    return takeSteps({ peer, bench, steps, listens: true }, (step, { wallMs, cpuMs, heard }, log) => {
      const events = eventsOf(step);
      const values = { cpuUsPerDelta: (cpuMs * 1000) / events, wallUsPerDelta: (wallMs * 1000) / events };
      if (step.traced !== true) return values;
      const waits = latencies(step, heard, log[0]?.writes ?? []);
      return { ...values, latencyP50Ms: median(waits) ?? NaN, latencyP99Ms: percentile(waits, 0.99) ?? NaN };
    });
  },
};

/** @type {Section} */
const concurrent = {
  name: "concurrent",
  about: "200 sessions x 10 iterations at once, 20 ms model latency",
  async take(peer, bench) {
    const { mock } = bench;
    const id = nextId();
    const iterations = 10;
    await mock.register({ id, iterations, latencyMs: 20 });
    const job = { kind: "concurrent", baseUrl: mock.baseUrl(id), sessions: 200, iterations };
    const { result, error, foreignCores } = await runJob(peer, job, bench);
    await mock.forget(id);
    const group = "200 x 10";
    if (result === undefined) return [{ group, values: {}, foreignCores, ...(error !== undefined && { error }) }];
    const { wallMs, cpuMs, rssMb, loopP99Ms } = result;
    return [{ group, values: { wallMs, cpuMs, rssMb, loopP99Ms }, foreignCores }];
  },
};

/** A save takes so little that only many tell; the first ones warm up. */
const SAVES = { all: 300, warm: 50 };

/** @type {Section} */
const growth = {
  name: "growth",
  about: "a session that holds many messages: saving one more, and one more turn of 2 iterations",
  takes: ({ persist }) => persist !== "none",
  async take(peer, bench) {
    const { mock } = bench;
    const taken = [];
    for (const stored of [100, 10_000]) {
      const id = nextId();
      await mock.register({ id, iterations: 2, lastTurnOnly: true });
      const job = { kind: "growth", baseUrl: mock.baseUrl(id), stored, saves: SAVES.all, turns: 5, iterations: 2 };
      const { result, error, foreignCores } = await runJob(peer, job, bench);
      await mock.forget(id);
      const values = result === undefined ? {} : growthOf(result);
      taken.push({ group: `${stored} stored`, values, foreignCores, ...(error !== undefined && { error }) });
    }
    return taken;
  },
};

/** @param {{ saves: { wallMs: number, cpuMs: number }[], turns: { wallMs: number, cpuMs: number }[] }} result */
function growthOf({ saves, turns }) {
  return {
    saveMs: median(saves.slice(SAVES.warm).map(({ wallMs }) => wallMs)) ?? NaN,
    // The first turn reads the session and builds its first request.
    turnMs: median(turns.slice(1).map(({ wallMs }) => wallMs)) ?? NaN,
  };
}

/** @type {Section} */
const weight = {
  name: "weight",
  about: "what is loaded before the first request",
  async take(peer, bench) {
    const { result, error, foreignCores } = await runJob(peer, { kind: "import", baseUrl: bench.mock.origin }, bench);
    const group = "import";
    if (result === undefined) return [{ group, values: {}, foreignCores, ...(error !== undefined && { error }) }];
    const { importMs, modules } = result;
    return [{ group, values: { importMs, modules, rssMb: result.process.rssMb }, foreignCores }];
  },
};

export const SECTIONS = [iteration, long, start, stream, concurrent, growth, weight];

/** A median needs this many rounds, however long they take. */
const FEWEST_ROUNDS = 2;

/**
 * Peers are interleaved inside each round, so that drift of the machine hits all of them.
 * @param {Section} section
 * @param {{ peers: readonly Peer[], rounds: number, limitMs?: number, bench: Bench, report: (line: string) => void }} options
 *   after `limitMs` no further round begins
 * @returns {Promise<Sample[]>}
 */
export async function runSection(section, { peers, rounds, limitMs = Infinity, bench, report }) {
  const takers = peers.filter((peer) => section.takes?.(peer) ?? true);
  const end = now() + limitMs;
  const samples = [];
  for (let round = 0; round < rounds && (round < FEWEST_ROUNDS || now() < end); round++) {
    report(`${section.name}: round ${round + 1} of ${rounds}`);
    for (const peer of takers) samples.push(...(await takeRound(section, peer, { round, bench, report })));
  }
  return samples;
}

/**
 * @param {Section} section
 * @param {Peer} peer
 * @param {{ round: number, bench: Bench, report: (line: string) => void }} options
 * @returns {Promise<Sample[]>}
 */
async function takeRound(section, peer, { round, bench, report }) {
  const taken = await section.take(peer, bench);
  for (const { error } of taken) if (error !== undefined) report(`${peer.name} failed: ${error}`);
  return taken.map((sample) => ({ peer: peer.name, round, ...sample }));
}
