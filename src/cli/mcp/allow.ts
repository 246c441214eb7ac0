import { inBoth } from "../../protocol/sentence.ts";
import { standingWords } from "../../words/mcp.ts";
import type { CommandContext } from "../context.ts";
import { say, sayJson } from "../io.ts";
import { RefusalError } from "../refusal.ts";
import { agreeing, agreeToForm, agreeToTools, notAgreed } from "./agree.ts";
import type { AgreeForm } from "./commands.ts";
import { existingServer, serversHere } from "./room.ts";

/** `evander mcp allow`: what it is, what differs, and what it lists now. Returns the exit code. */
export async function allowServer(name: string, context: CommandContext, form: AgreeForm): Promise<number> {
  const { io, language } = context.asked(form);
  const servers = await serversHere(context);
  const row = await existingServer(name, servers);
  if (row.form === undefined) {
    const why = row.standing.type === "invalid" ? inBoth(row.standing.why) : standingWords(row.standing);
    throw new RefusalError({ reason: "config_invalid", message: why });
  }
  say(io.stderr, `${name}: ${standingWords(row.standing)[language]}`);
  const { form: formed } = row;
  return agreeing(context.asked(form), form.yes === true || form.dryRun === true, async (asked) => {
    if (!(await agreeToForm(formed, asked))) return notAgreed(asked);
    if (form.dryRun === true) return 0;
    const code = await agreeToTools(name, servers, asked);
    if (asked.json) sayJson(io, await existingServer(name, servers));
    return code;
  });
}
