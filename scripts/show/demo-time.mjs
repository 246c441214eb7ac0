import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { setUp } from "../setup/set-up.mjs";

export const about =
  "`evander demo` from start to end in an empty home, without a key: time, code, what it leaves behind";

const LIMIT_S = 5;

/**
 * @param {string} root
 * @returns {Promise<import("../show.mjs").Figure[]>}
 */
export async function measure(root) {
  const node = await setUp(root, { bundle: true });
  const folder = mkdtempSync(join(tmpdir(), "evander-show-"));
  const temporary = join(folder, "tmp");
  mkdirSync(temporary);
  try {
    const env = { PATH: process.env["PATH"], HOME: join(folder, "home"), TMPDIR: temporary };
    const startedAt = performance.now();
    const program = [join(root, "bin", "evander.cjs"), "demo"];
    const { status, stdout } = spawnSync(node, program, { cwd: folder, env, encoding: "utf8" });
    const seconds = (performance.now() - startedAt) / 1_000;
    console.log(stdout);
    const left = readdirSync(temporary);
    return [
      {
        figure: "evander demo, wall time",
        value: `${seconds.toFixed(2)} s`,
        goal: `<= ${LIMIT_S} s`,
        pass: seconds <= LIMIT_S,
      },
      { figure: "exit code", value: String(status), goal: "0", pass: status === 0 },
      {
        figure: "left in the temporary folder",
        value: left.join(" ") || "nothing",
        goal: "nothing",
        pass: left.length === 0,
      },
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
