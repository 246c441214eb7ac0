import type { Command } from "commander";
import { LIVE_WORDS } from "../../words/replay.ts";
import type { CommandContext } from "../context.ts";
import type { PromptFlags } from "../flags.ts";
import { addTurnOptions } from "../options.ts";
import { usageRefusal } from "../refusal.ts";

interface ReplayFlags extends PromptFlags {
  readonly from?: string;
  readonly json?: boolean;
}

/** Options that say something where nobody is asked. */
const READING: ReadonlySet<string> = new Set(["json", "output", "lang", "plain", "verbose"]);

/** `evander turn replay`: against the record, or from an iteration on with a model that is asked. */
export function addReplayCommand(group: Command, context: CommandContext): void {
  const replay = group
    .command("replay")
    .description("runs a turn again against its record, without a network; with --from, goes on from there live")
    .argument("[turn]", "its id or the beginning of it, last, or a file that evander bundle has made", "last")
    .option("--from <n>", "ask this iteration of it anew, and go on, in a session of its own")
    .option("--json", "as JSON");
  addTurnOptions(replay).action(async (turn: string, { from, json, ...flags }: ReplayFlags) => {
    const output = json === true ? "json" : flags.output;
    if (from !== undefined) {
      const { runLive } = await import("./live.ts");
      return context.endWith(await runLive(context.headless({ ...flags, output }), { turn, from }));
    }
    const given = Object.keys(flags).filter((name) => replay.getOptionValueSource(name) === "cli");
    if (given.some((name) => !READING.has(name))) throw usageRefusal(LIVE_WORDS.needsFrom);
    const form = { json: output !== "text", ...(flags.lang && { lang: flags.lang }) };
    const { replayStored } = await import("./replay.ts");
    return context.withStore((store) => replayStored(store, turn, form, context));
  });
}
