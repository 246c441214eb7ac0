import { keepSecret, keptSecrets, SecretError } from "../../config/secrets.ts";
import { MCP_SAYS, notIn } from "../../words/mcp.ts";
import { writeSettings } from "../config/change.ts";
import type { CommandContext } from "../context.ts";
import { say, sayJson } from "../io.ts";
import { RefusalError, usageRefusal } from "../refusal.ts";
import type { AgreeForm } from "./commands.ts";
import { secretNames } from "./given.ts";
import { serversHere, withServer } from "./room.ts";

/** `evander mcp rm`: its settings, its secrets, what was agreed to and what was granted. */
export async function removeServer(name: string, context: CommandContext, form: AgreeForm): Promise<void> {
  const { io, json, language } = context.asked(form);
  const { config, book } = await serversHere(context);
  const isNamed = config.settings.mcpServers?.some((server) => server.name === name) === true;
  if (form.dryRun === true) {
    if (!isNamed) throw usageRefusal(notIn(name, config.settings.mcpServers ?? []));
  } else {
    const isKept = await withServer(name, () => book.forget(name));
    if (!isNamed && !isKept) throw usageRefusal(notIn(name, config.settings.mcpServers ?? []));
    dropSecrets(config.folders.config, secretNames(name));
    if (isNamed) await writeSettings(config, new Map([[`mcp.servers.${name}`, null]]));
  }
  if (json) return sayJson(io, { name, removed: form.dryRun !== true });
  say(io.stdout, form.dryRun === true ? name : MCP_SAYS.removed[language]);
}

function dropSecrets(folder: string, prefix: string): void {
  try {
    for (const secret of keptSecrets(folder).keys())
      if (secret.startsWith(prefix)) keepSecret(folder, secret, undefined);
  } catch (error) {
    if (!(error instanceof SecretError)) throw error;
    throw new RefusalError({ reason: "config_invalid", message: error.message });
  }
}
