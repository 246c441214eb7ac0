import { createExtension } from "../../src/extend/extension.ts";
import type { Extend } from "../../src/protocol/extension.ts";
import type { createToolbox } from "../../src/tools/toolbox.ts";

const RECALLED = { type: "context", source: "memory", text: "Recalled." } as const;

/** A memory and two plug-ins that have something to say. */
export const advise = (read: ReturnType<typeof createToolbox>["read"]): Extend | undefined => {
  const plugins = ["one", "two"].map((name) => ({ name, beforeTurn: () => `Advice ${name}.` }));
  return createExtension({
    hooks: [],
    plugins,
    middleware: [],
    informants: [() => Promise.resolve({ contexts: [RECALLED], troubles: [] })],
    troubles: [],
    limitMs: undefined,
    read,
  });
};
