import type { Rule, RuleBook } from "../../protocol/approval.ts";
import { reasonOf } from "../../protocol/reason-of.ts";
import { spelledOut } from "../../session/plain-text.ts";
import { brokenRules, noSuchRule, RULE_WORDS, ruleLine } from "../../words/approvals.ts";
import { RULES } from "../../words/steps.ts";
import type { Asked } from "../context.ts";
import { say, sayJson } from "../io.ts";
import { usageRefusal } from "../refusal.ts";

/** `evander approve rules`: what was allowed for good and still holds. */
export async function listRules(book: RuleBook, { io, json, language }: Asked): Promise<void> {
  const rules = await readable(book.list());
  if (json) return sayJson(io, rules);
  if (rules.length === 0) return say(io.stderr, RULE_WORDS.none[language]);
  for (const rule of rules) say(io.stdout, spelledOut(ruleLine(rule, Date.now())[language]));
}

/** `evander approve forget ID…`: the calls that a rule allowed ask again, also in turns that run now. */
export async function forgetRules(
  book: RuleBook,
  ids: readonly string[],
  { io, json, language, dryRun }: Asked & { readonly dryRun: boolean },
): Promise<void> {
  const rules = await readable(book.list());
  const meant = ids.map((id) => rules.find((rule) => rule.id === id) ?? unknown(id));
  if (!dryRun) for (const { id } of meant) await readable(book.forget(id));
  if (json) return sayJson(io, { forgotten: meant, dryRun });
  for (const rule of meant)
    say(
      io.stdout,
      `${RULE_WORDS[dryRun ? "wouldForget" : "forgot"][language]}: ${spelledOut(ruleLine(rule, Date.now())[language])}`,
    );
}

function unknown(id: string): Rule {
  throw usageRefusal(noSuchRule(id), { code: "no_such_rule", steps: [RULES] });
}

/** A file that somebody else has written or can read is its owner's to mend. */
async function readable<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw usageRefusal(brokenRules(reasonOf(error)), { code: "rules_unreadable", steps: [] });
  }
}
