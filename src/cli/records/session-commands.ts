import { Command, Option } from "commander";
import type { CommandContext } from "../context.ts";
import { FORMATS, type PromptFlags } from "../flags.ts";
import { addTurnOptions, changing, type Form, readable } from "../options.ts";
import type { FilterFlags } from "./filter.ts";
import type { ChangeFlags, PruneFlags } from "./change.ts";
import type { SearchFlags } from "./search.ts";
import type { ShowFlags } from "./sessions.ts";
import type { ExportFlags, ImportFlags } from "./transfer.ts";

const NAME = "its id or the beginning of it, its title, or last";

/** `evander session …`; each loads its code when it is called. */
export function sessionCommand(context: CommandContext): Command {
  const group = new Command("session").description("what was kept");
  addReading(group, context);
  addChanging(group, context);
  addBranches(group, context);
  addTransfer(group, context);
  const resume = group.command("resume").description("go on with the unfinished turn of a session");
  resume.argument("<session>", NAME).requiredOption("--continue", "go on with the turn itself");
  addTurnOptions(resume).action(async (session: string, flags: PromptFlags) => {
    const { runResume } = await import("../prompt/run.ts");
    context.endWith(await runResume(context.headless(flags), session));
  });
  return group;
}

function addReading(group: Command, context: CommandContext): void {
  readable(group.command("list").description("all sessions, the newest first"))
    .option("--limit <n>", "so many at most")
    .option("--since <time>", "written since: 12h, 7d, 8w ago, or a date")
    .option("--until <time>", "not written since")
    .option("--title <words>", "with these words in the title")
    .option("--unfinished", "whose last turn has not ended")
    .option("--children <session>", `instead those of the child agents of one: ${NAME}`)
    .action((flags: Form & FilterFlags) =>
      context.withStore(async (store) =>
        (await import("./sessions.ts")).listSessions(store, flags, context.asked(flags)),
      ),
    );
  readable(group.command("show").description("the messages of a session"))
    .argument("<session>", NAME)
    .option("--last <n>", "only the newest messages, so many")
    .action((session: string, flags: Form & ShowFlags) =>
      context.withStore(async (store) =>
        (await import("./sessions.ts")).showSession(store, session, { ...flags, ...context.asked(flags) }),
      ),
    );
  readable(group.command("search").description("what was said, in any session and any script"))
    .argument("<words...>")
    .option("--session <session>", `only in this one: ${NAME}`)
    .option("--limit <n>", "so many sessions at most; 10 when nothing is said")
    .action((words: string[], flags: Form & SearchFlags) =>
      context.withStore(async (store) =>
        (await import("./search.ts")).searchSessions(store, words.join(" "), { ...flags, ...context.asked(flags) }),
      ),
    );
}

function addChanging(group: Command, context: CommandContext): void {
  changing(group.command("rename").description("give a session another title"))
    .argument("<session>", NAME)
    .argument("<title...>")
    .action((session: string, title: string[], flags: Form & ChangeFlags) =>
      context.withStore(async (store) =>
        (await import("./change.ts")).renameSession(
          store,
          { session, title: title.join(" ") },
          { ...flags, ...context.asked(flags) },
        ),
      ),
    );
  changing(group.command("rm").description("remove sessions for good, with all that was said in them"))
    .argument("<session...>", NAME)
    .option("--forks", "also those that were forked from them; else these keep what they share")
    .action((sessions: string[], flags: Form & ChangeFlags & { readonly forks?: boolean }) =>
      context.withStore(async (store) =>
        (await import("./change.ts")).removeSessions(store, sessions, {
          ...flags,
          ...context.asked(flags),
          folder: context.storeFolder(),
        }),
      ),
    );
  changing(group.command("prune").description("remove old sessions for good, but no pinned one"))
    .option("--older-than <time>", "not written since: 12h, 30d, 8w ago, or a date")
    .option("--keep <n>", "but never the newest, so many")
    .option("--unfinished", "also those whose last turn has not ended")
    .action((flags: Form & ChangeFlags & PruneFlags) =>
      context.withStore(async (store) =>
        (await import("./change.ts")).pruneSessions(store, flags, {
          ...flags,
          ...context.asked(flags),
          folder: context.storeFolder(),
        }),
      ),
    );
}

function addBranches(group: Command, context: CommandContext): void {
  changing(
    group.command("fork").description("begin a session with what was said in another one, and leave that as it is"),
  )
    .argument("<session>", NAME)
    .option("--at <n>", "its first n messages, as session show numbers them; else all of them")
    .option("--title <title>", "what it is called; else as the other one, with a number")
    .action((session: string, flags: Form & ChangeFlags & { readonly at?: string; readonly title?: string }) =>
      context.withStore(async (store) => {
        const { newSessionId } = context;
        const asked = { ...flags, ...context.asked(flags), newSessionId };
        await (await import("./branches.ts")).forkSession(store, session, asked);
      }),
    );
  readable(group.command("tree").description("which sessions were forked from which, and where"))
    .argument("[session]", `only the branches of one conversation: ${NAME}`)
    .action((session: string | undefined, form: Form) =>
      context.withStore(async (store) =>
        (await import("./branches.ts")).showTrees(store, session, context.asked(form)),
      ),
    );
  addPin(group, context, { name: "pin", about: "keep sessions from being pruned", pinned: true });
  addPin(group, context, { name: "unpin", about: "let sessions be pruned again", pinned: false });
}

interface Pin {
  readonly name: string;
  readonly about: string;
  readonly pinned: boolean;
}

function addPin(group: Command, context: CommandContext, { name, about, pinned }: Pin): void {
  changing(group.command(name).description(about))
    .argument("<session...>", NAME)
    .action((sessions: string[], flags: Form & ChangeFlags) =>
      context.withStore(async (store) =>
        (await import("./branches.ts")).pinSessions(store, sessions, { ...flags, ...context.asked(flags), pinned }),
      ),
    );
}

function addTransfer(group: Command, context: CommandContext): void {
  group
    .command("export")
    .description("sessions as text, on stdout")
    .argument("[session...]", NAME)
    .addOption(
      new Option("--format <format>", "jsonl holds all of it and can be imported").choices(FORMATS).default("jsonl"),
    )
    .option("--all", "all sessions")
    .action((sessions: string[], flags: ExportFlags) =>
      context.withStore(async (store) =>
        (await import("./transfer.ts")).exportSessions(store, context.io, sessions, flags),
      ),
    );
  changing(group.command("import").description("take sessions in: our jsonl, or messages in the OpenAI shape"))
    .argument("<file>", "its path, or - for stdin")
    .option("--new", "under new ids")
    .action((file: string, flags: Form & ImportFlags) =>
      context.withStore(async (store) => {
        const { importSessions } = await import("./transfer.ts");
        const { newSessionId } = context;
        await importSessions(store, file, { ...flags, ...context.asked(flags), newSessionId });
      }),
    );
}
