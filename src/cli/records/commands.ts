import { Command } from "commander";
import type { CommandContext } from "../context.ts";
import type { Flags } from "../flags.ts";
import { addTurnOptions, type Form, readable } from "../options.ts";

/** The commands about what was kept; each loads its code when it is called. */
export const recordCommands = (context: CommandContext): Command[] => [
  sessionCommand(context),
  turnCommand(context),
  approveCommand(context),
  psCommand(context),
  nextCommand(context),
];

function sessionCommand(context: CommandContext): Command {
  const group = new Command("session").description("what was kept");
  readable(group.command("list").description("all sessions, the newest first")).action((form: Form) =>
    context.withStore(async (store) => (await import("./sessions.ts")).listSessions(store, context.asked(form))),
  );
  readable(group.command("show").description("the messages of a session"))
    .argument("<session>", "its id, or last")
    .action((session: string, form: Form) =>
      context.withStore(async (store) =>
        (await import("./sessions.ts")).showSession(store, session, context.asked(form)),
      ),
    );
  readable(group.command("search").description("what was said, in any session"))
    .argument("<words...>")
    .action((words: string[], form: Form) =>
      context.withStore(async (store) =>
        (await import("./sessions.ts")).searchSessions(store, words.join(" "), context.asked(form)),
      ),
    );
  const resume = group.command("resume").description("go on with the unfinished turn of a session");
  resume.argument("<session>", "its id, or last").requiredOption("--continue", "go on with the turn itself");
  addTurnOptions(resume).action(async (session: string, flags: Flags) => {
    const { runResume } = await import("../prompt/run.ts");
    context.endWith(await runResume(context.headless(flags), session));
  });
  return group;
}

function turnCommand(context: CommandContext): Command {
  const group = new Command("turn").description("what happened");
  readable(group.command("show").description("the facts of a turn; always JSON"))
    .argument("[turn]", "its id, or last", "last")
    .option("--raw", "its requests instead, as the model saw them: one JSON body a line")
    .action((turn: string, { raw }: { readonly raw?: boolean }) =>
      context.withStore(async (store) => {
        const { showRequests, showTurn } = await import("./turns.ts");
        (raw === true ? showRequests : showTurn)(store, context.io, turn);
      }),
    );
  readable(group.command("explain").description("what happened in a turn, step by step, and why it ended"))
    .argument("<turn>", "its id, or last")
    .action((turn: string, form: Form) =>
      context.withStore(async (store) =>
        (await import("./turns.ts")).explainStoredTurn(store, turn, context.asked(form)),
      ),
    );
  return group;
}

function approveCommand(context: CommandContext): Command {
  const group = new Command("approve").description("calls of parked turns that need a person");
  readable(group.command("list").description("what waits, with the id of each call")).action((form: Form) =>
    context.withStore(async (store) => (await import("./approve.ts")).listQuestions(store, context.asked(form))),
  );
  for (const verb of ["yes", "no"] as const)
    readable(group.command(verb).description(verb === "yes" ? "allow calls" : "deny calls"))
      .argument("<id...>", "as list shows them")
      .action((ids: string[], form: Form) =>
        context.withStore(async (store) =>
          (await import("./approve.ts")).decideAll(store, ids, { allow: verb === "yes", ...context.asked(form) }),
        ),
      );
  return group;
}

function psCommand(context: CommandContext): Command {
  const ps = new Command("ps").description("turns that run, are parked or were left, and what each waits for");
  return readable(ps).action((form: Form) =>
    context.withStore(async (store) => (await import("./open-turns.ts")).listOpenTurns(store, context.asked(form))),
  );
}

function nextCommand(context: CommandContext): Command {
  const next = new Command("next").description("the first next step of the last turn that can be run");
  return readable(next)
    .option("--run", "run it")
    .action(async (form: Form & { readonly run?: boolean }) => {
      const { nextStep, printStep, wordsOf } = await import("./next.ts");
      const asked = context.asked(form);
      const step = await context.withStore((store) => nextStep(store, asked));
      const command = form.run === true ? step?.command : undefined;
      if (typeof command === "string") context.endWith(await context.runInstead(wordsOf(command)));
      else printStep(step, asked);
    });
}
