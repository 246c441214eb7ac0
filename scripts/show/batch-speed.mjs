import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { Mock } from "../../bench/harness/mock.mjs";
import { setUp } from "../setup/set-up.mjs";

export const about = "a batch of 8 calls of a tool that does nothing, beside a batch of one, on disk";

const MANY = 8;
const ROUNDS = 25;
const ITERATIONS = 20;
const GOAL = 1.5;

/**
 * Both take turns in one run, so that a busy machine weighs on both alike. A batch is timed from the reply that asks for it
 * to the request that tells what came of it.
 * @param {string} root
 * @returns {Promise<import("../show.mjs").Figure[]>}
 */
export async function measure(root) {
  await setUp(root, { bundle: true });
  const { agent } = await import(join(root, "dist", "index.js"));
  const mock = await Mock.start();
  /** @type {number[]} */
  const one = [];
  /** @type {number[]} */
  const many = [];
  try {
    // The first round only warms up.
    for (let round = -1; round < ROUNDS; round++) {
      const times = [await oneTurn(agent, mock, 1, `1-${round}`), await oneTurn(agent, mock, MANY, `8-${round}`)];
      if (round < 0) continue;
      one.push(...(times[0] ?? []));
      many.push(...(times[1] ?? []));
    }
  } finally {
    mock.stop();
  }
  const ratio = quartile(many) / quartile(one);
  const value = `${ratio.toFixed(2)}x (${quartile(many).toFixed(3)} ms / ${quartile(one).toFixed(3)} ms)`;
  return [{ figure: "batch of 8 / batch of one", value, goal: `<= ${GOAL}x`, pass: ratio <= GOAL }];
}

/**
 * The lower one: what other programs take of the processor only adds.
 * @param {number[]} values
 */
const quartile = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 4)] ?? NaN;

/**
 * @param {(options: object) => any} agent
 * @param {Mock} mock
 * @param {number} calls
 * @param {string} id
 */
async function oneTurn(agent, mock, calls, id) {
  const folder = mkdtempSync(join(tmpdir(), "evander-batch-"));
  await mock.register({ id, iterations: ITERATIONS, tools: calls });
  const tool = {
    name: "echo",
    description: "Echoes.",
    parameters: { type: "object" },
    effect: "pure",
    concurrency: "shared",
    run: () => "ok",
  };
  /** @type {number[]} */
  const batches = [];
  let replied = 0;
  /** @param {any} message */
  const told = ({ response }) => response.once("end", () => (replied = performance.now()));
  const asks = () => void (replied > 0 && batches.push(performance.now() - replied));
  subscribe("http.client.response.finish", told);
  subscribe("http.client.request.start", asks);
  const bot = agent({ baseUrl: mock.baseUrl(id), model: "m", tools: [tool], store: folder });
  try {
    const { ok, exit } = await bot.run("go");
    if (!ok) throw new Error(`the turn ended as ${exit.reason}`);
    return batches;
  } finally {
    unsubscribe("http.client.response.finish", told);
    unsubscribe("http.client.request.start", asks);
    await bot.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
