import { createHash } from "node:crypto";
import type { Verdict } from "../../protocol/approval.ts";
import { isObject, type JsonObject } from "../../protocol/json.ts";
import type { ListedTool, Listing, McpServer } from "../../protocol/mcp.ts";
import type { Tool } from "../../protocol/tool.ts";
import type { Asking } from "./connection.ts";
import type { Withheld } from "./desk.ts";
import { safeText } from "./safe-text.ts";
import { toldResult } from "./told-result.ts";
import { toolName } from "./tool-names.ts";
import { BrokenTool, toolParameters } from "./tool-parameters.ts";

/** Security §3.8, characters. */
const LONGEST_DESCRIPTION = 1_000;
/** Nobody reads so much before a yes. */
const MOST_WRITTEN = 20_000;

/** A tool of a server, as its turns get it. */
export interface ServerTool {
  readonly tool: Tool;
  /** Of all that its owner and the model were told of it: another one is another tool. */
  readonly digest: string;
  /** As the server calls it. */
  readonly listed: string;
  /** The same call twice does what one does, as far as its owner trusts that. */
  readonly repeats: boolean;
}

/** Calls a tool of the server, in whichever life it is. */
export type CallServer = (tool: ServerTool, input: JsonObject, asking: Asking) => Promise<JsonObject>;

export interface ServerTools {
  readonly tools: readonly ServerTool[];
  readonly withheld: readonly Withheld[];
}

interface Parts {
  /** What its owner has agreed to. */
  readonly admitted: ReadonlySet<string>;
  /** Where the tools work: what is allowed for good holds there. */
  readonly folder: string;
  readonly call: CallServer;
}

/** What of a listing can be offered, by name; one tool that cannot be is named with the reason, and spoils no other. */
export function serverTools(server: McpServer, listing: Listing, parts: Parts): ServerTools {
  const tools: ServerTool[] = [];
  const withheld: Withheld[] = [];
  const counts = Map.groupBy(listing.tools, ({ name }) => toolName(server.name, name));
  for (const listed of listing.tools) {
    const isOnce = counts.get(toolName(server.name, listed.name))?.length === 1;
    const why = isOnce ? whyWithheld(server, listed, parts.admitted) : "two tools have this name";
    const made = why ?? madeOf(server, listed, parts);
    if (typeof made === "string") withheld.push({ tool: safeText(listed.name, 100), why: made });
    else tools.push(made);
  }
  tools.sort((one, other) => (one.tool.name < other.tool.name ? -1 : 1));
  return { tools, withheld };
}

function whyWithheld(
  { only, off = [] }: McpServer,
  { name }: ListedTool,
  admitted: ReadonlySet<string>,
): string | undefined {
  if (off.includes(name) || only?.includes(name) === false) return "its owner has turned it off";
  return admitted.has(name) ? undefined : "its owner has not agreed to it as it is now";
}

function madeOf(server: McpServer, listed: ListedTool, parts: Parts): ServerTool | string {
  try {
    return serverTool(server, listed, parts);
  } catch (error) {
    if (!(error instanceof BrokenTool)) throw error;
    return error.message;
  }
}

/** What a server says of a tool counts where it makes it stricter, or where its owner has said that they trust it. */
function serverTool(server: McpServer, listed: ListedTool, { folder, call }: Parts): ServerTool {
  const name = toolName(server.name, listed.name);
  const annotations = isObject(listed.annotations) ? listed.annotations : {};
  const reads =
    server.parallel === true && annotations["readOnlyHint"] === true && annotations["destructiveHint"] !== true;
  const repeats = reads || server.idempotent?.includes(listed.name) === true;
  const parameters = toolParameters(listed.inputSchema);
  const description = `Of the server ${server.name}, in its own words: ${wordsOn(listed)}`;
  const digest = digestOf([name, server.reach.type, description, parameters, annotations]);
  const isOpen = !(reads && annotations["openWorldHint"] === false);
  const tool: Tool = {
    name,
    description,
    parameters,
    toolset: "mcp",
    effect: repeats ? "idempotent" : "effect",
    concurrency: reads ? "shared" : "exclusive",
    untrustedOutput: true,
    ...(isOpen && {
      reaches: { type: "send", to: `the server ${server.name} (${listed.name.slice(0, 100)})` } as const,
    }),
    ...(server.unasked?.includes(listed.name) !== true && {
      verdict: (input) => asking({ server: server.name, tool: name, listed: listed.name, digest, folder }, input),
    }),
    async run(input, { signal, output }) {
      const progress = (message: string): void => output(`${message}\n`);
      return toldResult(await call(made, input, { signal, progress }));
    },
  };
  const made: ServerTool = { tool, digest, listed: listed.name, repeats };
  return made;
}

function wordsOn({ description, title }: ListedTool): string {
  const words = typeof description === "string" && description.trim() !== "" ? description : title;
  return typeof words === "string" ? safeText(words, LONGEST_DESCRIPTION) : "nothing is said of it.";
}

const digestOf = (of: unknown): string => createHash("sha256").update(JSON.stringify(of)).digest("hex");

interface Asked {
  readonly server: string;
  readonly tool: string;
  readonly listed: string;
  readonly digest: string;
  readonly folder: string;
}

/** A yes for good holds for this tool as it was described then, and in this folder. */
function asking({ server, tool, listed, digest, folder }: Asked, input: JsonObject): Verdict {
  const why = `The tool ${JSON.stringify(safeText(listed, 100))} of the server ${server} may do anything there.`;
  const definition = `definition:${digest.slice(0, 16)}`;
  const grant = { tool, prefix: [definition], folder };
  const written = JSON.stringify(input);
  return {
    type: "ask",
    why,
    plan: {
      digest: digestOf([tool, digest, input]),
      shown: [`Server: ${server}`, `Tool: ${safeText(listed, 100)}`, `Arguments: ${safeText(written, MOST_WRITTEN)}`],
      parts: [{ why, words: [definition], grant }],
    },
  };
}
