import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { npmTrouble, runNpm } from "./npm.mjs";
import { setupLog } from "./node-runtime.mjs";

/**
 * @typedef {{ version?: string, integrity?: string, optional?: boolean, peer?: boolean, devOptional?: boolean }} LockedPackage
 * @typedef {{ packages: Record<string, LockedPackage> }} Lock
 */

/**
 * Whether the dependencies in place are those of the lock.
 * @param {string} root
 * @returns {boolean}
 */
export function areDependenciesCurrent(root) {
  return readText(stampFile(root)) === lockFingerprint(root);
}

/**
 * Brings `node_modules` in line with the lock; the caller holds the set-up lock.
 * @param {string} root
 * @param {string} node
 * @param {(pid: number) => void} onStart
 */
export async function installDependencies(root, node, onStart) {
  const fingerprint = lockFingerprint(root);
  if (!isInstalledByHand(root)) {
    const { exitCode, output } = await runNpm(["ci"], { root, node, onStart });
    if (exitCode !== 0) throw await npmTrouble("installing dependencies", output, setupLog(root));
  }
  await writeFile(stampFile(root), fingerprint);
}

/**
 * Whether everything a complete install needs is in place, e.g. after `npm ci` by hand. Optional packages
 * may be missing: they belong to other platforms.
 * @param {Lock} lock package-lock.json
 * @param {Lock} installed npm's own record in node_modules
 * @returns {boolean}
 */
export function isComplete(lock, installed) {
  return Object.entries(lock.packages).every(([path, wanted]) => {
    if (path === "") return true;
    const found = installed.packages[path];
    if (found === undefined) return wanted.optional === true || wanted.devOptional === true;
    return found.version === wanted.version && found.integrity === wanted.integrity;
  });
}

/** @param {string} root */
function isInstalledByHand(root) {
  const installed = readText(join(root, "node_modules", ".package-lock.json"));
  const lock = readText(join(root, "package-lock.json"));
  if (installed === undefined || lock === undefined) return false;
  return isComplete(JSON.parse(lock), JSON.parse(installed));
}

/**
 * A checkout moved to another platform needs other optional packages.
 * @param {string} root
 */
function lockFingerprint(root) {
  const hash = createHash("sha256");
  hash.update(`${process.platform} ${process.arch}\n`);
  hash.update(readFileSync(join(root, "package-lock.json")));
  return hash.digest("hex");
}

/**
 * It lies inside `node_modules`, so that removing the folder removes the stamp.
 * @param {string} root
 */
function stampFile(root) {
  return join(root, "node_modules", ".evander-stamp");
}

/** @param {string} path */
function readText(path) {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
