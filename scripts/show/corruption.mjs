import { spawnSync } from "node:child_process";
import { join } from "node:path";

export const about = "damage to the files of a store: told, harmless, or silent, and what is recovered (R7)";

/** Of each kind; FLIPS in the environment asks for another number. */
const EACH = process.env["FLIPS"] ?? "200";

/**
 * @param {string} root
 * @returns {Promise<import("../show.mjs").Figure[]>}
 */
export async function measure(root) {
  const vitest = join(root, "node_modules", "vitest", "vitest.mjs");
  const args = [vitest, "run", "--project", "unit", "test/properties/corruption.test.ts"];
  const { status, stdout } = spawnSync(process.execPath, args, {
    cwd: root,
    encoding: "utf8",
    env: { ...process.env, FLIPS: EACH },
  });
  const line = /counts (\{.*\})/u.exec(stdout)?.[1];
  if (line === undefined) throw new Error(`the test gave no counts: ${stdout.slice(-2_000)}`);
  /** @type {Record<string, Partial<Record<"told" | "harmless" | "silent", number>>>} */
  const counts = JSON.parse(line);
  const rows = Object.entries(counts).map(([kind, { told = 0, harmless = 0, silent = 0 }]) => ({
    figure: `${kind}: told, harmless, silent`,
    value: `${told}, ${harmless}, ${silent}`,
    goal: "silent <= 1 %",
    pass: silent * 100 <= told + harmless + silent,
  }));
  const recovered = {
    figure: "each told one recovered, sound, original kept",
    value: status === 0 ? "yes" : "no",
    goal: "yes",
    pass: status === 0,
  };
  return [...rows, recovered];
}
