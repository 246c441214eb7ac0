import type { Reach } from "../../protocol/mcp.ts";
import type { McpOptions } from "./desk.ts";
import type { Link } from "./link.ts";

/** Rejects with one sentence where there is no way. */
export async function openLink(reach: Reach, { sandbox, fetch, clock }: McpOptions): Promise<Link> {
  if (reach.type === "stdio") return (await import("./stdio-link.ts")).openStdio(reach, sandbox);
  const given = reach.fetch ?? fetch;
  if (given === undefined) throw new Error("servers behind an address cannot be reached here");
  const transport = await (await import("./http.ts")).openHttp(reach, given, () => clock.now());
  return { transport, trouble: () => undefined, end: () => transport.close().catch(() => undefined) };
}
