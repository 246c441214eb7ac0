import type { Listing, McpServer } from "../../protocol/mcp.ts";
import { connect } from "./connection.ts";
import type { McpOptions } from "./desk.ts";
import { openLink } from "./open-link.ts";
import { serverTools, type ServerTools } from "./server-tool.ts";

/** What a server says when it is connected for once, such as before its owner agrees to it. */
export interface OnceConnected extends ServerTools {
  readonly listing: Listing;
  readonly serverInfo: { readonly name: string; readonly version: string } | undefined;
  /** Its tools can be called until then. */
  close(): Promise<void>;
}

/** Rejects with one sentence. */
export async function connectOnce(server: McpServer, options: McpOptions, signal: AbortSignal): Promise<OnceConnected> {
  const { folder, clock } = options;
  const connection = await connect(server, { open: () => openLink(server.reach, options), folder, clock }, signal);
  try {
    const listing = await connection.list(signal);
    const admitted = await server.admit(listing);
    const tools = serverTools(server, listing, {
      admitted,
      folder,
      call: ({ listed }, input, asking) => connection.call(listed, input, asking),
    });
    return { ...tools, listing, serverInfo: connection.serverInfo, close: () => connection.end() };
  } catch (error) {
    await connection.end();
    throw error;
  }
}
