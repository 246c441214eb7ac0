import { existsSync } from "node:fs";
import { join } from "node:path";
import type { RuntimeOptions } from "../cli/adapters.ts";
import type { LoadedTools } from "../extend/load-tools.ts";
import type { Tool } from "../protocol/tool.ts";

type Where = Pick<RuntimeOptions, "cwd" | "settings"> & { readonly folders: RuntimeOptions["folders"] | undefined };

/** The tools of a person's own; whoever has none pays for a look at one folder. */
export async function ownTools(
  { cwd, folders, settings: { toolFiles = [] } }: Where,
  builtIn: readonly Tool[],
): Promise<LoadedTools> {
  const configFolder = folders?.config;
  const hasFolder = configFolder !== undefined && existsSync(join(configFolder, "tools"));
  if (toolFiles.length === 0 && !hasFolder) return { tools: [], troubles: [] };
  const { loadTools } = await import("../extend/load-tools.ts");
  return loadTools(
    { named: toolFiles, cwd, configFolder },
    builtIn.map(({ name }) => name),
  );
}
