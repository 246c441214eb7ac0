import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { lifetime } from "../support/life.ts";
import { checkPromises } from "../support/promises.ts";
import type { Mutant, Plan } from "../support/world.ts";
import { PLANTED, plantedPage } from "./planted.ts";

const plan: Plan = {
  moves: [{ type: "tools", names: ["read", "send", "guarded"] }],
  arrivals: [],
  maxIterations: 3,
  policies: ["park"],
  answers: [true],
};

async function check(script: Plan): Promise<void> {
  const life = await lifetime(script);
  try {
    checkPromises(life, "whole");
  } finally {
    await life.world.dispose();
  }
}

test("without a planted bug the checks are content", async () => {
  await assert.doesNotReject(check(plan));
  await assert.doesNotReject(check({ ...plan, arrivals: [{ type: "interrupt", at: 7 }] }));
});

const FOUND: Readonly<Record<Mutant, { readonly breach: RegExp; readonly script?: Partial<Plan> }>> = {
  "eager-request": {
    breach: /a request left before its attempt was durable[^]*receipt \S+ left before it was durable/,
  },
  "eager-effect": { breach: /send \S+ ran before its start was durable/ },
  "early-publish": { breach: /was shown before it was durable/ },
  unasked: { breach: /guarded \S+ ran and nobody had allowed it/ },
  forgetful: {
    breach: /outcome-differs.*interrupt-requested/,
    script: { arrivals: [{ type: "interrupt", at: 7 }] },
  },
};
for (const [mutant, { breach, script }] of Object.entries(FOUND))
  test(`[X12] a planted bug is found: ${mutant}`, async () => {
    await assert.rejects(check({ ...plan, ...script, mutant: mutant as Mutant }), breach);
  });

const ROOT = join(import.meta.dirname, "../..");

test.each(PLANTED)("it can be planted: $name", ({ file, find, tests = [] }) => {
  assert.equal(readFileSync(join(ROOT, file), "utf8").split(find).length, 2, `${file} holds this once: ${find}`);
  for (const path of tests) assert.ok(existsSync(join(ROOT, path)), path);
});

test("[X12] the page of planted faults tells of each, and of no other; vitest -u writes it", async () => {
  assert.ok(PLANTED.length >= 60);
  await expect(plantedPage()).toMatchFileSnapshot(join(ROOT, "docs/planted-faults.md"));
});
