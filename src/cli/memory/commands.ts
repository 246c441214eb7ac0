import { Argument, Command } from "commander";
import { NOTE_FILES, type NoteBook, type NoteFile } from "../../protocol/memory.ts";
import { ownFolders } from "../config/own-folders.ts";
import type { CommandContext } from "../context.ts";
import { changing, type Form, readable } from "../options.ts";
import type { WithStore } from "./why.ts";

interface Changing extends Form {
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

const NOTE = "its number in the list, or words of it";

/** `evander memory …`: what outlives a session; each loads its code when it is called. */
export function memoryCommand(context: CommandContext): Command {
  const group = new Command("memory").description("what is remembered from session to session");
  addReading(group, context);
  addChanging(group, context);
  addDream(group, context);
  return group;
}

/** The notes of the profile that is asked. */
const openNotes = async (context: CommandContext): Promise<NoteBook> => (await import("./notes.ts")).openNotes(context);

/** Only what names a turn needs the sessions. */
const storeOf =
  (context: CommandContext): WithStore =>
  (use) =>
    context.withStore(use);

function addReading(group: Command, context: CommandContext): void {
  readable(group.command("list").description("all notes with their numbers, and how full each file is")).action(
    async (form: Form) => (await import("./list.ts")).listNotes(await openNotes(context), context.asked(form)),
  );
  readable(group.command("why").description("who wrote a note, in which turn, and what began that turn"))
    .argument("<note...>", NOTE)
    .action(async (words: string[], form: Form) => {
      const { whyNote } = await import("./why.ts");
      const how = { ...context.asked(form), withStore: storeOf(context) };
      await whyNote(await openNotes(context), words.join(" "), how);
    });
}

function addChanging(group: Command, context: CommandContext): void {
  readable(group.command("edit").description("open the notes of a file in $VISUAL or $EDITOR, and check them"))
    .addArgument(new Argument("[file]", "which notes").choices(NOTE_FILES).default("memory"))
    .action(async (file: NoteFile, form: Form) => {
      await (await import("./edit.ts")).editNotes(await openNotes(context), file, context.asked(form));
    });
  changing(group.command("review").description("changes that wait for your yes or no, and what they would change"))
    .addArgument(new Argument("[answer]", "to decide without being asked").choices(["yes", "no"]))
    .argument("[id...]", "of changes, as shown without an answer")
    .action(async (answer: "yes" | "no" | undefined, ids: string[], form: Changing) => {
      const { decideNotes, reviewNotes } = await import("./review.ts");
      const [book, asked] = [await openNotes(context), { ...form, ...context.asked(form) }];
      if (answer === undefined) return reviewNotes(book, { ...asked, withStore: storeOf(context) });
      return decideNotes(book, ids, { ...asked, accept: answer === "yes" });
    });
  changing(group.command("restore").description("the versions there are; with a number, a file as it was then"))
    .argument("[version]", "its number")
    .action(async (version: string | undefined, form: Changing) => {
      const { listVersions, restoreVersion } = await import("./restore.ts");
      const [book, asked] = [await openNotes(context), { ...form, ...context.asked(form) }];
      if (version === undefined) return listVersions(book, asked);
      return restoreVersion(book, version, asked);
    });
  changing(group.command("forget").description("take a note out; restore brings it back"))
    .argument("<note...>", NOTE)
    .action(async (words: string[], form: Changing) => {
      const { forgetNote } = await import("./forget.ts");
      await forgetNote(await openNotes(context), words.join(" "), { ...form, ...context.asked(form) });
    });
}

interface DreamForm extends Changing {
  readonly undo?: boolean;
  readonly log?: boolean;
  readonly model?: string;
  readonly provider?: string;
}

function addDream(group: Command, context: CommandContext): void {
  changing(group.command("dream").description("have a model tidy all notes, with what is new in the sessions"))
    .option(
      "--undo",
      "put the notes back as they were before the last one; with --yes also where they were changed since",
    )
    .option("--log", "what each of them has changed")
    .option("--model <name>", "the model that is asked; else that of dream.model, or of conversations")
    .option("--provider <name>", "who serves it")
    .action(async ({ undo, log, yes, dryRun, model, provider, ...form }: DreamForm) => {
      const { dreamNow, listDreams, undoDream } = await import("./dream.ts");
      const { adapters, io } = context;
      const asked = { ...context.asked(form), dryRun };
      if (undo === true) return undoDream(await adapters.pastDreams(ownFolders(io)), { ...asked, anyway: yes });
      if (log === true) return listDreams(await adapters.pastDreams(ownFolders(io)), asked);
      const named = { ...(model !== undefined && { model }), ...(provider !== undefined && { provider }) };
      return dreamNow(
        context,
        context.headless({ output: "text", ...named, ...(form.lang && { lang: form.lang }) }),
        asked,
      );
    });
}
