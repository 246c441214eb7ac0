import { expect, test } from "vitest";
import fc from "fast-check";
import type { Claim } from "../../src/protocol/tool.ts";
import { conflicts, MAX_PARALLEL, nextSegment } from "../../src/turn/plan.ts";
import type { OpenCall } from "../../src/turn/state.ts";

const path = fc.constantFrom("/", "/a", "/a/b", "/a/b/c", "/ab", "/c");
const claim: fc.Arbitrary<Claim> = fc.oneof(
  { weight: 3, arbitrary: fc.constant<Claim>({ mode: "shared" }) },
  { weight: 1, arbitrary: fc.constant<Claim>({ mode: "exclusive" }) },
  {
    weight: 3,
    arbitrary: fc.record({
      mode: fc.constant("paths" as const),
      reads: fc.array(path, { maxLength: 2 }),
      writes: fc.array(path, { maxLength: 1 }),
    }),
  },
);

const openCall = (it: Claim, seq: number): OpenCall => ({
  part: { type: "tool-call", callId: `c${seq}`, name: "t", input: "{}" },
  seq,
  inspection: { claim: it, effect: "pure" },
  started: false,
  approval: "unasked",
});

function segmentsOf(claims: readonly Claim[]): OpenCall[][] {
  const open = claims.map(openCall);
  const segments: OpenCall[][] = [];
  for (let at = 0; at < open.length; at += segments.at(-1)?.length ?? 0) {
    segments.push(nextSegment(open.slice(at)));
    if (segments.at(-1)?.length === 0) throw new Error("an empty segment");
  }
  return segments;
}

/** Written from the words of rows E2 and E3, not from the planner: plain loops over path components. */
function mayNotMeet(a: Claim, b: Claim): boolean {
  if (a.mode === "exclusive" || b.mode === "exclusive") return true;
  if (a.mode === "shared" || b.mode === "shared") return false;
  const components = (text: string): string[] => text.split("/").filter((name) => name !== "");
  const related = (x: string, y: string): boolean => {
    const [short = [], long = []] = [components(x), components(y)].toSorted((p, q) => p.length - q.length);
    return short.every((name, index) => long[index] === name);
  };
  const pairs = [
    ...a.writes.map((w) => [w, [...b.writes, ...b.reads]] as const),
    ...b.writes.map((w) => [w, a.reads] as const),
  ];
  return pairs.some(([write, others]) => others.some((other) => related(write, other)));
}

test("[E2 E3] segments keep the order, hold at most 8, never two calls that may not meet, and together are the batch", () => {
  fc.assert(
    fc.property(fc.array(claim, { maxLength: 30 }), (claims) => {
      const segments = segmentsOf(claims);
      expect(segments.flat().map((call) => call.seq)).toEqual(claims.map((_, seq) => seq));
      for (const segment of segments) {
        expect(segment.length).toBeLessThanOrEqual(MAX_PARALLEL);
        for (const [i, a] of segment.entries())
          for (const b of segment.slice(i + 1)) expect(mayNotMeet(a.inspection.claim, b.inspection.claim)).toBe(false);
      }
    }),
    { numRuns: 500 },
  );
});

test("[E2] a segment ends only where it must: at 8, or at a call that may not meet one of it", () => {
  fc.assert(
    fc.property(fc.array(claim, { maxLength: 30 }), (claims) => {
      const segments = segmentsOf(claims);
      for (const [i, segment] of segments.entries()) {
        const next = segments[i + 1]?.[0];
        if (next === undefined || segment.length === MAX_PARALLEL) continue;
        expect(segment.some((call) => mayNotMeet(call.inspection.claim, next.inspection.claim))).toBe(true);
      }
    }),
    { numRuns: 500 },
  );
});

test("[E3] a conflict is one in both directions, and what the words of the row say", () => {
  fc.assert(
    fc.property(claim, claim, (a, b) => {
      expect(conflicts(a, b)).toBe(conflicts(b, a));
      expect(conflicts(a, b)).toBe(mayNotMeet(a, b));
    }),
    { numRuns: 1_000 },
  );
});
