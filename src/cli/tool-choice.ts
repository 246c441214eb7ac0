import { unavailable } from "../protocol/availability.ts";
import type { Tool } from "../protocol/tool.ts";
import type { Text } from "../words/language.ts";
import { namesNoTool, notOffered, unknownTools, type Withheld } from "../words/tools.ts";
import type { Flags } from "./flags.ts";
import { usageRefusal } from "./refusal.ts";

/** What the config says of tools, by names of tools or of their sets. */
export interface ToolChoice {
  readonly toolSets?: readonly string[] | undefined;
  readonly toolsOff?: readonly string[] | undefined;
}

/** `--tools a,b` and `--no-tools`; undefined: all of them. */
export function toolNames({ tools }: Pick<Flags, "tools">): readonly string[] | undefined {
  if (tools === undefined) return undefined;
  return tools === false ? [] : tools.split(",").map((name) => name.trim());
}

/** The set of a tool that names none (row E1). */
const OTHER_SET = "other";
export const setOf = ({ toolset = OTHER_SET }: Pick<Tool, "toolset">): string => toolset;

const isNamed = (tool: Tool, names: readonly string[]): boolean =>
  names.includes(tool.name) || names.includes(setOf(tool));

/** Why a tool is not offered; undefined: it is. */
export function withheld(tool: Tool, { toolSets, toolsOff = [] }: ToolChoice): Withheld | undefined {
  const why = unavailable(tool);
  if (why !== undefined) return { type: "unavailable", why };
  if (isNamed(tool, toolsOff)) return { type: "off" };
  return toolSets === undefined || isNamed(tool, toolSets) ? undefined : { type: "not-chosen" };
}

/** The tools of a run, of which it may have been given the names. Throws RefusalError for a name that nothing can be given for. */
export function chosenTools(
  all: readonly Tool[],
  names: readonly string[] | undefined,
  choice: ToolChoice = {},
): readonly Tool[] {
  const { toolsOff, toolSets = [] } = choice;
  refuseUnknown(all, names ?? toolSets);
  if (names === undefined) return all.filter((tool) => withheld(tool, choice) === undefined);
  const wanted = all.filter((tool) => isNamed(tool, names));
  return wanted.filter((tool) => {
    const why = withheld(tool, { toolsOff });
    if (why !== undefined && names.includes(tool.name)) throw usageRefusal(notOffered(tool.name, why));
    return why === undefined;
  });
}

function refuseUnknown(all: readonly Tool[], names: readonly string[]): void {
  const unknown = unknownIn(all, names);
  if (unknown.length === 0) return;
  const sets = [...new Set(all.map(setOf))].filter((set) => !all.some(({ name }) => name === set));
  throw usageRefusal(unknownTools(unknown, [...all.map(({ name }) => name), ...sets]));
}

const unknownIn = (all: readonly Tool[], names: readonly string[]): string[] =>
  names
    .filter((name) => !isOfServer(name) && !all.some((tool) => isNamed(tool, [name])))
    .map((name) => JSON.stringify(name));

/** Which tools servers have is known when they are connected. */
const isOfServer = (name: string): boolean => /^mcp(?:__|$)/u.test(name);

/** A typing error must not leave on what was to be off unseen. */
export function offUnknown(all: readonly Tool[], { toolsOff = [] }: ToolChoice): Text[] {
  return unknownIn(all, toolsOff).map(namesNoTool);
}
