import type { Hands, HandsOptions, Installed, OfferedTool } from "../cli/adapters.ts";
import type { Io } from "../cli/io.ts";
import { withheld } from "../cli/tool-choice.ts";
import type { Tool } from "../protocol/tool.ts";
import { createToolbox } from "../tools/toolbox.ts";
import { closeAll } from "./close-all.ts";
import { equipmentOf } from "./equipment.ts";
import { knownTo } from "./owner-secrets.ts";
import { mcpSource } from "./mcp-source.ts";
import { rulesOf } from "./rules.ts";

/** Whoever looks at tools waits for the servers of them, ms. */
const PATIENCE_MS = 30_000;

/** The tools of a working folder, without a model. */
export async function openHands(options: HandsOptions, io: Io, installed: Installed): Promise<Hands> {
  const { builtIn, own, results, told, processes, sandbox, kept } = await equipmentOf(options, io, installed);
  const offered = (tool: Tool, source?: string): OfferedTool => {
    const why = withheld(tool, options.settings);
    return { tool, ...(source !== undefined && { source }), ...(why && { withheld: why }) };
  };
  const known = knownTo([...told.secrets, ...(await told.secretsLater())]);
  const lost: string[] = [];
  const source = await mcpSource({ ...options, serverTrouble: ({ en }) => lost.push(en) }, io, {
    waitMs: PATIENCE_MS,
    sandbox,
  });
  const ofServers = (await source?.tools([])) ?? [];
  const { port } = createToolbox([...builtIn, ...own.tools.map(({ tool }) => tool), ...ofServers], {
    known: () => known,
    results: results.files,
    ...rulesOf(options),
    ...(kept?.around.checkpoints && { checkpoints: kept.around.checkpoints }),
  });
  return {
    tools: [
      ...builtIn.map((tool) => offered(tool)),
      ...own.tools.map(({ tool, source: file }) => offered(tool, file)),
      ...ofServers.map((tool) => offered(tool, `server ${tool.name.split("__")[1] ?? ""}`)),
    ],
    troubles: [...own.troubles, ...lost],
    port,
    close: () => closeAll([source, processes, sandbox, kept, results]),
  };
}
