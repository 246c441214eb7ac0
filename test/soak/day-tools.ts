import type { Tool } from "../../src/index.ts";

/** The server of tools, and its tool as a model knows it. */
export const MCP_SERVER = "none";
export const MCP_TOOL = "mcp__none__reads";

const tool = (name: string, more: Pick<Tool, "run"> & Partial<Tool>): Tool => ({
  name,
  description: `Does ${name}.`,
  parameters: { type: "object", properties: { text: { type: "string" } } },
  effect: "pure",
  concurrency: "shared",
  ...more,
});

export const dayTools = (): Tool[] => [
  tool("look", { run: ({ text }) => `seen: ${String(text)}` }),
  tool("write", {
    effect: "effect",
    concurrency: "exclusive",
    run: (_input, { output }) => {
      for (let line = 0; line < 10; line++) output(`line ${line}\n`);
      return "written";
    },
  }),
  tool("long", { run: ({ text }) => `${String(text)}: a long line that is said again\n`.repeat(100) }),
];
