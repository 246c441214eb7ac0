import fc from "fast-check";
import { expect, test } from "vitest";
import type { ToolCallPart } from "../protocol/message.ts";
import { EXCLUSIVE, HARMLESS, type Inspection } from "../protocol/tool.ts";
import { inspectBatch, MAX_CHILDREN } from "./batch.ts";

const call = (name: string, input = "{}"): ToolCallPart => ({ type: "tool-call", callId: "c", name, input });

const runs = (calls: readonly ToolCallPart[], each: readonly Inspection[] = calls.map(() => HARMLESS)): boolean[] =>
  inspectBatch(calls, each).map((inspection) => inspection.skip === undefined);

test("[E2] of exact duplicates in one reply the first runs; the same tool with other arguments is no duplicate", () => {
  const calls = [call("a", "1"), call("a", "2"), call("a", "1"), call("b", "1"), call("a", "1")];
  expect(runs(calls)).toEqual([true, true, false, true, false]);
  expect(
    inspectBatch(
      calls,
      calls.map(() => HARMLESS),
    )[1],
  ).toBe(HARMLESS);
});

test("[E2] a duplicate is known by the tool it runs; one that cannot run keeps its error", () => {
  const named: Inspection = { ...HARMLESS, name: "a" };
  expect(runs([call("A"), call("a")], [named, HARMLESS])).toEqual([true, false]);
  const refused: Inspection = { claim: EXCLUSIVE, effect: "pure", refuse: "no" };
  expect(inspectBatch([call("x"), call("x")], [refused, refused])).toEqual([refused, refused]);
});

test("[E2] one reply starts only so many child agents; other calls and their order are untouched", () => {
  const calls = Array.from({ length: MAX_CHILDREN + 2 }, (_, at) => call("delegate_task", `${at}`));
  expect(runs([call("a"), ...calls, call("b")])).toEqual([true, true, true, true, false, false, true]);
});

test("[E2] planning a batch again changes nothing", () => {
  const some = fc.array(
    fc.record({ name: fc.constantFrom("a", "delegate_task"), input: fc.constantFrom("1", "2", "3") }),
  );
  fc.assert(
    fc.property(some, (list) => {
      const calls = list.map(({ name, input }) => call(name, input));
      const once = inspectBatch(
        calls,
        calls.map(() => HARMLESS),
      );
      expect(inspectBatch(calls, once)).toEqual(once);
    }),
  );
});
