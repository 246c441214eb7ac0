import type { Hands, HandsOptions, Installed, OfferedTool } from "../cli/adapters.ts";
import type { Io } from "../cli/io.ts";
import { withheld } from "../cli/tool-choice.ts";
import type { Tool } from "../protocol/tool.ts";
import { createToolbox } from "../tools/toolbox.ts";
import { equipmentOf } from "./equipment.ts";
import { knownTo } from "./owner-secrets.ts";
import { rulesOf } from "./rules.ts";

/** The tools of a working folder, without a model. */
export async function openHands(options: HandsOptions, io: Io, installed: Installed): Promise<Hands> {
  const { builtIn, own, results, told, processes, kept } = await equipmentOf(options, io, installed);
  const offered = (tool: Tool, source?: string): OfferedTool => {
    const why = withheld(tool, options.settings);
    return { tool, ...(source !== undefined && { source }), ...(why && { withheld: why }) };
  };
  const known = knownTo([...told.secrets, ...(await told.secretsLater())]);
  const { port } = createToolbox([...builtIn, ...own.tools.map(({ tool }) => tool)], {
    known: () => known,
    results: results.files,
    ...rulesOf(options),
    ...(kept?.around.checkpoints && { checkpoints: kept.around.checkpoints }),
  });
  return {
    tools: [...builtIn.map((tool) => offered(tool)), ...own.tools.map(({ tool, source }) => offered(tool, source))],
    troubles: own.troubles,
    port,
    close: async () => {
      await processes.close();
      await kept?.close();
      await results.close();
    },
  };
}
