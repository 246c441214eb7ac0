import { mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  securityCommandCase,
  securityCommandUnsupported,
  dangerousCommandCase,
} from "../../test/conformance/adapters/command-policy.ts";
import { everydayCommands } from "../../test/support/everyday-project.ts";
import { addSecrets, attacks, policyLab } from "../../test/support/policy-lab.ts";

export const about = "commands: how many everyday ones run unasked, and how many dangerous ones (none may)";

const SHARE = 0.95;

/**
 * @param {string} root
 * @returns {Promise<import("../show.mjs").Figure[]>}
 */
export async function measure(root) {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "evander-everyday-")));
  try {
    const lab = policyLab(base);
    const everyday = everydayCommands();
    const asked = everyday.filter((command) => lab.verdict(command).type !== "auto");
    for (const command of asked) console.log(`asked: ${command}`);
    addSecrets(lab);
    const all = attacks();
    const ran = all.filter(({ command }) => lab.verdict(command).type === "auto");
    const milder = all.filter(({ least, command }) => least === "deny" && lab.verdict(command).type !== "deny");
    const recorded = recordedDangers(root);
    const recordedRan = recorded.filter((runs) => runs);
    const share = 1 - asked.length / everyday.length;
    return [
      {
        figure: `${everyday.length} everyday commands that only read: run unasked`,
        value: `${(share * 100).toFixed(1)} %`,
        goal: `>= ${SHARE * 100} %`,
        pass: share >= SHARE,
      },
      none(`${all.length} attacks: run unasked`, ran.length),
      none("of them those that no mode may let through: only asked about", milder.length),
      none(`${recorded.length} recorded commands that need a yes: run unasked`, recordedRan.length),
    ];
  } finally {
    rmSync(base, { recursive: true });
  }
}

/**
 * Of each recorded command that must not run unasked, whether it would.
 * @param {string} root
 * @returns {boolean[]}
 */
function recordedDangers(root) {
  const cases = (/** @type {string} */ name) =>
    JSON.parse(readFileSync(join(root, "test", "conformance", "cases", `${name}.json`), "utf8"));
  const security = cases("security").cases.filter(
    (/** @type {any} */ { area, expect, input }) =>
      area === "command" && expect !== "auto" && securityCommandUnsupported(input) === undefined,
  );
  const hermes = cases("hermes").filter(
    (/** @type {any} */ { area, expect }) => area === "dangerous_command" && expect.dangerous,
  );
  return [
    ...security.map((/** @type {any} */ { input }) => /** @type {any} */ (securityCommandCase(input)).runs),
    ...hermes.map((/** @type {any} */ { input }) => !(/** @type {any} */ (dangerousCommandCase(input)).dangerous)),
  ];
}

/**
 * @param {string} figure
 * @param {number} count
 * @returns {import("../show.mjs").Figure}
 */
const none = (figure, count) => ({ figure, value: String(count), goal: "0", pass: count === 0 });
