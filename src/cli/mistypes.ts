import { distance, nearestName } from "../protocol/nearest.ts";

/** The commands of the program, each with its own ones. */
export type CommandNames = ReadonlyMap<string, readonly string[]>;

/** Commands to come, each with the words it will take: until then they are refused, and no message to a model. */
const PLANNED: CommandNames = new Map([
  ["acp", []],
  ["attach", []],
  ["backup", []],
  ["channel", ["add", "test", "pause", "pair"]],
  ["cron", ["add", "list", "runs", "run", "pause", "rm", "check"]],
  ["gateway", ["run", "start", "stop", "status", "logs", "install"]],
  ["import", []],
  ["mcp", ["serve"]],
  ["restore", []],
  ["selftest", []],
  ["send", []],
  ["serve", []],
  ["uninstall", []],
  ["update", []],
]);

/** A command that is still to come, alone or with a word of its own; a sentence that begins so is a message. */
export function isPlanned([first = "", second]: readonly string[]): boolean {
  const verbs = PLANNED.get(first);
  return verbs !== undefined && (second === undefined || verbs.includes(second));
}

/**
 * The command that was meant by words that are none, or undefined when they are a message. A sentence is one, unless it
 * begins like a command and goes on like it.
 */
export function meantCommand(words: readonly string[], commands: CommandNames): string | undefined {
  const [first = "", second, ...rest] = words;
  if (/\s/u.test(first)) return undefined;
  if (second === undefined) return nearestName(first, [...commands.keys()]) ?? wholeCommand(first, commands);
  for (const [name, verbs] of commands)
    if (verbs.includes(second) && distance(first, name) <= 2) return [name, second, ...rest].join(" ");
  return undefined;
}

/** `list` alone means `session list`. */
function wholeCommand(verb: string, commands: CommandNames): string | undefined {
  for (const [name, verbs] of commands) if (verbs.includes(verb)) return `${name} ${verb}`;
  return undefined;
}
