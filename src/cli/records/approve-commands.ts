import { Command } from "commander";
import type { RuleBook, Scope } from "../../protocol/approval.ts";
import { RULE_WORDS } from "../../words/approvals.ts";
import { ownFolders } from "../config/own-folders.ts";
import type { CommandContext } from "../context.ts";
import { type Form, readable } from "../options.ts";
import { usageRefusal } from "../refusal.ts";
import type { Decision } from "./approve.ts";

interface DecisionForm extends Form {
  readonly session?: boolean;
  readonly always?: boolean;
  readonly stop?: boolean;
  readonly dryRun?: boolean;
}

/** `evander approve …`; each loads its code when it is called. */
export function approveCommand(context: CommandContext): Command {
  const group = new Command("approve").description(
    "calls of parked turns that need a person, and what is allowed for good",
  );
  readable(group.command("list").description("what waits, with the id of each call")).action((form: Form) =>
    context.withStore(async (store) => (await import("./approve.ts")).listQuestions(store, context.asked(form))),
  );
  addDeciding(group, context);
  addRules(group, context);
  return group;
}

/** `evander answer`: words to a question that waits. */
export function answerCommand(context: CommandContext): Command {
  const command = new Command("answer").description("answer a question that a model has asked in a parked turn");
  return readable(command)
    .argument("<id>", "as approve list shows it")
    .argument("<words...>", "the answer; a number stands for its choice")
    .action((id: string, words: string[], form: Form) =>
      context.withStore(async (store) =>
        (await import("./approve.ts")).answerQuestion(store, id, words.join(" "), context.asked(form)),
      ),
    );
}

function addDeciding(group: Command, context: CommandContext): void {
  const decide = (ids: string[], decision: Omit<Decision, "rules">): Promise<void> =>
    context.withStore(async (store) => {
      const { decideAll } = await import("./approve.ts");
      return decideAll(store, ids, { ...decision, rules: await openRules(context) });
    });
  readable(group.command("yes").description("allow calls"))
    .argument("<id...>", "as list shows them")
    .option("--session", "and the like from now on, in this session")
    .option("--always", "and the like from now on: see approve rules")
    .option("--dry-run", "only show what would be allowed, and the rules that would be written")
    .action((ids: string[], { session, always, dryRun = false, ...form }: DecisionForm) => {
      const scope = scopeOf(session === true, always === true);
      return decide(ids, { allow: true, dryRun, ...(scope && { scope }), ...context.asked(form) });
    });
  readable(group.command("no").description("deny calls"))
    .argument("<id...>", "as list shows them")
    .option("--stop", "and stop their turns")
    .option("--dry-run", "only show what would be denied")
    .action((ids: string[], { stop = false, dryRun = false, ...form }: DecisionForm) =>
      decide(ids, { allow: false, stop, dryRun, ...context.asked(form) }),
    );
}

function addRules(group: Command, context: CommandContext): void {
  readable(group.command("rules").description("what was allowed for good, and how often that was of use")).action(
    async (form: Form) => (await import("./rules.ts")).listRules(await openRules(context), context.asked(form)),
  );
  readable(group.command("forget").description("take rules back: the calls they allowed ask again"))
    .argument("<rule...>", "ids, as rules shows them")
    .option("--dry-run", "only say which")
    .action(async (ids: string[], { dryRun = false, ...form }: DecisionForm) =>
      (await import("./rules.ts")).forgetRules(await openRules(context), ids, { dryRun, ...context.asked(form) }),
    );
}

function scopeOf(session: boolean, always: boolean): Scope | undefined {
  if (session && always) throw usageRefusal(RULE_WORDS.bothScopes);
  return session ? "session" : always ? "always" : undefined;
}

const openRules = ({ adapters, io }: CommandContext): Promise<RuleBook> => adapters.openRules(ownFolders(io), io.cwd);
