import type { Tool } from "../protocol/tool.ts";
import { unknownTools } from "../words/prompt.ts";
import type { Flags } from "./flags.ts";
import { usageRefusal } from "./refusal.ts";

/** `--tools a,b` and `--no-tools`; undefined: all of them. */
export function toolNames({ tools }: Pick<Flags, "tools">): readonly string[] | undefined {
  if (tools === undefined) return undefined;
  return tools === false ? [] : tools.split(",").map((name) => name.trim());
}

/** The tools a run was given by name. Throws RefusalError for a name that none has. */
export function chosenTools(all: readonly Tool[], names: readonly string[] | undefined): readonly Tool[] {
  if (names === undefined) return all;
  const known = all.map(({ name }) => name);
  const unknown = names.filter((name) => !known.includes(name)).map((name) => JSON.stringify(name));
  if (unknown.length > 0) throw usageRefusal(unknownTools(unknown, known));
  return all.filter(({ name }) => names.includes(name));
}
