import { expect, test } from "vitest";
import { type Claim, EXCLUSIVE, SHARED } from "../protocol/tool.ts";
import { conflicts, MAX_PARALLEL, nextSegment, pathsOverlap } from "./plan.ts";
import type { OpenCall } from "./state.ts";

const open = (...claims: readonly Claim[]): OpenCall[] =>
  claims.map((claim, seq) => ({
    part: { type: "tool-call", callId: `c${seq}`, name: "x", input: "{}" },
    seq,
    inspection: { claim, effect: "pure" },
    started: false,
    approval: "unasked",
  }));
const planned = (...claims: readonly Claim[]): number => nextSegment(open(...claims)).length;
const reads = (path: string): Claim => ({ mode: "paths", reads: [path], writes: [] });
const writes = (path: string): Claim => ({ mode: "paths", reads: [], writes: [path] });

test("[E2] a segment ends before a conflict, at a barrier, and at eight calls", () => {
  expect(planned()).toBe(0);
  expect(planned(SHARED, SHARED, EXCLUSIVE, SHARED)).toBe(2);
  expect(planned(EXCLUSIVE, SHARED)).toBe(1);
  expect(planned(writes("/a"), writes("/b"), writes("/a"))).toBe(2);
  expect(planned(...Array.from({ length: 20 }, () => SHARED))).toBe(MAX_PARALLEL);
});

test("[E3] paths conflict when one is the other or above it and one side writes", () => {
  expect(conflicts(reads("/a"), reads("/a"))).toBe(false);
  expect(conflicts(reads("/a"), writes("/a/b"))).toBe(true);
  expect(conflicts(writes("/a/b"), reads("/a"))).toBe(true);
  expect(conflicts(writes("/a"), writes("/b"))).toBe(false);
  expect(conflicts(writes("/a"), SHARED)).toBe(false);
  expect(conflicts(SHARED, EXCLUSIVE)).toBe(true);
});

test("[E4] paths are compared by whole names, and an empty path is no path", () => {
  expect(pathsOverlap("/w/a", "/w/a/b")).toBe(true);
  expect(pathsOverlap("/", "/w")).toBe(true);
  expect(pathsOverlap("/a/b", "/a/bc")).toBe(false);
  expect(pathsOverlap("", "/w")).toBe(false);
  expect(pathsOverlap("", "")).toBe(false);
});
