import type { Case } from "./case-file.ts";
import type { Status, Verdict } from "./run-cases.ts";

export interface Result {
  readonly item: Case;
  readonly verdict: Verdict;
}

const WORDS: Readonly<Record<Status, string>> = {
  pass: "pass",
  fail: "FAIL",
  deviation: "deviation",
  unsupported: "not supported",
};

/** One line for each case (three for a failed one), then counts for each area and in total. */
export function humanReport(results: readonly Result[]): string {
  return [...results.flatMap(linesOf), "", ...countLines(results.map((result) => result.verdict))].join("\n");
}

function linesOf({ item, verdict }: Result): string[] {
  const head = `${WORDS[verdict.status].padEnd(13)} ${verdict.id}`;
  switch (verdict.status) {
    case "pass":
      return [head];
    case "fail":
      return [
        `${head}: ${verdict.reason}`,
        `    expected ${show(item.expect)}`,
        `    actual   ${show(verdict.actual)}`,
      ];
    case "deviation":
    case "unsupported":
      return [`${head}: ${verdict.reason}`];
  }
}

const MAX_SHOWN = 2_000;

function show(value: unknown): string {
  const text = value === undefined ? "nothing" : JSON.stringify(value);
  return text.length <= MAX_SHOWN ? text : `${text.slice(0, MAX_SHOWN)}… (${text.length} characters)`;
}

function countLines(verdicts: readonly Verdict[]): string[] {
  const areas = Map.groupBy(verdicts, (verdict) => verdict.area);
  const width = Math.max(5, ...[...areas.keys()].map((area) => area.length));
  const line = (name: string, of: readonly Verdict[]): string => `${name.padEnd(width)}  ${countsOf(of)}`;
  return [...[...areas].map(([area, of]) => line(area, of)), line("total", verdicts)];
}

function countsOf(verdicts: readonly Verdict[]): string {
  const count = (status: Status): number => verdicts.filter((verdict) => verdict.status === status).length;
  const words = (Object.keys(WORDS) as Status[]).map((status) => `${count(status)} ${WORDS[status].toLowerCase()}`);
  return `${verdicts.length} cases: ${words.join(", ")}`;
}

/** The verdicts alone, one a line inside one array, in file order. */
export const jsonReport = (results: readonly Result[]): string =>
  results.length === 0 ? "[]" : `[\n${results.map(({ verdict }) => JSON.stringify(verdict)).join(",\n")}\n]`;
