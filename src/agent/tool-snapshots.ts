import { isAvailable } from "../protocol/availability.ts";
import type { ToolSource } from "../protocol/tool-source.ts";
import type { Tool } from "../protocol/tool.ts";
import type { Toolbox } from "../tools/toolbox.ts";

/** The tools of an agent as its turns get them (row A3). */
export interface ToolSnapshots {
  readonly newest: Toolbox;
  /** Never rejects. */
  take(called: readonly string[]): Promise<Toolbox>;
}

interface Parts {
  /** Come first, in this order, and give their names to nobody. */
  readonly own: readonly Tool[];
  readonly source: ToolSource | undefined;
  /** Throws for tools that cannot be listed together. */
  readonly open: (tools: readonly Tool[]) => Toolbox;
}

/** Throws for own tools that cannot be listed together; others that cannot be are left out. */
export function toolSnapshots({ own, source, open }: Parts): ToolSnapshots {
  const names = new Set(own.map(({ name }) => name));
  let newest = open(own);
  let others: readonly Tool[] = [];
  const found = async (called: readonly string[]): Promise<readonly Tool[]> => {
    try {
      return (await source?.tools(called)) ?? [];
    } catch {
      return others;
    }
  };
  const take = async (called: readonly string[]): Promise<Toolbox> => {
    const now = (await found(called)).filter((tool) => !names.has(tool.name) && isAvailable(tool));
    if (now.length === others.length && now.every((tool, at) => tool === others[at])) return newest;
    try {
      newest = open([...own, ...now]);
      others = now;
    } catch {
      // A source that lists what no toolbox takes changes nothing.
    }
    return newest;
  };
  return {
    get newest() {
      return newest;
    },
    take,
  };
}
