import { createHash } from "node:crypto";
import { inKeyOrder, isShallow } from "../../protocol/json.ts";
import type { McpChange } from "../../protocol/mcp-consent.ts";
import type { ListedTool, Listing } from "../../protocol/mcp.ts";
import { unifiedHunks } from "../../protocol/unified-diff.ts";

const PINNED = ["name", "title", "description", "inputSchema", "outputSchema", "annotations"] as const;

/** What is pinned of a tool, in one order of keys: the same definition is the same text. Undefined: nobody can read it. */
function definitionText(tool: ListedTool, space?: number): string | undefined {
  const pinned = Object.fromEntries(PINNED.flatMap((name) => (tool[name] === undefined ? [] : [[name, tool[name]]])));
  return isShallow(pinned) ? JSON.stringify(inKeyOrder(pinned), undefined, space) : undefined;
}

export const digestOf = (text: string): string => createHash("sha256").update(text).digest("hex");

/** SHA-256 of a tool as its server defines it (security §3.8); undefined: it cannot be pinned. */
export function pinOf(tool: ListedTool): string | undefined {
  const text = definitionText(tool);
  return text === undefined ? undefined : digestOf(text);
}

/** What a server had said when its owner agreed to it. */
export type Agreed = Pick<Listing, "tools" | "instructions">;

/**
 * The names of a listing that are as they were agreed to. A name that stands twice is none, and what a server says of itself
 * speaks of all its tools: where that is another one, all are off.
 */
export function admitted(agreed: Agreed, listing: Listing): ReadonlySet<string> {
  if ((agreed.instructions ?? "") !== (listing.instructions ?? "")) return new Set();
  const pins = new Map(agreed.tools.map((tool) => [tool.name, pinOf(tool)]));
  const once = listing.tools.filter(({ name }) => listing.tools.filter((tool) => tool.name === name).length === 1);
  return new Set(once.filter((tool) => isSame(pins.get(tool.name), pinOf(tool))).map(({ name }) => name));
}

const isSame = (a: string | undefined, b: string | undefined): boolean => a !== undefined && a === b;

/** What its owner has not agreed to, and what is gone. */
export function differences(agreed: Agreed, listing: Listing): readonly McpChange[] {
  const before = new Map(agreed.tools.map((tool) => [tool.name, tool]));
  const now = new Set(listing.tools.map(({ name }) => name));
  const told = linesBetween(agreed.instructions ?? "", listing.instructions ?? "");
  return [
    ...(told.length > 0 ? [{ type: "instructions", lines: told } as const] : []),
    ...listing.tools.flatMap((tool): McpChange[] => {
      const known = before.get(tool.name);
      if (known === undefined) return [{ type: "added", tool: tool.name, lines: [] }];
      if (isSame(pinOf(known), pinOf(tool))) return [];
      return [{ type: "changed", tool: tool.name, lines: linesBetween(readable(known), readable(tool)) }];
    }),
    ...agreed.tools.flatMap((tool): McpChange[] =>
      now.has(tool.name) ? [] : [{ type: "removed", tool: tool.name, lines: [] }],
    ),
  ];
}

/** Line breaks of a description are lines of the difference. */
const readable = (tool: ListedTool): string => definitionText(tool, 2)?.replaceAll(String.raw`\n`, "\n") ?? "";

const linesBetween = (before: string, after: string): string[] =>
  before === after ? [] : unifiedHunks(before, after).filter((line) => !line.startsWith("@@"));
