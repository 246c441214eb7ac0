import type { Command } from "commander";
import { storeFolder } from "../../config/folders.ts";
import type { Store } from "../../protocol/store.ts";
import type { TurnFiles } from "../../protocol/turn-files.ts";
import { ownFolders } from "../config/own-folders.ts";
import type { CommandContext } from "../context.ts";
import { changing, type Form, readable } from "../options.ts";
import type { ChangeFlags } from "./change.ts";

/** `evander turn diff` and `undo`: what a turn did to files, and back. */
export function addFileCommands(group: Command, context: CommandContext): void {
  readable(group.command("diff").description("what a turn changed on the disk, as a unified diff"))
    .argument("[turn]", "its id or the beginning of it, that of an undo, or last", "last")
    .option("--stat", "only which files, and how many lines")
    .action((turn: string, { stat, ...form }: Form & { readonly stat?: boolean }) =>
      withTurnFiles(context, async (kept) =>
        (await import("./turn-files.ts")).diffTurn({ ...kept, turn }, { ...context.asked(form), stat: stat === true }),
      ),
    );
  changing(group.command("undo").description("put files back to what they were before a turn"))
    .argument("[turn]", "its id or the beginning of it, that of an undo, or last", "last")
    .option("--force", "also what somebody else has changed since")
    .action((turn: string, { dryRun, yes, force, ...form }: Form & ChangeFlags & { readonly force?: boolean }) =>
      withTurnFiles(context, async (kept) =>
        (await import("./turn-files.ts")).undoTurn(
          { ...kept, turn },
          { ...context.asked(form), dryRun: dryRun === true, yes: yes === true, force: force === true },
        ),
      ),
    );
}

interface Kept {
  readonly store: Store;
  /** Undefined: nothing is kept yet. */
  readonly files: TurnFiles | undefined;
}

const withTurnFiles = (context: CommandContext, use: (kept: Kept) => Promise<void>): Promise<void> =>
  context.withStore(async (store) => {
    const files = await context.adapters.openTurnFiles(storeFolder(context.io, ownFolders(context.io)));
    try {
      await use({ store, files });
    } finally {
      files?.close();
    }
  });
