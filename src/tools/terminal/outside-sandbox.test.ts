import { expect, test } from "vitest";
import type { PlannedCommand } from "../command-policy/plan-command.ts";
import { outsideOf } from "./outside-sandbox.ts";

const planned = (verdict: PlannedCommand["verdict"]): PlannedCommand => ({
  verdict,
  runs: "ls",
  reaches: [],
  isOutward: false,
});

test("[X6] [E10] what is to leave the sandbox is asked about, and no rule and no other yes covers it", () => {
  const grant = { tool: "terminal", prefix: ["test"], folder: "/w" };
  const inside = { digest: "d", shown: ["Runs npm"], parts: [{ why: "npm is not known", words: [], grant }] };
  const asked = outsideOf(planned({ type: "ask", why: "npm is not known", plan: inside }), "/w").verdict;
  const free = outsideOf(planned({ type: "auto" }), "/w").verdict;
  expect(asked).toMatchObject({ type: "ask", plan: { shown: ["Runs outside of the sandbox", "Runs npm"] } });
  expect(free).toMatchObject({ type: "ask", plan: { shown: ["Runs outside of the sandbox"] } });
  const digests = [asked, free].map((verdict) => (verdict.type === "ask" ? verdict.plan?.digest : undefined));
  expect(new Set([...digests, "d"]).size).toBe(3);
  // A part without a grant is one that no rule can cover.
  for (const verdict of [asked, free])
    expect(verdict.type === "ask" && verdict.plan?.parts.some((part) => part.grant === undefined)).toBe(true);
  expect(outsideOf(planned({ type: "deny", why: "no" }), "/w").verdict).toEqual({ type: "deny", why: "no" });
});
