import { execFile } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const DRIVERS = fileURLToPath(new URL("../drivers/", import.meta.url));

/** Installed peers and temporary stores live here. */
export const BENCH_HOME = process.env["BENCH_HOME"] ?? path.join(os.tmpdir(), "evander-bench");

/**
 * @typedef {object} Peer
 * @property {string} name
 * @property {string} persist what the driver is told to save; `none` when peers.json names nothing
 * @property {string} driverUrl
 *
 * @typedef {object} PeerEntry one entry of peers.json
 * @property {string} name
 * @property {string} driver
 * @property {string} [persist]
 * @property {Record<string, string>} [packages] exact versions
 * @property {string} [commit] of this repository: what it was then is built in a folder of its own, with its own driver
 */

/** @returns {PeerEntry[]} */
export function listPeers() {
  return JSON.parse(readFileSync(new URL("../peers.json", import.meta.url), "utf8")).peers;
}

/**
 * Makes the named peers ready to be measured; what they need is installed once, with no install scripts.
 * @param {readonly string[]} names
 * @param {(line: string) => void} report progress, and which peers are left out and why
 * @returns {Promise<Peer[]>}
 */
export async function preparePeers(names, report) {
  const entries = listPeers();
  const unknown = names.find((name) => entries.every((entry) => entry.name !== name));
  if (unknown !== undefined) {
    throw new Error(`There is no peer ${unknown}; the peers are: ${entries.map((entry) => entry.name).join(", ")}.`);
  }
  const peers = [];
  for (const entry of entries.filter(({ name }) => names.includes(name))) {
    const file = await driverFile(entry, report);
    const { name, persist = "none" } = entry;
    if (file !== undefined) peers.push({ name, persist, driverUrl: pathToFileURL(file).href });
  }
  return peers;
}

/**
 * A driver of an installed peer is copied beside its packages, so that they are found.
 * @param {PeerEntry} entry
 * @param {(line: string) => void} report
 * @returns {Promise<string | undefined>} undefined: the peer cannot be installed
 */
async function driverFile({ name, driver, packages, commit }, report) {
  if (commit !== undefined) return earlierDriver({ name, driver, commit }, report);
  if (packages === undefined) return path.join(DRIVERS, driver);
  const folder = path.join(BENCH_HOME, "peers", name);
  const wanted = `${JSON.stringify({ private: true, type: "module", dependencies: packages }, null, 2)}\n`;
  const manifest = path.join(folder, "package.json");
  const stamp = path.join(folder, "installed");
  if (!existsSync(stamp) || readFileSync(stamp, "utf8") !== wanted) {
    report(`installing ${name} into ${folder} …`);
    mkdirSync(folder, { recursive: true });
    writeFileSync(manifest, wanted);
    const trouble = await npmInstall(folder);
    if (trouble !== undefined) {
      report(`${name} is left out: it cannot be installed (${trouble}).`);
      return undefined;
    }
    writeFileSync(stamp, wanted);
  }
  copyFileSync(path.join(DRIVERS, driver), path.join(folder, driver));
  return path.join(folder, driver);
}

const ROOT = path.dirname(path.dirname(DRIVERS));

/**
 * @param {{ name: string, driver: string, commit: string }} entry
 * @param {(line: string) => void} report
 * @returns {Promise<string | undefined>} undefined: it cannot be built, such as in a clone without its history
 */
async function earlierDriver({ name, driver, commit }, report) {
  const folder = path.join(BENCH_HOME, "builds", commit);
  const stamp = path.join(folder, "dist", "built");
  if (!existsSync(stamp)) {
    report(`building ${name} (${commit}) in ${folder} …`);
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(path.dirname(folder), { recursive: true });
    const trouble =
      (await run("git", ["clone", "--quiet", "--no-checkout", ROOT, folder], ROOT)) ??
      (await run("git", ["checkout", "--quiet", commit], folder)) ??
      (await run(process.execPath, [path.join("scripts", "build.mjs")], folder));
    if (trouble !== undefined) {
      report(`${name} is left out: it cannot be built (${trouble}).`);
      return undefined;
    }
    writeFileSync(stamp, commit);
  }
  return path.join(folder, "bench", "drivers", driver);
}

const INSTALL = ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--no-update-notifier", "--loglevel=error"];

/** @param {string} folder */
const npmInstall = (folder) => run("npm", INSTALL, folder);

/**
 * @param {string} program
 * @param {readonly string[]} words
 * @param {string} cwd
 * @returns {Promise<string | undefined>} its reason when it fails
 */
function run(program, words, cwd) {
  const options = { cwd, shell: process.platform === "win32" };
  return new Promise((resolve) => {
    execFile(program, words, options, (error, _output, said) => {
      resolve(error === null ? undefined : said.trim().split("\n", 1)[0] || error.message);
    });
  });
}
