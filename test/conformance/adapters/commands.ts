import { type CommandName, resolveCommand } from "../../../src/session/commands/resolve.ts";
import type { Json } from "../case-file.ts";
import { objectOf, textOf } from "../input.ts";

interface Recorded extends CommandName {
  readonly bypass: boolean;
}

const command = (name: string, takes: CommandName["takes"], bypass = false): Recorded => ({
  name,
  aliases: [],
  takes,
  bypass,
});

/** The commands of the program whose behaviour was recorded (nanobot §4.2). */
const RECORDED: readonly Recorded[] = [
  ...["stop", "restart", "status"].map((name) => command(name, "nothing", true)),
  ...["new", "dream", "skill", "help"].map((name) => command(name, "nothing")),
  ...["model", "history", "goal", "trigger", "dream-log", "dream-restore", "dream-prompt", "pairing"].map((name) =>
    command(name, "optional"),
  ),
];

const slashed = (name: string | undefined): string | null => (name === undefined ? null : `/${name}`);

const ERRORS = { unknown: "unknown", ambiguous: "unknown", "takes-nothing": "no_arguments", "needs-text": "no_text" };

/** `{text}`: how a line is read. */
export function commandCase(input: Json): unknown {
  const text = textOf(objectOf(input, "input")["text"], "text");
  const read = resolveCommand(text, RECORDED);
  const starts = { starts_agent_turn: read.type === "message", normalized: text };
  switch (read.type) {
    case "message":
      return { ...starts, priority: false, dispatchable_mid_turn: false, command: null };
    case "command": {
      const { bypass, name, takes } = read.command;
      const words = takes === "nothing" ? {} : { args: read.text };
      return { ...starts, priority: bypass, dispatchable_mid_turn: !bypass, command: slashed(name), ...words };
    }
    case "refused": {
      const told = { rejected: true, suggestion: slashed(read.nearest[0]), error_kind: ERRORS[read.cause] };
      return { ...starts, priority: false, dispatchable_mid_turn: true, command: null, ...told };
    }
  }
}
