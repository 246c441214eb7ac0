import type { McpProposal, McpRow } from "../../protocol/mcp-consent.ts";
import { inBoth } from "../../protocol/sentence.ts";
import { oneLine, printable } from "../../session/plain-text.ts";
import type { Language } from "../../words/language.ts";
import { MCP_SAYS, standingWords } from "../../words/mcp.ts";
import { shellWord } from "../../words/steps.ts";
import type { CommandContext } from "../context.ts";
import { say, sayJson } from "../io.ts";
import { runnable } from "../next-steps.ts";
import type { Form } from "../options.ts";
import { serversHere } from "./room.ts";
import { formText } from "./shown.ts";

/** `evander mcp list`: nobody is connected to. */
export async function listServers(context: CommandContext, form: Form): Promise<void> {
  const { io, json, language } = context.asked(form);
  const { book } = await serversHere(context);
  const [servers, proposals] = [await book.rows(), await book.proposals()];
  if (json) return sayJson(io, { servers, proposals });
  if (servers.length + proposals.length === 0) return say(io.stderr, MCP_SAYS.none[language]);
  for (const row of servers) for (const line of rowLines(row, language)) say(io.stdout, printable(line));
  for (const proposal of proposals.filter(({ known }) => known !== "same"))
    for (const line of proposalLines(proposal, language, io.env)) say(io.stdout, printable(line));
}

function rowLines({ name, form, standing, loggedIn }: McpRow, language: Language): string[] {
  const login = loggedIn === false ? `  (${MCP_SAYS.notLoggedIn[language]})` : "";
  const shown = form === undefined ? [] : [`  ${formText(form)}${login}`];
  return [`${name}  ${oneLine(standingWords(standing)[language])}`, ...shown];
}

function proposalLines({ name, file, form, why }: McpProposal, language: Language, env: NodeJS.ProcessEnv): string[] {
  const command = runnable(`evander mcp add ${shellWord(name)} --from ${shellWord(file)}`, env);
  return [
    `${oneLine(name)}  ${MCP_SAYS.proposed[language]} ${file}`,
    form === undefined ? `  ${why === undefined ? "" : inBoth(why)[language]}` : `  ${formText(form)}`,
    ...(form === undefined ? [] : [`  ${command}`]),
  ];
}
