import type { KeptTurn, MemoryProvider, PrefetchInput } from "../protocol/extension.ts";
import type { Client, Transport } from "@modelcontextprotocol/client";
import { ranked, recalledText, searchWords, type Node } from "./recalled-nodes.ts";

export interface McpMemoryOptions {
  readonly name: string;
  /** A way to the server, anew for each of its lives. */
  readonly open: () => Promise<Way>;
  /** Takes secrets out of what is kept. */
  readonly clean?: (text: string) => string;
}

interface Way {
  /** Not started yet. */
  readonly transport: Transport;
  /** Resolves when nothing of it is left. Never rejects. */
  readonly end: () => Promise<void>;
}

/** What a server of a knowledge graph must offer: the tools of the protocol's reference memory server. */
const TOOLS = ["search_nodes", "create_entities", "add_observations"] as const;

/** Characters of one turn that are kept: of what was asked, and of the answer. */
const MOST_ASKED = 500;
const MOST_ANSWERED = 1_000;

/**
 * A memory behind an MCP server that keeps a graph of nodes with observations: each conversation is a node, each turn an
 * observation, and what a prompt recalls are the nodes that hold most of its words. The server is started when it is first
 * asked, and again after it has died.
 */
export function mcpMemory({ name: own, open, clean = (text) => text }: McpMemoryOptions): MemoryProvider {
  const { connected, close } = connections(open);
  const call = async (name: (typeof TOOLS)[number], given: Given, signal: AbortSignal): Promise<unknown> => {
    const client = await connected(signal);
    const { isError, structuredContent, content } = await client.callTool({ name, arguments: given }, { signal });
    if (isError === true) throw new Error(`${name}: ${JSON.stringify(content).slice(0, 200)}`);
    return structuredContent;
  };
  return {
    name: own,
    async prefetch({ sessionId, prompt }: PrefetchInput, signal) {
      const words = searchWords(prompt);
      const found = await Promise.all(
        words.map(async (query) => nodesIn(await call("search_nodes", { query }, signal))),
      );
      const own = nodeOf(sessionId);
      const others = ranked(found).filter(({ name }) => name !== own);
      return recalledText(others, words);
    },
    async sync({ sessionId, prompt, answer }: KeptTurn, signal) {
      const entityName = nodeOf(sessionId);
      const said = `User: ${short(clean(prompt), MOST_ASKED)}\nAnswer: ${short(clean(answer), MOST_ANSWERED)}`;
      const entities = [{ name: entityName, entityType: "conversation", observations: [] }];
      await call("create_entities", { entities }, signal);
      await call("add_observations", { observations: [{ entityName, contents: [said] }] }, signal);
    },
    async health(signal) {
      const { tools } = await (await connected(signal)).listTools(undefined, { signal });
      const missing = TOOLS.filter((name) => tools.every((tool) => tool.name !== name));
      if (missing.length > 0) throw new Error(`the server has no tools ${missing.join(", ")}`);
    },
    close,
  };
}

interface Connections {
  /** One life at a time; another one after it has died. */
  readonly connected: (signal: AbortSignal) => Promise<Client>;
  readonly close: () => Promise<void>;
}

function connections(open: McpMemoryOptions["open"]): Connections {
  const closing = new AbortController();
  let connection: Promise<Client> | undefined;
  let way: Way | undefined;
  const connect = async (signal: AbortSignal): Promise<Client> => {
    const { Client } = await import("@modelcontextprotocol/client");
    closing.signal.throwIfAborted();
    const opened = await open();
    way = opened;
    const client = new Client({ name: "evander", version: "1" });
    try {
      await client.connect(opened.transport, { signal: AbortSignal.any([signal, closing.signal]) });
    } catch (error) {
      await opened.end();
      throw error;
    }
    client.onclose = () => {
      connection = undefined;
    };
    return client;
  };
  return {
    connected: (signal) => {
      const opening = (connection ??= connect(signal));
      opening.catch(() => {
        if (connection === opening) connection = undefined;
      });
      return opening;
    },
    close: async () => {
      closing.abort();
      await connection?.catch(() => undefined);
      await way?.end();
    },
  };
}

type Given = Readonly<Record<string, unknown>>;

const nodeOf = (sessionId: string): string => `conversation ${sessionId}`;

/** A server may answer with anything. */
function nodesIn(answered: unknown): Node[] {
  const { entities } = (answered ?? {}) as { readonly entities?: unknown };
  if (!Array.isArray(entities)) throw new Error("search_nodes gave no list of nodes");
  return entities.flatMap((entity: unknown): Node[] => {
    const { name, observations } = (entity ?? {}) as Partial<Node>;
    if (typeof name !== "string" || !Array.isArray(observations)) return [];
    return [{ name, observations: observations.filter((said) => typeof said === "string") }];
  });
}

const short = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most).replace(/[\uD800-\uDBFF]$/u, "")}…`;
