import { spawnSync } from "node:child_process";

/**
 * What git sees as changed or new; nothing outside a git checkout.
 * @param {string} root
 * @returns {string[]} lines of `git status --porcelain`
 */
export function changedFiles(root) {
  const { status, stdout } = spawnSync("git", ["status", "--porcelain"], { cwd: root, encoding: "utf8" });
  return status === 0 ? stdout.split("\n").filter((line) => line !== "") : [];
}
