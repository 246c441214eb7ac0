import { pathToFileURL } from "node:url";
import type { Client, Progress, StandardSchemaV1 } from "@modelcontextprotocol/client";
import { isObject, type JsonObject } from "../../protocol/json.ts";
import type { Listing, ListedTool, McpServer } from "../../protocol/mcp.ts";
import type { Clock } from "../../protocol/ports.ts";
import { reasonOf } from "../../protocol/reason-of.ts";
import { isDeeper } from "./depth.ts";
import type { Link } from "./link.ts";
import { within } from "./within.ts";

/** nanobot §9.5, security §3.8: ms. */
const CALL_MS = 30_000;
const INIT_MS = 30_000;
/** Whoever tells of progress is waited for longer, so many times. */
const MOST_WAITS = 20;
const PING_MS = 5_000;
/** What is listed ends somewhere: pages, tools, characters. */
const MOST_PAGES = 50;
const MOST_TOOLS = 1_000;
const DEEPEST = 64;
const MOST_LISTED = 20_000_000;
/** The limits are ours: the SDK has timers of its own. */
const NO_LIMIT = 2 ** 31 - 1;

export interface Asking {
  readonly signal: AbortSignal;
  readonly progress: (message: string) => void;
}

/** One life of a server: what was asked in it is answered in it or not at all. */
export interface Connection {
  readonly serverInfo: { readonly name: string; readonly version: string } | undefined;
  /** As it is, unchecked. */
  list(signal: AbortSignal): Promise<Listing>;
  /** What it answered, unchecked. Rejects with one sentence for what went wrong on the way. */
  call(tool: string, input: JsonObject, asking: Asking): Promise<JsonObject>;
  /** Resolves with the reason when it is over. */
  readonly over: Promise<string>;
  readonly isOver: boolean;
  end(): Promise<void>;
}

export interface Connecting {
  readonly open: () => Promise<Link>;
  /** All that it is told of this machine. */
  readonly folder: string;
  readonly clock: Clock;
  /** The server says that its tools have changed. */
  readonly onChange?: () => void;
}

type Timed = Pick<McpServer, "name" | "initMs" | "callMs">;

/** Rejects with one sentence, and leaves nothing behind. */
export async function connect(server: Timed, how: Connecting, signal: AbortSignal): Promise<Connection> {
  const life = await begin(server, how, signal);
  const { name, initMs = INIT_MS, callMs = CALL_MS } = server;
  const { client, end, over } = life;
  /** Whoever does not even answer this is dead. */
  const check = async (): Promise<void> => {
    const never = new AbortController().signal;
    await life.ask("ping", {}, { signal: never, limitMs: PING_MS }).catch(end);
  };
  return {
    serverInfo: client.getServerVersion(),
    list: (asked) => listed(client, (cursor) => life.ask("tools/list", cursor, { signal: asked, limitMs: initMs })),
    call: async (tool, input, { signal: asked, progress }) => {
      try {
        const params = { name: tool, arguments: input };
        return await life.ask("tools/call", params, { signal: asked, limitMs: callMs, progress });
      } catch (error) {
        asked.throwIfAborted();
        if (isTimeout(error)) check().catch(() => undefined);
        throw new Error(`The server ${name} did not answer: ${reasonOf(error)}.`, { cause: error });
      }
    },
    over: over.promise,
    get isOver() {
      return life.isOver();
    },
    end,
  };
}

interface Life {
  readonly client: Client;
  readonly over: PromiseWithResolvers<string>;
  readonly isOver: () => boolean;
  readonly end: () => Promise<void>;
  readonly ask: (method: string, params: JsonObject, how: How) => Promise<JsonObject>;
}

