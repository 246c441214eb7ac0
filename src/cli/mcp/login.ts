import { MCP_SAYS } from "../../words/mcp.ts";
import type { CommandContext } from "../context.ts";
import { say, sayJson } from "../io.ts";
import type { LoginForm } from "./commands.ts";
import { openBrowser } from "./browser.ts";
import { existingServer, serversHere, stoppable, withServer } from "./room.ts";

/** `evander mcp login`: a person agrees in a browser, on this machine. Returns the exit code. */
export async function logInToServer(name: string, context: CommandContext, form: LoginForm): Promise<number> {
  const { io, json, language } = context.asked(form);
  const servers = await serversHere(context);
  await existingServer(name, servers);
  const tell = async ({ address }: { readonly address: string }): Promise<void> => {
    say(io.stderr, `${MCP_SAYS.open[language]}\n${address}`);
    if (form.browser !== false) await openBrowser(address, io);
  };
  const ended = await stoppable(io, (signal) => withServer(name, () => servers.book.login(name, tell, signal)));
  if (typeof ended === "number") return ended;
  if (json) sayJson(io, { name, loggedIn: true });
  else say(io.stdout, MCP_SAYS.loggedIn[language]);
  return 0;
}
