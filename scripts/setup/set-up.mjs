import { join } from "node:path";
import { buildBundle, isBundleCurrent } from "./bundle.mjs";
import { areDependenciesCurrent, installDependencies } from "./dependencies.mjs";
import { takeLock } from "./lock.mjs";
import { findNode, installNode } from "./node-runtime.mjs";
import { withProgress } from "./progress.mjs";
import { SetupTrouble } from "./trouble.mjs";

/**
 * Brings what is missing, in order: a Node that is new enough, the dependencies of the lock, the bundle.
 * With nothing missing it takes no lock and starts no process.
 * @param {string} root of the checkout
 * @param {{ bundle: boolean }} wanted
 * @returns {Promise<string>} path of the Node program to go on with
 */
export async function setUp(root, wanted) {
  const node = findReady(root, wanted);
  return node ?? (await completeUnderLock(root, wanted));
}

/**
 * @param {string} root
 * @param {{ bundle: boolean }} wanted
 * @returns {string | undefined}
 */
function findReady(root, wanted) {
  const node = findNode(root);
  if (node === undefined || !areDependenciesCurrent(root)) return undefined;
  return wanted.bundle && !isBundleCurrent(root) ? undefined : node;
}

/**
 * @param {string} root
 * @param {{ bundle: boolean }} wanted
 */
async function completeUnderLock(root, wanted) {
  const lock = await lockOrExplain(root);
  /** @param {number} pid */
  const onStart = (pid) => lock.addWorker(pid);
  try {
    const node =
      findNode(root) ??
      (await withProgress(`getting a newer Node than ${process.version}`, () => installNode(root, onStart)));
    if (!areDependenciesCurrent(root)) {
      await withProgress("installing dependencies", () => installDependencies(root, node, onStart));
    }
    if (wanted.bundle && !isBundleCurrent(root)) {
      await withProgress("building", () => buildBundle(root, node, onStart));
    }
    return node;
  } catch (error) {
    throw asTrouble(root, error);
  } finally {
    await lock.release();
  }
}

/** @param {string} root */
async function lockOrExplain(root) {
  try {
    return await takeLock(join(root, ".runtime", "setup.lock"), (owner) => {
      process.stderr.write(
        `evander: another set-up is running (process ${owner?.pids[0] ?? "starting"}), waiting for it …\n`,
      );
    });
  } catch (error) {
    throw asTrouble(root, error);
  }
}

/**
 * What the file system refuses is the user's to mend; everything else is a bug and stays one.
 * @param {string} root
 * @param {unknown} error
 */
function asTrouble(root, error) {
  const code = error instanceof Error ? /** @type {NodeJS.ErrnoException} */ (error).code : undefined;
  if (code === undefined || !["EACCES", "EPERM", "EROFS", "ENOSPC", "EDQUOT"].includes(code)) return error;
  return new SetupTrouble(
    `set-up cannot write to ${root} (${code}); make it writable, with free space, and run the command again`,
  );
}