async function begin({ initMs = INIT_MS }: Timed, how: Connecting, signal: AbortSignal): Promise<Life> {
  const { open, folder, clock, onChange } = how;
  const link = await open();
  const client = await newClient(folder);
  const over = Promise.withResolvers<string>();
  let isOver = false;
  client.onclose = () => {
    isOver = true;
    over.resolve(link.trouble() ?? "the connection ended");
  };
  const end = async (): Promise<void> => {
    await Promise.allSettled([client.close(), link.end()]);
    client.onclose?.();
  };
  if (onChange !== undefined) client.setNotificationHandler("notifications/tools/list_changed", onChange);
  const limits = { clock, limitMs: initMs, mostMs: initMs };
  try {
    await within(limits, signal, (limited) => client.connect(link.transport, { signal: limited, timeout: NO_LIMIT }));
  } catch (error) {
    await end();
    signal.throwIfAborted();
    throw new Error(troubleOf(error, link.trouble()), { cause: error });
  }
  const ask: Life["ask"] = async (method, params, { signal: asked, limitMs, progress }) => {
    const watched = { clock, limitMs, mostMs: limitMs * (progress === undefined ? 1 : MOST_WAITS) };
    try {
      return await within(watched, asked, (limited, alive) => {
        const onprogress = progress && ((told: Progress) => progress(alive(told)));
        const options = { signal: limited, timeout: NO_LIMIT, ...(onprogress && { onprogress }) };
        return client.request({ method, params: { ...params } }, ANY, options);
      });
    } catch (error) {
      asked.throwIfAborted();
      if (!isOver) throw error;
      throw new Error(await over.promise, { cause: error });
    }
  };
  return { client, over, isOver: () => isOver, end, ask };
}

interface How {
  readonly signal: AbortSignal;
  readonly limitMs: number;
  readonly progress?: ((message: string) => void) | undefined;
}

const isTimeout = (error: unknown): boolean => error instanceof Error && error.name === "TimeoutError";

const troubleOf = (error: unknown, trouble: string | undefined): string =>
  trouble === undefined ? reasonOf(error) : `${reasonOf(error)} (${trouble})`;

/** It can ask where the tools work, and nothing else: no model, no person (security §3.8). */
async function newClient(folder: string): Promise<Client> {
  const { Client: Made } = await import("@modelcontextprotocol/client");
  const client = new Made({ name: "evander", version: "1" }, { capabilities: { roots: {} } });
  client.setRequestHandler("roots/list", () => ({ roots: [{ uri: pathToFileURL(folder).href }] }));
  return client;
}

/** What a server answers is checked where it is used, piece by piece: one piece that is wrong spoils no other. */
const ANY: StandardSchemaV1<unknown, JsonObject> = {
  "~standard": {
    version: 1,
    vendor: "evander",
    validate: (value) => ({ value: isObject(value) ? value : {} }),
  },
};

async function listed(client: Client, page: (cursor: JsonObject) => Promise<JsonObject>): Promise<Listing> {
  const instructions = client.getInstructions();
  const tools: ListedTool[] = [];
  let size = 0;
  let cursor: unknown;
  for (let pages = 0; pages < MOST_PAGES; pages++) {
    const answer = await page(typeof cursor === "string" ? { cursor } : {});
    const { tools: found } = answer;
    if (!Array.isArray(found)) throw new Error("it lists no tools");
    const some = found.filter(isListed).map(readable);
    size += JSON.stringify(some).length;
    if (size > MOST_LISTED)
      throw new Error(`it lists more than ${MOST_LISTED / 1_000_000} million characters of tools`);
    tools.push(...some);
    const before = cursor;
    cursor = answer["nextCursor"];
    if (tools.length > MOST_TOOLS) throw new Error(`it lists more than ${MOST_TOOLS} tools`);
    if (typeof cursor !== "string" || cursor === before) break;
  }
  return { ...(instructions !== undefined && { instructions }), tools };
}

/** Security §3.11: whoever goes through it level by level comes to its end. */
const readable = (tool: ListedTool): ListedTool =>
  isDeeper(tool, DEEPEST) ? { name: tool.name, inputSchema: "nested too deep" } : tool;

/** Without a name nobody could say which one it is. */
const isListed = (tool: unknown): tool is ListedTool =>
  isObject(tool) && typeof tool["name"] === "string" && tool["name"] !== "";
