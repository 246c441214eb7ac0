import { exitCode } from "../../protocol/exit.ts";
import type { McpForm, McpLook } from "../../protocol/mcp-consent.ts";
import type { Text } from "../../words/language.ts";
import { MCP_SAYS } from "../../words/mcp.ts";
import { isYes, openQuestions, type Questions } from "../confirm.ts";
import type { Asked } from "../context.ts";
import { say } from "../io.ts";
import { usageRefusal } from "../refusal.ts";
import { changeLines, formLines, toolLines } from "./shown.ts";
import { type Servers, stoppable, withServer } from "./room.ts";

/** `questions`: absent: whoever wrote --yes has said yes to all that is shown. */
export type Agreeing = Asked & { readonly questions?: Questions };

/** Asks whoever sits here, unless they have said yes to all. */
export async function agreeing(
  asked: Asked,
  yes: boolean,
  work: (agreeing: Agreeing) => Promise<number>,
): Promise<number> {
  if (yes) return work(asked);
  if (asked.io.stdin.isTTY !== true) throw usageRefusal(MCP_SAYS.nobody);
  const questions = openQuestions(asked.io);
  try {
    return await work({ ...asked, questions });
  } finally {
    questions.close();
  }
}

/** A yes of the owner, who has seen what is above. */
const isAllowed = async (question: Text, { language, questions }: Agreeing): Promise<boolean> =>
  questions === undefined || isYes(await questions.answer(question[language]));

/** Shows what would be started or reached, and asks. */
export async function agreeToForm(form: McpForm, asked: Agreeing): Promise<boolean> {
  for (const line of formLines(form, asked.language)) say(asked.io.stderr, line);
  return isAllowed(form.type === "http" ? MCP_SAYS.reach : MCP_SAYS.start, asked);
}

/** Looks at a server that its owner lets be started, shows what it lists, and keeps what they agree to. Returns the exit code. */
export async function agreeToTools(name: string, servers: Servers, asked: Agreeing): Promise<number> {
  const { io, json, language } = asked;
  const looked = await stoppable(io, (signal) => withServer(name, () => servers.book.look(name, signal)));
  if (typeof looked === "number") return looked;
  tellTools(looked, asked);
  if (!(await isAllowed(MCP_SAYS.useTools, asked))) {
    await withServer(name, () => servers.book.agree(name, undefined));
    return notAgreed(asked);
  }
  await withServer(name, () => servers.book.agree(name, looked.listing));
  if (!json) say(io.stdout, MCP_SAYS.agreed[language]);
  return 0;
}

export function notAgreed({ io, language }: Agreeing): number {
  say(io.stderr, MCP_SAYS.notAgreed[language]);
  return exitCode("interrupted_by_user");
}

function tellTools(looked: McpLook, { io, language }: Agreeing): void {
  const { listing, changes, markers } = looked;
  const isNew = changes.filter(({ type }) => type === "added").length === listing.tools.length;
  for (const line of isNew ? [] : changeLines(changes, language)) say(io.stderr, line);
  for (const line of toolLines(looked, language)) say(io.stderr, line);
  if (listing.tools.length === 0) say(io.stderr, MCP_SAYS.noTools[language]);
  if ([...markers.values()].some((found) => found.length > 0)) say(io.stderr, MCP_SAYS.look[language]);
}
