import type { FailureReason } from "../../protocol/failure.ts";
import { type FailureFacts, isLarge } from "./facts.ts";
import { type Words, wordFinder } from "./find-words.ts";
import { BEFORE_CODES, BEHIND_CODES, type Condition, type Rule } from "./rules.ts";
import { verdict, type Verdict } from "./verdict.ts";
import { CODES, VAGUE_CODES } from "./words/codes.ts";

/** Why a call failed; the rule that decided is named in the verdict. Never throws, and never takes long. */
export function classify(facts: FailureFacts): Verdict {
  const { before, behind } = rulesFor(facts.status);
  const spoken = SPOKEN(facts.text);
  return (
    firstOf(before, facts, spoken) ??
    byCode(facts, CODES) ??
    firstOf(behind, facts, spoken) ??
    byCode(facts, VAGUE_CODES) ??
    NOTHING_KNOWN
  );
}

const NOTHING_KNOWN = verdict("unknown", "nothing-known");

const SPOKEN = wordFinder([...BEFORE_CODES, ...BEHIND_CODES].flatMap(({ says = [] }) => says));

interface RulesOfStatus {
  readonly before: readonly Rule[];
  readonly behind: readonly Rule[];
}

/** Most rules are for one status: those of each are picked once. */
const PICKED = new Map<number | undefined, RulesOfStatus>();

function rulesFor(status: number | undefined): RulesOfStatus {
  const known = PICKED.get(status);
  if (known !== undefined) return known;
  const fits = (rule: Rule): boolean => hasStatus(rule.status, status);
  const rules = { before: BEFORE_CODES.filter(fits), behind: BEHIND_CODES.filter(fits) };
  // What is no status of HTTP is not kept: there is no end of them.
  if (status === undefined || (status >= 100 && status < 600)) PICKED.set(status, rules);
  return rules;
}

function hasStatus(wanted: Condition["status"], status: number | undefined): boolean {
  if (wanted === undefined) return true;
  if (status === undefined) return wanted === "none";
  switch (wanted) {
    case "none":
      return false;
    case "4xx":
      return status >= 400 && status < 500;
    case "5xx":
      return status >= 500 && status < 600;
    default:
      return wanted.includes(status);
  }
}

function firstOf(rules: readonly Rule[], facts: FailureFacts, spoken: ReadonlySet<Words>): Verdict | undefined {
  for (const rule of rules) if (holds(rule, facts, spoken)) return rule.gives;
  return undefined;
}

function holds({ says, code, large, and }: Condition, facts: FailureFacts, spoken: ReadonlySet<Words>): boolean {
  if (says !== undefined) for (const words of says) if (!spoken.has(words)) return false;
  if (code !== undefined && !code.some((each) => facts.codes.includes(each))) return false;
  if (large !== undefined && !isLarge(facts.sent, large)) return false;
  return and === undefined || and(facts);
}

function byCode({ codes }: FailureFacts, table: ReadonlyMap<string, FailureReason>): Verdict | undefined {
  for (const code of codes) {
    const reason = table.get(code);
    if (reason !== undefined) return verdict(reason, `code-${code}`);
  }
  return undefined;
}
