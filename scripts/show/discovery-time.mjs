import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { resolveProvider } from "../../src/model/provider.ts";
import { fakeLocalServer, ollamaRoutes } from "../../test/support/fake-local-server.ts";
import { setUp } from "../setup/set-up.mjs";

export const about =
  "how long it takes to find a model: servers that hang, none, one; and that a named one waits for none";

const ROUNDS = 15;
const LIMIT_MS = 300;
/** Of a whole run without a provider, with its start. */
const RUN_LIMIT_MS = 1_000;
const PROGRAMS = ["ollama", "lmstudio", "llama-cpp", "vllm", "jan"];

/**
 * @param {string} root
 * @returns {Promise<import("../show.mjs").Figure[]>}
 */
export async function measure(root) {
  const node = await setUp(root, { bundle: true });
  const hang = /** @type {const} */ ("hang");
  const silent = await fakeLocalServer({
    "/v1/models": hang,
    "/props": hang,
    "/api/tags": hang,
    "/api/ps": hang,
    "/api/v0/models": hang,
    "/api/v1/models": hang,
  });
  const ollama = await fakeLocalServer(ollamaRoutes({ "qwen3:8b": { loaded: 32_768 } }));
  try {
    const hanging = PROGRAMS.map((name) => `${name}=127.0.0.1:${silent.port}`).join(",");
    const nobody = PROGRAMS.map((name) => `${name}=127.0.0.1:1`).join(",");
    const found = `ollama=127.0.0.1:${ollama.port}`;
    const worst = await longest({ EVANDER_LOCAL_SERVERS: hanging });
    const none = await longest({ EVANDER_LOCAL_SERVERS: nobody });
    const one = await longest({ EVANDER_LOCAL_SERVERS: found });
    const before = silent.asked.length;
    const named = await longest({ EVANDER_LOCAL_SERVERS: hanging, OPENAI_API_KEY: "k", OPENAI_MODEL: "m" });
    const asked = silent.asked.length - before;
    const run = wholeRun(node, join(root, "bin", "evander.cjs"));
    return [
      figure("five servers that hang", worst, LIMIT_MS),
      figure("nobody listens", none, LIMIT_MS),
      figure("Ollama with a loaded model", one, LIMIT_MS),
      figure("a key in the environment, five servers that hang", named, 20),
      { figure: "servers asked meanwhile", value: `${asked}`, goal: "0", pass: asked === 0 },
      figure("evander -p without a provider, start to end", run, RUN_LIMIT_MS),
    ];
  } finally {
    await silent[Symbol.asyncDispose]();
    await ollama[Symbol.asyncDispose]();
  }
}

/**
 * @param {string} name
 * @param {number} ms
 * @param {number} limit
 */
const figure = (name, ms, limit) => ({
  figure: name,
  value: `${ms.toFixed(0)} ms`,
  goal: `<= ${limit} ms`,
  pass: ms <= limit,
});

/**
 * The longest of several searches, the first one left out: it loads the code.
 * @param {Record<string, string>} env
 * @returns {Promise<number>} ms
 */
async function longest(env) {
  await resolveProvider({ env });
  let most = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const startedAt = performance.now();
    await resolveProvider({ env });
    most = Math.max(most, performance.now() - startedAt);
  }
  return most;
}

/**
 * @param {string} node
 * @param {string} program
 * @returns {number} ms
 */
function wholeRun(node, program) {
  const home = mkdtempSync(join(tmpdir(), "evander-discovery-"));
  const env = { PATH: process.env["PATH"], HOME: home, EVANDER_HOME: home };
  try {
    const startedAt = performance.now();
    const { status } = spawnSync(node, [program, "-p", "hi", "--output", "json"], { env, cwd: home });
    const tookMs = performance.now() - startedAt;
    if (status !== 78) throw new Error(`it ended with ${status}`);
    return tookMs;
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}
