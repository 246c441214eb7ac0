import type { Effect, Tool } from "../../protocol/tool.ts";
import { oneLine, printable } from "../../session/plain-text.ts";
import type { Language, Text } from "../../words/language.ts";
import {
  EFFECT_WORDS,
  fromFile,
  LIST_TOOLS,
  noSuchTool,
  TOOL_FIELDS,
  TOOL_SAYS,
  withheldWords,
} from "../../words/tools.ts";
import type { Hands, OfferedTool } from "../adapters.ts";
import type { CommandContext } from "../context.ts";
import { say, sayJson } from "../io.ts";
import { usageRefusal } from "../refusal.ts";
import { setOf } from "../tool-choice.ts";
import type { ToolForm } from "./commands.ts";
import { withHands } from "./place.ts";

/** `evander tool list`. */
export function listTools(context: CommandContext, form: ToolForm): Promise<void> {
  const { io, json, language } = context.asked(form);
  const list = async ({ tools, troubles }: Hands): Promise<void> => {
    if (json) return sayJson(io, { tools: tools.map((row) => recordOf(row, language)), troubles });
    for (const set of new Set(tools.map(({ tool }) => setOf(tool)))) {
      say(io.stdout, printable(set));
      const rows = tools.filter(({ tool }) => setOf(tool) === set);
      for (const row of rows) for (const line of linesOf(row, language)) say(io.stdout, printable(`  ${line}`));
    }
    for (const trouble of troubles) say(io.stderr, printable(trouble));
  };
  return withHands(context, form, list, "nothing");
}

function linesOf({ tool, source, withheld }: OfferedTool, language: Language): string[] {
  const { name, description } = tool;
  const remarks: Text[] = [
    ...(withheld === undefined ? [] : [withheldWords(withheld)]),
    ...(source === undefined ? [] : [fromFile(source)]),
  ];
  return [
    `${name}  (${EFFECT_WORDS[effectOf(tool)][language]})  ${oneLine(description)}`,
    ...remarks.map((remark) => `  ${remark[language]}`),
  ];
}

/** `evander tool show`. */
export function showTool(name: string, context: CommandContext, form: ToolForm): Promise<void> {
  const { io, json, language } = context.asked(form);
  const show = async (hands: Hands): Promise<void> => {
    const row = existingTool(name, hands);
    const { tool } = row;
    if (json) return sayJson(io, { ...recordOf(row, language), parameters: tool.parameters });
    const record = recordOf(row, language);
    const fields: readonly (readonly [Text, string])[] = [
      [TOOL_FIELDS.set, record.toolset],
      [TOOL_FIELDS.effect, `${record.effect} (${EFFECT_WORDS[record.effect][language]})`],
      [TOOL_FIELDS.together, record.concurrency],
      [TOOL_FIELDS.source, row.source ?? TOOL_SAYS.builtIn[language]],
      [TOOL_FIELDS.state, record.why ?? TOOL_SAYS.offered[language]],
    ];
    say(io.stdout, printable(tool.name));
    for (const [field, value] of fields) say(io.stdout, printable(`${field[language]}: ${value}`));
    say(io.stdout, printable(`\n${tool.description.trim()}\n\n${JSON.stringify(tool.parameters, undefined, 2)}`));
  };
  return withHands(context, form, show, "nothing");
}

/** A name that nothing has is refused. */
export function existingTool(name: string, { tools }: Hands): OfferedTool {
  const found = tools.find(({ tool }) => tool.name === name);
  if (found === undefined) throw usageRefusal(noSuchTool(name), { steps: [LIST_TOOLS] });
  return found;
}

const effectOf = ({ effect }: Tool): Effect | "varies" => (typeof effect === "function" ? "varies" : effect);

interface ToolRecord extends Pick<Tool, "name" | "concurrency" | "description"> {
  readonly effect: Effect | "varies";
  readonly toolset: string;
  readonly offered: boolean;
  readonly why: string | null;
  readonly source: string;
}

function recordOf({ tool, source = "built-in", withheld }: OfferedTool, language: Language): ToolRecord {
  const { name, concurrency, description } = tool;
  const effect = effectOf(tool);
  const why = withheld === undefined ? null : withheldWords(withheld)[language];
  return { name, toolset: setOf(tool), effect, concurrency, offered: why === null, why, source, description };
}
