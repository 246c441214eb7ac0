import { readEntry } from "../../config/read-entry.ts";
import { keepSecret, SecretError } from "../../config/secrets.ts";
import type { Value } from "../../config/values.ts";
import { inBoth } from "../../protocol/sentence.ts";
import { MCP_SAYS } from "../../words/mcp.ts";
import { writeSettings } from "../config/change.ts";
import { troubleText } from "../config/trouble.ts";
import type { CommandContext } from "../context.ts";
import { sayJson } from "../io.ts";
import { RefusalError, usageRefusal } from "../refusal.ts";
import { type Agreeing, agreeing, agreeToForm, agreeToTools, notAgreed } from "./agree.ts";
import type { AddForm } from "./commands.ts";
import { givenServer, type Named, settingsOf, type Written } from "./given.ts";
import { logInToServer } from "./login.ts";
import { serversHere } from "./room.ts";

/** `evander mcp add`: nothing is written or started before its owner has seen what it is. Returns the exit code. */
export async function addServer(named: Named, context: CommandContext, form: AddForm): Promise<number> {
  const { io } = context;
  const { config, book } = await serversHere(context);
  const { name } = named;
  if (config.settings.mcpServers?.some((server) => server.name === name) === true) throw usageRefusal(MCP_SAYS.exists);
  const given = givenServer(named, form, io);
  const formed = await book.form({ ...given, writes: form.write ?? [], hosts: form.host ?? [] });
  if (formed.type === "invalid") throw usageRefusal(inBoth(formed.why));
  const written = settingsOf(given, form, io);
  for (const [key, value] of written.values) refuseWrong(key, value);
  const isDry = form.dryRun === true;
  return agreeing(context.asked(form), form.yes === true || isDry, async (asked) => {
    const isAgreed = (await agreeToForm(formed.form, asked)) && !isDry;
    if (!isAgreed && asked.json) sayJson(io, { name, form: formed.form, dryRun: isDry, added: false });
    if (!isAgreed) return isDry ? 0 : notAgreed(asked);
    await keep(config, written);
    return lookAtNew(name, context, { form, asked });
  });
}

/** What no config would take is refused before anything is kept. */
function refuseWrong(key: string, value: Value): void {
  const judged = readEntry({ key, given: value, place: "value" }, { layer: "user", command: "evander config" });
  if (judged.type === "trouble") throw usageRefusal(troubleText(judged.trouble));
}

async function keep(config: Parameters<typeof writeSettings>[0], { values, secrets }: Written): Promise<void> {
  try {
    for (const [name, secret] of secrets) keepSecret(config.folders.config, name, secret);
  } catch (error) {
    if (!(error instanceof SecretError)) throw error;
    throw new RefusalError({ reason: "config_invalid", message: error.message });
  }
  await writeSettings(config, values);
}

interface New {
  readonly form: AddForm;
  readonly asked: Agreeing;
}

/** As the config has it now. A server that wants a login gets one where somebody sits at a terminal. */
async function lookAtNew(name: string, context: CommandContext, { form, asked }: New): Promise<number> {
  const servers = await serversHere(context);
  await servers.book.agree(name, undefined);
  const code = await agreeToTools(name, servers, asked).catch(async (error: unknown) => {
    const wantsLogin =
      error instanceof RefusalError && error.refusal.code === "mcp_login" && asked.io.stdin.isTTY === true;
    if (!wantsLogin) throw error;
    const login = await logInToServer(name, context, form);
    return login === 0 ? agreeToTools(name, servers, asked) : login;
  });
  const row = (await servers.book.rows()).find((each) => each.name === name);
  if (asked.json) sayJson(asked.io, { ...row, added: true });
  return code;
}
