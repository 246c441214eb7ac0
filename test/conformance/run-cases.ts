import type { Adapter } from "./adapters.ts";
import type { Case, CaseFile, Json } from "./case-file.ts";
import { difference, type SymbolMatcher, type Symbols } from "./compare.ts";
import type { Deviation } from "./deviations/deviation.ts";

export type Status = "pass" | "fail" | "deviation" | "unsupported";

/** What is said of one case; the keys are the machine-readable report. */
export interface Verdict {
  readonly id: string;
  readonly area: string;
  readonly status: Status;
  readonly actual?: unknown;
  readonly reason?: string;
}

export interface Candidate {
  readonly adapters: ReadonlyMap<string, Adapter>;
  readonly symbols: ReadonlyMap<string, SymbolMatcher>;
  readonly deviations: readonly Deviation[];
}

/** Runs the cases one after the other, in file order; `areas` undefined means all. Never rejects. */
export async function runCases(
  file: CaseFile,
  candidate: Candidate,
  areas: ReadonlySet<string> | undefined,
): Promise<{ readonly item: Case; readonly verdict: Verdict }[]> {
  const results: { item: Case; verdict: Verdict }[] = [];
  for (const item of file.cases) {
    if (areas !== undefined && !areas.has(item.area)) continue;
    const judgement = await judge(item, candidate, file.symbols).catch(failedBy);
    results.push({ item, verdict: { id: item.id, area: item.area, ...judgement } });
  }
  return results;
}

type Judgement = Omit<Verdict, "id" | "area">;

const failedBy = (error: unknown): Judgement => ({
  status: "fail",
  reason: `threw: ${error instanceof Error ? error.message : String(error)}`,
});

async function judge(item: Case, candidate: Candidate, declared: Symbols["declared"]): Promise<Judgement> {
  if (item.malformed !== undefined) return { status: "unsupported", reason: `malformed: ${item.malformed}` };
  const adapter = candidate.adapters.get(item.area);
  if (isProse(item.expect) && adapter?.sentences !== true) return { status: "unsupported", reason: "prose" };
  if (adapter === undefined) return { status: "unsupported", reason: "no adapter" };
  const unsupported = adapter.unsupported?.(item.input, item.expect);
  if (unsupported !== undefined) return { status: "unsupported", reason: unsupported };
  const actual = await adapter.run(item.input);
  const symbols: Symbols = { known: candidate.symbols, declared, input: item.input };
  const expect = adapter.expectation?.(item.expect) ?? item.expect;
  const found = difference(expect, actual, symbols);
  if (found === undefined) return { status: "pass", actual };
  const deviations = candidate.deviations.filter(
    (rule) =>
      rule.area === item.area &&
      rule.applies(item.input, expect) &&
      difference(rule.ours(item.input, expect), actual, symbols) === undefined,
  );
  if (deviations.length > 0) {
    const reasons = new Set(deviations.map(({ reason, spec }) => `${reason} (${spec})`));
    return { status: "deviation", actual, reason: [...reasons].join("; ") };
  }
  return { status: "fail", actual, reason: found };
}

/** A sentence is for people: it is shown by a test that carries the case's id. */
const isProse = (expect: Json): boolean => typeof expect === "string" && /\S\s+\S/u.test(expect);
