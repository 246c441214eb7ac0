import type { ToolCallPart } from "../protocol/message.ts";
import { type Tool, UNNAMED_TOOL } from "../protocol/tool.ts";
import { type Arguments, type ArgumentsResult, readArguments } from "./arguments.ts";
import { repairJson } from "./repair-arguments.ts";
import { matchName, nearestName } from "./repair-name.ts";

/** What a call turned out to be. The call itself stays as the model wrote it. */
export type Reading =
  | {
      readonly type: "ready";
      readonly tool: Tool;
      readonly input: Arguments;
      /** The arguments are the JSON object the model wrote: what they claim is what it meant (row E3). */
      readonly certain: boolean;
      /** What was read otherwise than it was written, in sentences for the model. */
      readonly repairs: readonly string[];
    }
  | { readonly type: "refuse"; readonly why: string };

type Tools = ReadonlyMap<string, Tool>;

/** Row C11: what is surely meant is run; what can only be guessed is run where it changes nothing. */
export function readCall(call: ToolCallPart, tools: Tools): Reading {
  const tool = findTool(call.name, tools);
  if (tool === undefined) return { type: "refuse", why: unknownTool(call.name, tools) };
  const renamed = tool.name === call.name ? [] : [`"${shown(call.name, 80)}" was read as ${tool.name}.`];
  const result = readArguments(call.input, tool.parameters);
  // Nothing was written where an object belongs: it may have got lost.
  const certain = call.input.trim() !== "";
  if (result.type === "ok") return { type: "ready", tool, input: result.input, certain, repairs: renamed };
  if (result.type === "bad") return refusal(tool, result.why);
  return readRepaired(call.input, tool, renamed);
}

function findTool(name: string, tools: Tools): Tool | undefined {
  const matched = matchName(name, (wanted) => tools.has(wanted));
  if (matched !== undefined) return tools.get(matched);
  const nearest = tools.get(nearestName(name, [...tools.keys()]) ?? "");
  // A name nobody knows has no effects, and a guess must not give it any (design §5.6).
  return nearest?.effect === "pure" ? nearest : undefined;
}

function unknownTool(name: string, tools: Tools): string {
  if (name === UNNAMED_TOOL && !tools.has(name)) return "This call names no tool.";
  const names = [...tools.keys()].toSorted();
  const nearest = nearestName(name, names);
  const hint = nearest === undefined ? "" : ` Did you mean ${nearest}?`;
  const list = names.length === 0 ? "There are no tools." : `The tools are: ${names.join(", ")}.`;
  return `There is no tool named "${shown(name, 80)}".${hint} ${list}`;
}

/** Arguments that may have been cut off are only completed for a tool that changes nothing (ARG-04). */
function readRepaired(raw: string, tool: Tool, renamed: readonly string[]): Reading {
  const repaired = repairJson(raw);
  const usable = repaired !== undefined && (!repaired.completed || tool.effect === "pure");
  const result: ArgumentsResult = usable ? readArguments(repaired.text, tool.parameters) : { type: "unreadable" };
  if (result.type === "bad") return refusal(tool, result.why);
  if (result.type === "unreadable" || repaired === undefined) return refusal(tool, notJson(raw, tool));
  const note = `Its arguments were not valid JSON and were read as ${shown(repaired.text, 200)}.`;
  return { type: "ready", tool, input: result.input, certain: false, repairs: [...renamed, note] };
}

const notJson = (raw: string, { parameters }: Tool): string =>
  `the arguments are not a JSON object, or stop in the middle: ${shown(raw, 200)}; ` +
  `expected is what this schema says: ${shown(JSON.stringify(parameters), 400)}`;

const refusal = (tool: Tool, why: string): Reading => ({
  type: "refuse",
  why: `${tool.name} was not run: ${shown(why, 1_000)}.`,
});

/** Never half a character. */
const shown = (text: string, chars: number): string =>
  text.length <= chars ? text : `${text.slice(0, chars).replace(/[\uD800-\uDBFF]$/, "")}…`;
