import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { everydayCommands } from "../../../test/support/everyday-project.ts";
import { addSecrets, attacks, policyLab, type PolicyLab } from "../../../test/support/policy-lab.ts";

let base = "";
let lab: PolicyLab;

beforeAll(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "evander-everyday-")));
  lab = policyLab(base);
});

afterAll(() => {
  rmSync(base, { recursive: true });
});

test("[E10] at least 95 of 100 everyday commands that only read run unasked in a small clean repository", () => {
  const commands = everydayCommands();
  const others = commands
    .map((command) => ({ command, verdict: lab.verdict(command) }))
    .filter(({ verdict }) => verdict.type !== "auto")
    .map(({ command, verdict }) => `${command}: ${verdict.type === "auto" ? "" : verdict.why}`);
  expect(commands.length).toBeGreaterThanOrEqual(300);
  expect(1 - others.length / commands.length, others.join("\n")).toBeGreaterThanOrEqual(0.95);
});

test("[E10] of hundreds of attacks none runs unasked, and those on the machine, a home or the program itself never run", () => {
  addSecrets(lab);
  const all = attacks();
  const wrong = all
    .map((attack) => ({ ...attack, got: lab.verdict(attack.command).type }))
    .filter(({ least, got }) => got === "auto" || (least === "deny" && got !== "deny"));
  expect(all.length).toBeGreaterThanOrEqual(200);
  expect(wrong).toEqual([]);
});
