import { type Command, Option } from "commander";
import { EXIT_REASONS } from "../../protocol/exit.ts";
import type { Store } from "../../protocol/store.ts";
import { RECORD_WORDS } from "../../words/records.ts";
import type { CommandContext } from "../context.ts";
import { type Form, readable } from "../options.ts";
import { usageRefusal } from "../refusal.ts";
import type { ListFlags } from "./turn-list.ts";

/** `evander turn list` and `show`. */
export function addShowCommands(group: Command, context: CommandContext): void {
  readable(group.command("list").description("turns, the newest first: how they ended, what they took, what was asked"))
    .argument("[session]", "of this one: its id or the beginning of it, its title, or last; else of all")
    .option("--limit <n>", "so many at most; 20 when nothing is said")
    .option("--since <time>", "begun since: 12h, 7d, 8w ago, or a date")
    .option("--until <time>", "not begun since")
    .addOption(new Option("--exit <reason>", "that have ended so").choices(EXIT_REASONS))
    .option("--unfinished", "that have not ended")
    .action((session: string | undefined, flags: Form & ListFlags) =>
      context.withStore(async (store) =>
        (await import("./turn-list.ts")).listTurns(store, session, { ...flags, ...context.asked(flags) }),
      ),
    );
  readable(group.command("show").description("the facts of a turn, as JSON"))
    .argument("[turn]", "its id or the beginning of it, or last, as when nothing is said")
    .option("--raw", "its requests instead, as the model saw them: one JSON body a line")
    .option("--picture", "its picture instead: what took how long, and what came of it; with --json as rows")
    .option("--follow", "with --picture: goes on until the turn ends, whichever process runs it")
    .option("--svg [file]", "its picture as SVG, on stdout or in a new file")
    .action((turn: string | undefined, flags: ShowFlags) =>
      context.withStore((store) => show(store, flags, { turn, context })),
    );
}

interface ShowFlags extends Form {
  readonly raw?: boolean;
  readonly picture?: boolean;
  readonly follow?: boolean;
  /** True: on stdout. */
  readonly svg?: true | string;
}

interface Place {
  readonly turn: string | undefined;
  readonly context: CommandContext;
}

async function show(store: Store, flags: ShowFlags, place: Place): Promise<void> {
  const { raw = false, picture = false, follow = false, svg } = flags;
  if ([raw, picture, svg !== undefined].filter(Boolean).length > 1) throw usageRefusal(RECORD_WORDS.rawAndPicture);
  if (follow && !picture) throw usageRefusal(RECORD_WORDS.followPicture);
  if (picture || svg !== undefined) return draw(store, flags, place);
  const { showRequests, showTurn } = await import("./turns.ts");
  (raw ? showRequests : showTurn)(store, place.context.io, place.turn ?? "last");
}

async function draw(store: Store, { follow, svg, ...form }: ShowFlags, { turn, context }: Place): Promise<void> {
  const asked = context.asked(form);
  if (follow === true) {
    const { followPicture } = await import("./follow-picture.ts");
    return context.endWith(await followPicture(store, turn ?? "last", asked));
  }
  const { drawTurn, writeSvg } = await import("./turn-picture.ts");
  if (svg === undefined) drawTurn(store, turn ?? "last", asked);
  else writeSvg(store, { turn, file: svg === true ? undefined : svg }, asked);
}
