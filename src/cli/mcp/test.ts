import { exitCode } from "../../protocol/exit.ts";
import type { McpLook, McpRow } from "../../protocol/mcp-consent.ts";
import { allowServer, answeredIn, MCP_SAYS, offNow, standingWords } from "../../words/mcp.ts";
import type { Asked, CommandContext } from "../context.ts";
import { say, sayJson } from "../io.ts";
import { runnable } from "../next-steps.ts";
import type { Form } from "../options.ts";
import { RefusalError } from "../refusal.ts";
import { existingServer, serversHere, stoppable, withServer } from "./room.ts";
import { changeLines } from "./shown.ts";

/** `evander mcp test`: only what was agreed to is started. Returns the exit code. */
export async function testServer(name: string, context: CommandContext, form: Form): Promise<number> {
  const asked = context.asked(form);
  const servers = await serversHere(context);
  const row = await existingServer(name, servers);
  if (row.standing.type !== "agreed")
    throw new RefusalError({
      reason: "config_invalid",
      message: prefixed(row),
      ...(row.form !== undefined && { steps: [allowServer(name)] }),
    });
  const looked = await stoppable(asked.io, (signal) => withServer(name, () => servers.book.look(name, signal)));
  if (typeof looked === "number") return looked;
  const off = looked.changes.filter(({ type }) => type !== "removed").length;
  if (asked.json) sayJson(asked.io, recordOf(name, looked));
  else tell(looked, off, asked);
  if (off > 0) say(asked.io.stderr, runnable(allowServer(name).command ?? "", asked.io.env));
  return off > 0 ? exitCode("tool_error") : 0;
}

function prefixed({ name, standing }: McpRow): { readonly en: string; readonly zh: string } {
  const { en, zh } = standingWords(standing);
  return { en: `The server ${name} is ${en.replace(/\.$/u, "")}.`, zh: `服务器 ${name} ${zh.replace(/。$/u, "")}。` };
}

function tell({ listing, changes, ms }: McpLook, off: number, { io, language }: Asked): void {
  say(io.stdout, answeredIn(listing.tools.length, ms)[language]);
  for (const line of changeLines(changes, language)) say(io.stdout, line);
  say(io.stdout, (off > 0 ? offNow(off) : MCP_SAYS.same)[language]);
}

const recordOf = (name: string, { listing, changes, markers, names, withheld, ms }: McpLook): object => ({
  name,
  ms,
  tools: listing.tools.map((tool) => ({
    name: names.get(tool.name) ?? null,
    listed: tool.name,
    markers: markers.get(tool.name) ?? [],
  })),
  withheld,
  changes,
});
