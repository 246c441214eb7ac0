import type { Rule, RuleBook } from "../../protocol/approval.ts";
import { covers, holds, isFor, newRule, type RuleWorld } from "./rule.ts";
import { parseRules, writtenRules } from "./rule-text.ts";

/** Where rules are kept. */
export interface RuleFile {
  /** Its text; undefined: there is none. Throws for one that cannot be read, or is not its owner's alone. */
  read(): string | undefined;
  /** Puts what `change` makes of the text in its place, while no other process does. */
  change(how: (text: string | undefined) => string): Promise<void>;
}

/** The rules of one folder, for all processes that share it. */
export function openRuleBook(file: RuleFile, world: RuleWorld): RuleBook {
  let rules: readonly Rule[] = [];
  const read = (): readonly Rule[] => parseRules(file.read()).filter((rule) => holds(rule, world));
  const change = (how: (rules: readonly Rule[]) => readonly Rule[]): Promise<void> =>
    file.change((text) => {
      const all = how(parseRules(text));
      rules = all.filter((rule) => holds(rule, world));
      return writtenRules(all);
    });
  return {
    async ready() {
      try {
        rules = read();
      } catch {
        rules = [];
      }
    },
    covers(parts, sessionId) {
      const found = parts.map((part) => rules.find((rule) => covers(rule, part, sessionId)));
      const ids = found.flatMap((rule) => (rule === undefined ? [] : [rule.id]));
      return parts.length === 0 || ids.length < parts.length ? undefined : [...new Set(ids)];
    },
    async used(ids) {
      const usedMs = world.now();
      const counted = (rule: Rule): Rule => (ids.includes(rule.id) ? { ...rule, hits: rule.hits + 1, usedMs } : rule);
      try {
        await change((all) => all.map(counted));
      } catch {
        // It counts as unused the longer: the stricter way to be wrong.
      }
    },
    async learn(grants, scope, sessionId) {
      const owner = scope === "session" ? sessionId : undefined;
      const learnt: Rule[] = [];
      await change((all) => {
        const kept = all.filter((rule) => holds(rule, world));
        for (const grant of grants) {
          const known = kept.find((rule) => rule.sessionId === owner && isFor(rule, grant));
          const rule = known ?? newRule(grant, owner, world);
          if (rule !== undefined) learnt.push(rule);
          if (rule !== undefined && known === undefined) kept.push(rule);
        }
        return kept;
      });
      return learnt;
    },
    list: async () => read(),
    async forget(id) {
      let gone: Rule | undefined;
      await change((all) => {
        gone = all.find((rule) => rule.id === id);
        return all.filter((rule) => rule !== gone);
      });
      return gone;
    },
  };
}
