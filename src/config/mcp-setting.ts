import type { Entry } from "./entry.ts";
import type { SecretReference } from "./reference.ts";
import { isList, type Value } from "./values.ts";

/** A variable or a header: its text, or where it lies. */
export type Given = string | SecretReference;

/** A server of tools as the config names it; nothing of it is looked up. */
export interface McpServerSetting {
  readonly name: string;
  /** Where the config speaks of it first. */
  readonly place: string;
  readonly enabled: boolean;
  readonly command?: string;
  readonly args: readonly string[];
  readonly cwd?: string;
  readonly env: Readonly<Record<string, Given>>;
  readonly writes: readonly string[];
  readonly hosts: readonly string[];
  readonly url?: string;
  readonly headers: Readonly<Record<string, Given>>;
  /** Seconds. */
  readonly timeout?: number;
  readonly startTimeout?: number;
  readonly parallel: boolean;
  /** The only ones that are offered; empty: all. */
  readonly tools: readonly string[];
  readonly off: readonly string[];
  readonly unasked: readonly string[];
  readonly idempotent: readonly string[];
}

type Set = ReadonlyMap<string, Value>;

/** The servers that a config names, in the order in which they stand. */
export function mcpServersIn(entries: ReadonlyMap<string, Entry>): readonly McpServerSetting[] {
  const found = new Map<string, { readonly place: string; readonly set: Map<string, Value> }>();
  for (const { key, value, place } of entries.values()) {
    const [root, group, name = "", ...inner] = key.split(".");
    if (root !== "mcp" || group !== "servers" || inner.length === 0) continue;
    const server = found.get(name) ?? { place, set: new Map<string, Value>() };
    found.set(name, server);
    server.set.set(inner.join("."), value);
  }
  return [...found].map(([name, { place, set }]) => ({ name, place, ...serverIn(set) }));
}

function serverIn(set: Set): Omit<McpServerSetting, "name" | "place"> {
  const list = (name: string): readonly string[] => {
    const value = set.get(name) ?? [];
    return isList(value) ? value : [];
  };
  return {
    enabled: set.get("enabled") !== false,
    ...(plainIn(set) as Pick<McpServerSetting, (typeof PLAIN)[number]>),
    args: list("args"),
    env: namedIn(set, "env."),
    writes: list("writes"),
    hosts: list("hosts"),
    headers: namedIn(set, "headers."),
    parallel: set.get("parallel") === true,
    tools: list("tools"),
    off: list("off"),
    unasked: list("unasked"),
    idempotent: list("idempotent"),
  };
}

const PLAIN = ["command", "cwd", "url", "timeout", "startTimeout"] as const;

const plainIn = (set: Set): Readonly<Record<string, Value | undefined>> =>
  Object.fromEntries(PLAIN.flatMap((name) => (set.has(name) ? [[name, set.get(name)]] : [])));

const namedIn = (set: Set, group: string): Readonly<Record<string, Given>> =>
  Object.fromEntries(
    [...set].flatMap(([name, value]) =>
      name.startsWith(group) ? [[name.slice(group.length), value as Given] as const] : [],
    ),
  );
