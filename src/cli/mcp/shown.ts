import type { ListedTool } from "../../protocol/mcp.ts";
import type { McpChange, McpForm, McpLook } from "../../protocol/mcp-consent.ts";
import { spelledOut } from "../../session/plain-text.ts";
import type { Language, Text } from "../../words/language.ts";
import { CHANGE_WORDS, MARKER_WORDS, MCP_FIELDS, MCP_SAYS } from "../../words/mcp.ts";
import { shellWord } from "../../words/steps.ts";

/** All that is agreed to of a server, a line for each part of it. What others wrote is spelled out. */
export function formLines(form: McpForm, language: Language): readonly string[] {
  const line = (field: Text, value: string): readonly string[] =>
    value === "" ? [] : [`  ${field[language]}: ${spelledOut(value)}`];
  if (form.type === "http")
    return [...line(MCP_FIELDS.address, form.url), ...line(MCP_FIELDS.headers, form.headers.join(", "))];
  const { command, args, cwd, env, writes, hosts } = form;
  return [
    ...line(MCP_FIELDS.command, [command, ...args].map(shellWord).join(" ")),
    ...line(MCP_FIELDS.folder, cwd),
    ...line(MCP_FIELDS.variables, env.join(", ")),
    ...line(MCP_FIELDS.writes, writes.join(", ")),
    ...line(MCP_FIELDS.hosts, hosts.join(", ")),
    `  ${MCP_SAYS.unconfined[language]}`,
  ];
}

/** One program's form on one line. */
export const formText = (form: McpForm): string =>
  spelledOut(form.type === "http" ? form.url : [form.command, ...form.args].map(shellWord).join(" "));

/** Every tool that is offered, with all that a model would be told of it and what stands out. */
export function toolLines({ listing, names, withheld, markers }: McpLook, language: Language): readonly string[] {
  const lines = listing.tools.flatMap((tool) => {
    const why = withheld.find((each) => each.tool === tool.name)?.why;
    const state = why === undefined ? "" : `  (${spelledOut(why)})`;
    return [
      `  ${spelledOut(names.get(tool.name) ?? tool.name)}${state}`,
      ...described(tool).map((line) => `      ${line}`),
      ...(markers.get(tool.name) ?? []).map((marker) => `    ! ${MARKER_WORDS[marker][language]}`),
    ];
  });
  const { instructions } = listing;
  if (instructions === undefined || instructions === "") return lines;
  return [`  ${MCP_SAYS.instructions[language]}:`, ...linesOf(instructions).map((line) => `      ${line}`), ...lines];
}

const described = ({ description = "", inputSchema }: ListedTool): string[] => [
  ...linesOf(description),
  ...linesOf(JSON.stringify(inputSchema) ?? ""),
];

const linesOf = (text: string): string[] => (text === "" ? [] : text.split("\n").map(spelledOut));

export const changeLines = (changes: readonly McpChange[], language: Language): readonly string[] =>
  changes.flatMap(({ type, tool, lines }) => [
    `  ${spelledOut(tool ?? MCP_SAYS.instructions[language])}: ${CHANGE_WORDS[type][language]}`,
    ...lines.map((line) => `    ${spelledOut(line)}`),
  ]);
