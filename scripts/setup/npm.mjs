import { existsSync } from "node:fs";
import { appendFile } from "node:fs/promises";
import { basename, delimiter, dirname, join } from "node:path";
import { runStep } from "./child.mjs";
import { SetupTrouble } from "./trouble.mjs";

/**
 * npm says silent when the user ran `npm -s`, and a failure must still name its cause; a production
 * environment must not drop the build tools; no package of ours needs a script.
 */
const FLAGS = [
  "--loglevel=error",
  "--include=dev",
  "--include=optional",
  "--ignore-scripts",
  "--no-audit",
  "--no-fund",
  "--no-update-notifier",
  // Without a network npm's own patience (over a minute) only looks like a hang.
  "--fetch-retry-mintimeout=1000",
  "--fetch-retry-maxtimeout=5000",
];

/**
 * The npm that started us, so that user and set-up share one; else the one beside Node.
 * @param {NodeJS.ProcessEnv} env
 * @param {string} nodePath
 * @param {(path: string) => boolean} [exists]
 * @returns {string | undefined} path of npm-cli.js; undefined: only the `npm` command is left to try
 */
export function findNpm(env, nodePath, exists = existsSync) {
  const bin = dirname(nodePath);
  const candidates = [
    env["npm_execpath"] ?? "",
    join(bin, "..", "lib", "node_modules", "npm", "bin", "npm-cli.js"),
    join(bin, "node_modules", "npm", "bin", "npm-cli.js"),
    "/usr/share/nodejs/npm/bin/npm-cli.js",
  ];
  return candidates.find((path) => basename(path) === "npm-cli.js" && exists(path));
}

/**
 * npm's own word for what went wrong.
 * @param {string} output
 * @returns {string}
 */
export function causeOf(output) {
  const code = /^npm (?:error|ERR!) code (\S+)/m.exec(output)?.[1];
  const lines = output.split("\n").map((line) => line.replace(/^npm (?:error|ERR!)\s*/, "").trim());
  const message = lines.find(
    (line) => line !== "" && !/^(?:npm warn|code |syscall |errno |A complete log)/i.test(line),
  );
  return [code, message].filter((part) => part !== undefined).join(": ") || "npm printed no reason";
}

/**
 * Runs npm on the given Node: npm picks platform packages by the version it runs on.
 * @param {string[]} args
 * @param {{ root: string, node: string, onStart: (pid: number) => void }} options
 * @returns {Promise<{ exitCode: number, output: string }>}
 */
export async function runNpm(args, { root, node, onStart }) {
  const npm = findNpm(process.env, process.execPath);
  const env = { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env["PATH"] ?? ""}` };
  const options = { cwd: root, env, onStart };
  if (npm !== undefined) return runStep(node, [npm, ...args, ...FLAGS], options);
  try {
    return await runStep("npm", [...args, ...FLAGS], { ...options, shell: process.platform === "win32" });
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== "ENOENT") throw error;
    throw new SetupTrouble("npm was not found; install npm (it comes with Node) and run the command again");
  }
}

/**
 * @param {string} what failed, e.g. "installing dependencies"
 * @param {string} output
 * @param {string} logFile
 * @returns {Promise<SetupTrouble>}
 */
export async function npmTrouble(what, output, logFile) {
  await appendFile(logFile, output);
  return new SetupTrouble(
    `${what} failed (${causeOf(output)}); check the network, the disk and \`npm config get registry\`, ` +
      `then run the command again (npm's words: ${logFile})`,
  );
}
