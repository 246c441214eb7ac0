import type { McpServer } from "../../protocol/mcp.ts";
import type { Clock } from "../../protocol/ports.ts";
import type { Sandbox } from "../../protocol/sandbox.ts";
import type { ToolSource } from "../../protocol/tool-source.ts";
import { Server } from "./server.ts";
import { namesBegin } from "./tool-names.ts";

/** The servers of one program: connected when tools are first asked for, and again when they have gone. */
export interface McpDesk extends ToolSource {
  /** What is known of each server now, by name. */
  status(): readonly ServerStatus[];
}

export interface ServerStatus {
  readonly name: string;
  /** `waiting`: it is tried again later. `off`: it is not, while this program runs. */
  readonly state: "idle" | "connecting" | "ready" | "waiting" | "off";
  /** Why it is not connected, as a sentence for its owner. */
  readonly why?: string;
  /** What is offered of it, by the names that a model knows. */
  readonly tools: readonly string[];
  /** What it lists and is not offered, by the name that it has there. */
  readonly withheld: readonly Withheld[];
}

export interface Withheld {
  readonly tool: string;
  readonly why: string;
}

export interface McpOptions {
  /** Around servers that are programs; absent: nothing is. */
  readonly sandbox?: Sandbox;
  /** Reaches servers behind an address; absent: none is. */
  readonly fetch?: typeof fetch;
  /** Where the tools work: absolute, and all that servers are told of this machine. */
  readonly folder: string;
  readonly clock: Clock;
  /** How long a turn waits at most for servers that were never tried, ms; 1,000 when absent. */
  readonly waitMs?: number;
  /** Is told once of each server that cannot be used, and why. It must not throw. */
  readonly tell?: (server: string, why: string) => void;
}

/** A first turn waits so long, ms: most servers have begun by then, and a slow one joins the next turn (row A17). */
const WAIT_MS = 1_000;
/** A turn that is taken up has called them, ms: a server has so long to begin. */
const CALLED_MS = 30_000;

type Looks = ReadonlyMap<Server, Promise<void>>;

/** Nothing is connected before tools are first asked for. */
export function mcpTools(servers: readonly McpServer[], options: McpOptions): McpDesk {
  const { clock, waitMs = WAIT_MS } = options;
  const all = [...servers]
    .toSorted((one, other) => (one.name < other.name ? -1 : 1))
    .map((server) => new Server(server, options));
  /** A turn has waited for them in vain: none does again. */
  const slow = new Set<Server>();
  const wait = async (some: readonly Server[], looks: Looks, ms: number): Promise<void> => {
    if (some.length === 0) return;
    const over = new AbortController();
    const settled = some.map(async (server) => {
      await looks.get(server);
      slow.delete(server);
    });
    for (const server of some) slow.add(server);
    await Promise.race([Promise.all(settled), clock.sleep(ms, over.signal, "aside")]);
    over.abort();
  };
  return {
    async tools(called = []) {
      const due = all.filter((server) => server.isDue && !slow.has(server));
      const needed = all.filter(({ name }) => called.some((tool) => tool.startsWith(namesBegin(name))));
      const looks = new Map(all.map((server) => [server, server.look()] as const));
      await Promise.all([wait(due, looks, waitMs), wait(needed, looks, CALLED_MS)]);
      return all.flatMap(({ offered }) => offered.map(({ tool }) => tool));
    },
    status: () => all.map(({ status }) => status),
    async close() {
      await Promise.all(all.map((server) => server.close()));
    },
  };
}
