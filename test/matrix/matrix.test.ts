import { expect, test } from "vitest";
import { ALL, CELLS, FAMILIES, IMPOSSIBLE } from "./matrix.ts";

test("[D1] the matrix has 48 faults, five dialects, both ways, and 480 cells that are played", () => {
  const faults = FAMILIES.flatMap((family) => family.faults);
  expect(new Set(faults.map(({ name }) => name)).size).toBe(faults.length);
  expect(faults.length).toBeGreaterThanOrEqual(48);
  expect(ALL.length).toBe(faults.length * 10);
  expect(CELLS.length).toBeGreaterThanOrEqual(480);
  expect(IMPOSSIBLE.length).toBe(ALL.length - CELLS.length);
  for (const { why } of IMPOSSIBLE) expect(why).toMatch(/^\w.{9,}/);
});
