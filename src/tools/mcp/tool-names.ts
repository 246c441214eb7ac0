import { createHash } from "node:crypto";

/** What all providers take. */
const LONGEST = 64;
/** A server's part ends at the first "__". */
const SERVER = /^[A-Za-z0-9-]+(?:_[A-Za-z0-9-]+)*$/u;
const LONGEST_SERVER = 32;

/**
 * The name by which models know a tool of a server (security §3.8): always the same for the same two names, and another for
 * others. What no name can hold is replaced, and a hash of what it was says which it is; of long names the end is kept,
 * where they differ.
 */
export function toolName(server: string, tool: string): string {
  const begin = namesBegin(server);
  const room = LONGEST - begin.length;
  return begin + (/^[A-Za-z0-9_-]+$/u.test(tool) && tool.length <= room ? tool : hashed(tool, room));
}

/** How the names of all tools of a server begin, and those of no other. */
export function namesBegin(server: string): string {
  const owner = SERVER.test(server) && server.length <= LONGEST_SERVER ? server : hashed(server, 20);
  return `mcp__${owner}__`;
}

/** Eight hex digits first: no two names that were changed have the same ones. */
function hashed(name: string, most: number): string {
  const hash = createHash("sha256").update(name).digest("hex").slice(0, 8);
  const legal = name.replaceAll(/[^A-Za-z0-9-]+/gu, "_").replaceAll(/^_+|_+$/gu, "");
  return `${hash}-${legal.slice(-(most - 9)).replaceAll(/^_+/gu, "")}`.replace(/-$/u, "");
}
