import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { McpServer } from "../../src/protocol/mcp.ts";
import { systemClock } from "../../src/session/system-clock.ts";
import { type McpDesk, type McpOptions, mcpTools } from "../../src/tools/mcp/desk.ts";
import type { Tool, ToolContext } from "../../src/protocol/tool.ts";

const FIXTURE = join(import.meta.dirname, "..", "fixtures", "mcp", "server.mjs");

type Published = "everything" | "filesystem" | "memory";

const PUBLISHED: Readonly<Record<Published, string>> = {
  everything: createRequire(import.meta.url).resolve("@modelcontextprotocol/server-everything/package.json"),
  filesystem: createRequire(import.meta.url).resolve("@modelcontextprotocol/server-filesystem/package.json"),
  memory: createRequire(import.meta.url).resolve("@modelcontextprotocol/server-memory/package.json"),
};

/** A published server of the protocol. */
export const published = (name: Published): string => join(dirname(PUBLISHED[name]), "dist/index.js");

/** A server that is a program of node; all that it lists is agreed to. */
export function programServer(name: string, args: readonly string[], more: Partial<McpServer> = {}): McpServer {
  const env = (): Promise<Record<string, string>> => Promise.resolve({ PATH: process.env["PATH"] ?? "" });
  return {
    name,
    reach: { type: "stdio", command: process.execPath, args, cwd: tmpdir(), env, needs: {} },
    admit: ({ tools }) => Promise.resolve(new Set(tools.map((tool) => tool.name))),
    ...more,
  };
}

/** Servers in a folder of their own, which note their lives there. */
export class McpPlace {
  readonly folder: string = mkdtempSync(join(tmpdir(), "evander-mcp-"));
  readonly told: [server: string, why: string][] = [];
  readonly #desks: McpDesk[] = [];

  faulty(fault: string, more: Partial<McpServer> = {}): McpServer {
    return programServer(fault, [FIXTURE, fault, join(this.folder, fault)], more);
  }

  desk(servers: readonly McpServer[], more: Partial<McpOptions> = {}): McpDesk {
    const tell = (server: string, why: string): void => void this.told.push([server, why]);
    const desk = mcpTools(servers, { folder: this.folder, clock: systemClock, waitMs: 20_000, tell, ...more });
    this.#desks.push(desk);
    return desk;
  }

  /** What a server has noted, line by line. */
  notes(fault: string): string[] {
    const file = join(this.folder, fault);
    return existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
  }

  pids(fault: string, what: "life" | "child" = "life"): number[] {
    return this.notes(fault).flatMap((line) =>
      line.startsWith(`${what} `) ? [Number(line.slice(what.length + 1))] : [],
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#desks.map((desk) => desk.close()));
    rmSync(this.folder, { recursive: true, force: true });
  }
}

export const toolIn = (tools: readonly Tool[], name: string): Tool => {
  const found = tools.find((tool) => tool.name === name);
  if (found === undefined) throw new Error(`there is no ${name} among ${tools.map((tool) => tool.name).join(", ")}`);
  return found;
};

export const contextOf = (signal: AbortSignal, output: (text: string) => void = () => undefined): ToolContext => ({
  callId: "c",
  sessionId: "s",
  history: [],
  signal,
  output,
});

/** Calls a tool as a toolbox does. */
export const callIn = async (
  tools: readonly Tool[],
  name: string,
  input: Readonly<Record<string, unknown>> = {},
): Promise<unknown> => toolIn(tools, name).run(input, contextOf(new AbortController().signal));
