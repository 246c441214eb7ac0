import { Command } from "commander";
import type { CommandContext } from "../context.ts";
import { type Form, readable } from "../options.ts";
import { answerCommand, approveCommand } from "./approve-commands.ts";
import { addFileCommands } from "./file-commands.ts";
import { sessionCommand } from "./session-commands.ts";
import { addReplayCommand } from "./replay-commands.ts";
import { addShowCommands } from "./show-commands.ts";

/** The commands about what was kept; each loads its code when it is called. */
export const recordCommands = (context: CommandContext): Command[] => [
  sessionCommand(context),
  turnCommand(context),
  approveCommand(context),
  answerCommand(context),
  contextCommand(context),
  psCommand(context),
  nextCommand(context),
];

function turnCommand(context: CommandContext): Command {
  const group = new Command("turn").description("what happened");
  addShowCommands(group, context);
  readable(group.command("explain").description("what happened in a turn, step by step, and why it ended"))
    .argument("[turn]", "its id or the beginning of it, or last", "last")
    .action((turn: string, form: Form) =>
      context.withStore(async (store) =>
        (await import("./explain-turn.ts")).explainStoredTurn(store, turn, context.asked(form)),
      ),
    );
  readable(group.command("cost").description("what a turn cost, request by request, by five kinds of tokens"))
    .argument("[turn]", "its id or the beginning of it, or last", "last")
    .option("--days <n>", "instead: what each of the last n days cost, in all sessions")
    .action((turn: string, { days, ...form }: Form & { readonly days?: string }) =>
      context.withStore(async (store) => {
        const { tellCost, tellDays } = await import("./turns.ts");
        if (days === undefined) tellCost(store, turn, context.asked(form));
        else tellDays(store, days, context.asked(form));
      }),
    );
  readable(group.command("cache").description("what the prompt cache brought, and why where it brought less"))
    .argument("[turn]", "its id or the beginning of it, or last", "last")
    .action((turn: string, form: Form) =>
      context.withStore(async (store) => (await import("./turns.ts")).tellCache(store, turn, context.asked(form))),
    );
  addReplayCommand(group, context);
  addFileCommands(group, context);
  return group;
}

interface ContextForm extends Form {
  readonly model?: string;
  readonly provider?: string;
  readonly cwd?: string;
}

function contextCommand(context: CommandContext): Command {
  const group = new Command("context").description("what a model is sent");
  readable(group.command("show").description("the parts of the next request: tokens, and where each comes from"))
    .argument("[session]", "its id or the beginning of it, its title, or last; else a new session here")
    .option("--model <name>", "the model that would be asked")
    .option("--provider <name>", "who serves it")
    .option("--cwd <folder>", "the folder to work in")
    .action(async (session: string | undefined, { json, lang, output, ...named }: ContextForm) => {
      const asked = context.asked({ ...(json && { json }), ...(lang && { lang }), ...(output && { output }) });
      const run = context.headless({ output: "text", ...named, ...(lang && { lang }) });
      const { showContext } = await import("./context.ts");
      if (session === undefined) return showContext(run, asked);
      return context.withStore((store) => showContext(run, { ...asked, store, session }));
    });
  return group;
}

function psCommand(context: CommandContext): Command {
  const ps = new Command("ps").description(
    "turns that run, are parked or were left, and what each waits for; background processes of sessions",
  );
  return readable(ps).action((form: Form) =>
    context.withStore(async (store) => {
      const { listOpenTurns } = await import("./open-turns.ts");
      listOpenTurns(store, await context.backgroundProcesses(), context.asked(form));
    }),
  );
}

function nextCommand(context: CommandContext): Command {
  const next = new Command("next").description("what helps after the last turn; with a number, does it");
  return readable(next)
    .argument("[step...]", "its number, and what has to be filled in")
    .action(async (words: string[], form: Form) => {
      const { commandOf, numberedSteps, printSteps } = await import("./next.ts");
      const asked = context.asked(form);
      const steps = await context.withStore((store) => numberedSteps(store, asked));
      if (words.length === 0) printSteps(steps, asked);
      else context.endWith(await context.runInstead(commandOf(steps, words, asked)));
    });
}
