import { isObject, type JsonObject, objectInText } from "../protocol/json.ts";
import { type FileText, readText } from "./config-file.ts";

/** A server as somebody wrote it down: values of variables and headers are texts, `${NAME}` among them. */
export interface McpGiven {
  readonly name: string;
  readonly command?: string;
  readonly args: readonly string[];
  readonly cwd?: string;
  readonly env: Readonly<Record<string, string>>;
  readonly url?: string;
  readonly headers: Readonly<Record<string, string>>;
}

export type McpFile =
  | { readonly type: "servers"; readonly servers: readonly McpGiven[] }
  | { readonly type: "absent" }
  /** It names no servers. */
  | { readonly type: "none" }
  | { readonly type: "unreadable"; readonly found: Extract<FileText, { type: "unreadable" }> };

/** Where projects name their servers; nothing of it is used before its owner takes it over. */
export const MCP_FILE = ".mcp.json";

/** The servers of a file as other programs write it: `mcpServers`, or `servers`, by name. */
export function readMcpFile(path: string): McpFile {
  const found = readText(path);
  if (found.type !== "text") return found.type === "absent" ? found : { type: "unreadable", found };
  const root = objectInText(found.text);
  const named = [root?.["mcpServers"], root?.["servers"]].find(isObject);
  if (named === undefined) return { type: "none" };
  const servers = Object.entries(named).flatMap(([name, value]) => (isObject(value) ? [givenIn(name, value)] : []));
  return { type: "servers", servers };
}

function givenIn(name: string, value: JsonObject): McpGiven {
  const [command, cwd] = [value["command"], value["cwd"]].map(text);
  const url = [value["url"], value["serverUrl"], value["httpUrl"]].map(text).find((address) => address !== undefined);
  const args = Array.isArray(value["args"]) ? value["args"].flatMap((arg) => text(arg) ?? []) : [];
  return {
    name,
    args,
    env: texts(value["env"]),
    headers: texts(value["headers"]),
    ...(command !== undefined && { command }),
    ...(cwd !== undefined && { cwd }),
    ...(url !== undefined && { url }),
  };
}

const text = (value: unknown): string | undefined =>
  typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? String(value) : undefined;

const texts = (value: unknown): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(isObject(value) ? value : {}).flatMap(([name, it]) => {
      const given = text(it);
      return given === undefined ? [] : [[name, given] as const];
    }),
  );
