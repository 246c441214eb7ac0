import { setOf, withheld } from "../cli/tool-choice.ts";
import type { Adapters, HandsOptions, RuntimeOptions } from "../cli/adapters.ts";
import type { Io } from "../cli/io.ts";
import type { McpBook } from "../protocol/mcp-consent.ts";
import type { Sandbox } from "../protocol/sandbox.ts";
import type { ToolSource } from "../protocol/tool-source.ts";
import type { Tool } from "../protocol/tool.ts";
import type { Text } from "../words/language.ts";

type Options = HandsOptions & Partial<Pick<RuntimeOptions, "serverTrouble" | "tools">>;

interface Around {
  readonly sandbox?: Sandbox;
  /** How long a turn waits for servers that were never tried, ms. */
  readonly waitMs?: number;
}

/** The servers of tools that their owner has named and agreed to; whoever named none loads nothing for it. */
export async function mcpSource(options: Options, io: Io, around: Around = {}): Promise<ToolSource | undefined> {
  const { settings, folders, cwd, serverTrouble } = options;
  const servers = settings.mcpServers ?? [];
  // Whoever wants no tools at all starts nothing.
  if (servers.length === 0 || folders === undefined || options.tools?.length === 0) return undefined;
  const [{ openServers }, { fetchTo }] = await Promise.all([import("./mcp.ts"), import("./mcp-fetch.ts")]);
  const ways = { fetchTo, ...around, tell: (sentence: Text) => serverTrouble?.(sentence) };
  const source = openServers({ servers, folders, cwd, io }, ways);
  const isOffered = (tool: Tool): boolean => {
    if (options.tools === undefined) return withheld(tool, settings) === undefined;
    const isNamed = options.tools.includes(tool.name) || options.tools.includes(setOf(tool));
    return isNamed && withheld(tool, { toolsOff: settings.toolsOff }) === undefined;
  };
  return { tools: async (called) => (await source.tools(called)).filter(isOffered), close: () => source.close() };
}

/** What their owner may see of them, and decide. */
export async function mcpBook(place: Parameters<Adapters["openMcpBook"]>[0], io: Io): Promise<McpBook> {
  const [{ openMcpBook }, { fetchTo }, { sandboxFor }] = await Promise.all([
    import("./mcp.ts"),
    import("./mcp-fetch.ts"),
    import("./sandbox.ts"),
  ]);
  const { cwd, folders, settings, guarded } = place;
  return openMcpBook(
    { servers: settings.mcpServers ?? [], folders, cwd, io },
    { fetchTo, sandbox: sandboxFor({ settings, cwd, guarded }, io) },
  );
}
