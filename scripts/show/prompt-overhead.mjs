import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { pathToFileURL } from "node:url";
import { EndlessProvider } from "../../test/support/endless-provider.ts";
import { say } from "../../test/support/wire-script.ts";
import { setUp } from "../setup/set-up.mjs";

export const about = "one prompt through `evander -p` beside the same turn through the library, both as processes";

const ROUNDS = 31;
const LIMIT_MS = 30;

/**
 * Both take turns, so that a busy machine weighs on both alike; both keep their session and their compiled code.
 * @param {string} root
 * @returns {Promise<import("../show.mjs").Figure[]>}
 */
export async function measure(root) {
  const node = await setUp(root, { bundle: true });
  const folder = mkdtempSync(join(tmpdir(), "evander-overhead-"));
  const provider = new EndlessProvider(() => say("Hi."));
  try {
    await provider.server.listen();
    const { baseUrl } = provider.server;
    const library = join(folder, "library.mjs");
    writeFileSync(library, libraryProgram(root, baseUrl, join(folder, "library")));
    const env = { PATH: process.env["PATH"], HOME: folder, NODE_COMPILE_CACHE: join(folder, "compiled") };
    const program = { ...env, EVANDER_HOME: join(folder, "program"), OPENAI_BASE_URL: baseUrl, OPENAI_MODEL: "m" };
    const prompt = [join(root, "bin", "evander.cjs"), "-p", "hi", "--output", "json"];
    /** @type {{ library: number[], prompt: number[] }} */
    const times = { library: [], prompt: [] };
    for (let round = -2; round < ROUNDS; round += 1) {
      const [ours, theirs] = [await wallTime(node, prompt, program), await wallTime(node, [library], env)];
      if (round < 0) continue;
      times.prompt.push(ours);
      times.library.push(theirs);
    }
    // The fastest of each: what else the machine does only adds.
    const [ours, theirs] = [Math.min(...times.prompt), Math.min(...times.library)];
    return [
      {
        figure: "evander -p over the library",
        value: `${(ours - theirs).toFixed(0)} ms (${ours.toFixed(0)} ms / ${theirs.toFixed(0)} ms)`,
        goal: `<= ${LIMIT_MS} ms`,
        pass: ours - theirs <= LIMIT_MS,
      },
    ];
  } finally {
    await provider.close();
    rmSync(folder, { recursive: true });
  }
}

/**
 * @param {string} root
 * @param {string} baseUrl
 * @param {string} store
 */
const libraryProgram = (root, baseUrl, store) => `
import { agent } from ${JSON.stringify(pathToFileURL(join(root, "dist", "index.js")).href)};
const bot = agent(${JSON.stringify({ baseUrl, model: "m", store })});
process.stdout.write(JSON.stringify(await bot.run("hi")) + "\\n");
await bot.close();
`;

/**
 * @param {string} node
 * @param {string[]} args
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<number>} ms
 */
async function wallTime(node, args, env) {
  const startedAt = performance.now();
  const child = spawn(node, args, { env, stdio: ["ignore", "pipe", "inherit"] });
  let stdout = "";
  child.stdout.setEncoding("utf8").on("data", (/** @type {string} */ text) => (stdout += text));
  const [code] = await once(child, "close");
  if (code !== 0 || JSON.parse(stdout).answer !== "Hi.") throw new Error(`it ended with ${code}: ${stdout}`);
  return performance.now() - startedAt;
}
