import fc from "fast-check";
import { expect, test } from "vitest";
import { repairJson } from "./repair-arguments.ts";
import { workMs } from "../../test/support/work.ts";

test.each([
  ["", "{}"],
  [" None ", "{}"],
  ["null", "{}"],
  ['{"a": [1, 2,]}', '{"a": [1, 2]}'],
  ['{"a": 1,}', '{"a": 1}'],
  ['{"a": 1}}', '{"a": 1}'],
  ['{"a": [1]}]}', '{"a": [1]}'],
  ['{"a": "x\ty\nz"}', String.raw`{"a":"x\ty\nz"}`],
  ['{"a":1}{"a":1}', '{"a":1}'],
  ['{"a":1}\n{"a":1}', '{"a":1}'],
  ['{"a": "}, ]"}}', '{"a": "}, ]"}'],
])("[C11] %j is notation gone wrong, and nothing is missing", (raw, text) => {
  expect(repairJson(raw)).toEqual({ text, completed: false });
});

test.each([
  ['{"a": 1', '{"a": 1}'],
  ['{"a": [{"b": "c"}', '{"a": [{"b": "c"}]}'],
])("[C11] %j is completed, and says so", (raw, text) => {
  expect(repairJson(raw)).toEqual({ text, completed: true });
});

test.each([
  '{"truncated": "val',
  '{"a":',
  '{"a": 1, "b": 2,',
  '{"a":1} trailing words',
  '{"a":1}{"a":2}',
  "{'a':1}",
  '{"a": [1}',
  '"',
  "}",
])("[C11] [ARG-04] what was meant by %j cannot be told", (raw) => {
  expect(repairJson(raw)).toBeUndefined();
});

test("[C11] JSON cut anywhere is never repaired into an object that says something else", () => {
  const object = fc.dictionary(fc.string({ maxLength: 3 }), fc.string({ maxLength: 4 }), { maxKeys: 3 });
  fc.assert(
    fc.property(object, fc.nat(), (value, cut) => {
      const raw = JSON.stringify(value);
      const repaired = repairJson(raw.slice(0, cut % raw.length));
      if (repaired === undefined || repaired.text === "{}") return;
      for (const [key, text] of Object.entries(JSON.parse(repaired.text) as object)) expect(value[key]).toBe(text);
      expect(repaired.completed).toBe(true);
    }),
  );
});

test.each([
  ["a string that never ends", `{"a": "${String.raw`\"`.repeat(400_000)}`],
  ["a long text cut off", `{"a": "${"x".repeat(900_000)}`],
  ["a long text with line breaks", `{"a": "${"x\n".repeat(400_000)}"`],
  ["brackets alone", `{"a": ${"[".repeat(900_000)}`],
  ["more than anybody means", `{"a": "${"x".repeat(10_000_000)}`],
])("[C11] %s is given up in linear time", (_, raw) => {
  expect(workMs(() => expect(repairJson(raw)?.completed).not.toBe(false))).toBeLessThan(5_000);
});

test("[C11] long arguments are repaired in linear time", () => {
  const raw = `{"a": [${"[1,],".repeat(50_000)}], "b": "${"\t\\\\".repeat(50_000)}"`;
  expect(repairJson(raw)?.completed).toBe(true);
});
