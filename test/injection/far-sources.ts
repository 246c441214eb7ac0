import type { Egress } from "../../src/protocol/egress.ts";
import type { Tool } from "../../src/protocol/tool.ts";
import { serverTools } from "../../src/tools/mcp/server-tool.ts";
import { webExtractTool } from "../../src/tools/web/web-extract.ts";
import { webSearchTool } from "../../src/tools/web/web-search.ts";
import type { Source } from "./sources.ts";
import { asks } from "./stage.ts";

/** Whatever is asked for, this comes back. */
const answering = (type: string, body: string) => async (): Promise<Egress> => ({
  fetchFor: () => fetch,
  request: async ({ url }) => ({
    status: 200,
    url,
    headers: { "content-type": type },
    body: new TextEncoder().encode(body),
  }),
});

/** A tool of a server, as the client of ours offers it; its owner lets it run unasked. */
export function serverTool(name: string, call: (input: object) => string): Tool {
  const listing = { tools: [{ name, description: `Does ${name}.`, inputSchema: { type: "object" } }] };
  const server = {
    name: "mail",
    reach: { type: "stdio", command: "x", args: [], cwd: "/", env: async () => ({}), needs: {} },
    admit: async () => new Set([name]),
    unasked: [name],
  } as const;
  const [made] = serverTools(server, listing, {
    admitted: new Set([name]),
    folder: "/",
    call: async (_tool, input) => ({ content: [{ type: "text", text: call(input) }] }),
  }).tools;
  if (made === undefined) throw new Error("it is offered");
  return made.tool;
}

const by =
  (make: (words: string) => Tool, input: Readonly<Record<string, unknown>>): Source["play"] =>
  (stage, words) => {
    const tool = make(words);
    return stage.turn(stage.agent({ tools: [tool] }), asks(tool.name, input));
  };

const page = (words: string): string =>
  `<html><body><article><h1>Tea</h1><p>All of tea.</p><pre><code>${words}</code></pre></article></body></html>`;
const found = (words: string): string =>
  JSON.stringify({ results: [{ url: "https://tea.test/", title: "Tea", content: words }] });
const searxng = { name: "searxng", access: async () => ({ url: "http://search.test" }) } as const;

/** The same ways with the tools themselves, where nothing but the network is missing. */
export const FAR_SOURCES: readonly Source[] = [
  {
    name: "a page that web_extract reads",
    named: "web_extract",
    play: by((words) => webExtractTool({ egress: answering("text/html", page(words)) }), { url: "https://tea.test/" }),
  },
  {
    name: "a text that web_extract reads",
    named: "web_extract",
    play: by((words) => webExtractTool({ egress: answering("text/plain", words) }), { url: "https://tea.test/a.txt" }),
  },
  {
    name: "a find of web_search",
    named: "web_search",
    play: by((words) => webSearchTool({ egress: answering("application/json", found(words)), sources: [searxng] }), {
      query: "tea",
    }),
  },
  { name: "a server of tools", named: "mcp__mail__read", play: by((words) => serverTool("read", () => words), {}) },
  {
    name: "the error of a server of tools",
    named: "mcp__mail__read",
    play: by(
      (words) =>
        serverTool("read", () => {
          throw new Error(words);
        }),
      {},
    ),
  },
];
