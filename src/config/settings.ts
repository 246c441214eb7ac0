import type { RetryMode } from "../protocol/fact.ts";
import type { Guardrails } from "../protocol/guardrails.ts";
import type { KeyStrategy } from "../protocol/keys.ts";
import type { ApiMode, CacheTtl, Effort } from "../protocol/provider.ts";
import type { Entry } from "./entry.ts";
import type { SecretReference } from "./reference.ts";
import { stepsOf } from "./keys.ts";
import { type SearchSetting, searchIn } from "./search-setting.ts";
import { type McpServerSetting, mcpServersIn } from "./mcp-setting.ts";
import { type TerminalSetting, terminalIn } from "./terminal-setting.ts";
import type { ModelOverrides } from "../protocol/model-facts.ts";
import { isList, type Value } from "./values.ts";

/** A provider as the config describes it. */
export interface ProviderSettings {
  readonly name: string;
  readonly baseUrl?: string;
  readonly api?: ApiMode;
  readonly apiKey?: SecretReference;
  readonly keyStrategy?: KeyStrategy;
  /** Where the config speaks of it. */
  readonly place: string;
}

/** A model as the config describes it. */
export interface ModelSettings extends ModelOverrides {
  /** PROVIDER/MODEL. */
  readonly name: string;
}

/** Everything that was set, after all layers; plain and frozen. What is absent is as usual. */
export interface Settings {
  readonly model?: string;
  readonly provider?: string;
  /** Those that take over, in order, each as PROVIDER/MODEL; absent when none is named. */
  readonly fallback?: readonly string[];
  /** Those that are asked for advice, each as PROVIDER/MODEL; absent when none is named. */
  readonly advisers?: readonly string[];
  /** What was set of providers, by name, in the order in which they stand. */
  readonly providers: readonly ProviderSettings[];
  readonly effort?: Effort;
  readonly cacheTtl?: CacheTtl;
  /** Describes pictures to a model that cannot see; as PROVIDER/MODEL. */
  readonly visionModel?: string;
  /** Sums up what is left out of a long conversation; as PROVIDER/MODEL. */
  readonly summaryModel?: string;
  /** Absent: `idle`. */
  readonly summaryWhen?: "idle" | "needed" | "never";
  /** Whether the model keeps notes; absent: it does. */
  readonly notes?: boolean;
  /** The program of an MCP memory server, and its arguments. */
  readonly memoryServer?: readonly string[];
  /** When and by whom conversations are looked through for what is worth keeping; see the table of keys. */
  readonly review: {
    readonly when?: "counted" | "never";
    readonly model?: string;
    readonly turns?: number;
    readonly iterations?: number;
    readonly leastTurns?: number;
  };
  /** When and by whom notes are tidied. */
  readonly dream: { readonly when?: "daily" | "asked"; readonly model?: string };
  /** Gives sessions their titles; as PROVIDER/MODEL. */
  readonly titleModel?: string;
  /** Skills that are not offered. */
  readonly skillsOff?: readonly string[];
  /** Which tools are offered, and which are not: their names, or those of their sets. */
  readonly toolSets?: readonly string[];
  readonly toolsOff?: readonly string[];
  /** Files, folders or packages with tools of the user's own. */
  readonly toolFiles?: readonly string[];
  /** Folders beside the working folder that tools may read; and those that they may write too. */
  readonly readFolders?: readonly string[];
  readonly writeFolders?: readonly string[];
  /** Variables that commands get besides the usual ones. */
  readonly terminalEnv?: readonly string[];
  /** Where and within what commands run. */
  readonly terminal: TerminalSetting;
  /** What decides how scripts run; see the table of keys. */
  readonly scripts: {
    /** Seconds. */
    readonly timeout?: number;
  };
  /** What stands around commands; see the table of keys. */
  readonly sandbox: {
    readonly mode?: "read-only" | "workspace" | "auto" | "off";
    readonly hosts?: readonly string[];
    readonly write?: readonly string[];
    readonly read?: readonly string[];
  };
  /** How far work is given on. */
  readonly children: {
    readonly iterations?: number;
    readonly parallel?: number;
    readonly nested?: boolean;
    readonly minutes?: number;
  };
  /** What of this machine and its network tools reach, each as PURPOSE HOST [PORT…]. */
  readonly egress: { readonly allow?: readonly string[] };
  /** The owner's Home Assistant; without an address there is none. */
  readonly home: { readonly url?: string; readonly token?: SecretReference };
  readonly search: SearchSetting;
  /** Makes pictures; as PROVIDER/MODEL. */
  readonly imagesModel?: string;
  /** How much of results is told, characters. */
  readonly results: { readonly limit?: number; readonly preview?: number; readonly batch?: number };
  /** What was set of models. */
  readonly models: readonly ModelSettings[];
  /** Servers of tools; absent when none is named. */
  readonly mcpServers?: readonly McpServerSetting[];
  /** Ask no model beyond this machine. */
  readonly offline?: boolean;
  readonly approve?: "never" | "rules" | "park" | "all";
  /** How long a yes holds until its call runs, minutes. */
  readonly approval: { readonly minutes?: number };
  readonly failOnToolError?: boolean;
  readonly maxIterations?: number;
  /** How long a turn may run in one go, ms. */
  readonly maxTimeMs?: number;
  /** US dollars that a turn may spend, all turns of a session, all sessions in a day. */
  readonly maxCost?: number;
  readonly maxSessionCost?: number;
  readonly maxDayCost?: number;
  /** Row C6. All in ms. */
  readonly stream: Partial<Readonly<Record<"firstByteMs" | "idleMs" | "callMs" | "nonStreamIdleMs", number>>>;
  /** Rows D4, D15. All in ms but the mode. */
  readonly retry: {
    readonly baseMs?: number;
    readonly maxMs?: number;
    readonly maxWaitMs?: number;
    readonly mode?: RetryMode;
  };
  /** Row E7. */
  readonly guardrails: Partial<Guardrails>;
  /** Which commits are synced to disk: those that must survive power loss, or all. */
  readonly sync: "four" | "full";
  /** How much the log keeps. */
  readonly logLevel: "debug" | "info" | "warn" | "off";
  /** Files with hooks, plug-ins or middleware; absent when none is named. */
  readonly plugins?: readonly string[];
}

const PLAIN = [
  "model",
  "provider",
  "effort",
  "cacheTtl",
  "offline",
  "approve",
  "failOnToolError",
  "maxIterations",
  "maxTimeMs",
  "maxCost",
  "maxSessionCost",
  "maxDayCost",
] as const;

type Entries = ReadonlyMap<string, Entry>;

/** The settings out of what was set by key: values were read by the table, so each is what its key takes. */
export function settingsFrom(entries: Entries): Settings {
  const plain = PLAIN.flatMap((name) => (entries.has(name) ? [[name, entries.get(name)?.value] as const] : []));
  const vision = entries.get("vision.model")?.value;
  const [summary, when] = ["summary.model", "summary.when"].map((name) => entries.get(name)?.value);
  return Object.freeze({
    ...(Object.fromEntries(plain) as Pick<Settings, (typeof PLAIN)[number]>),
    providers: providersIn(entries),
    models: modelsIn(entries),
    ...mcpIn(entries),
    stream: group(entries, "stream") as Settings["stream"],
    retry: group(entries, "retry") as Settings["retry"],
    review: group(entries, "review") as Settings["review"],
    dream: group(entries, "dream") as Settings["dream"],
    approval: group(entries, "approval") as Settings["approval"],
    ...named(entries, "memory.notes", "notes"),
    ...named(entries, "title.model", "titleModel"),
    ...listIn(entries, "memory.server", "memoryServer"),
    ...listIn(entries, "skills.off", "skillsOff"),
    ...listIn(entries, "tools.sets", "toolSets"),
    ...listIn(entries, "tools.off", "toolsOff"),
    ...listIn(entries, "tools.files", "toolFiles"),
    ...listIn(entries, "files.read", "readFolders"),
    ...listIn(entries, "files.write", "writeFolders"),
    ...listIn(entries, "terminal.env", "terminalEnv"),
    terminal: terminalIn(entries),
    search: searchIn(entries),
    ...named(entries, "images.model", "imagesModel"),
    children: group(entries, "children") as Settings["children"],
    sandbox: group(entries, "sandbox") as Settings["sandbox"],
    egress: group(entries, "egress") as Settings["egress"],
    home: group(entries, "home") as Settings["home"],
    scripts: group(entries, "scripts") as Settings["scripts"],
    results: group(entries, "results") as Settings["results"],
    guardrails: group(entries, "guardrails") as Settings["guardrails"],
    sync: (entries.get("store.sync")?.value ?? "four") as Settings["sync"],
    logLevel: (entries.get("log.level")?.value ?? "info") as Settings["logLevel"],
    ...(when !== undefined && { summaryWhen: when as NonNullable<Settings["summaryWhen"]> }),
    ...(vision !== undefined && { visionModel: vision as string }),
    ...(summary !== undefined && { summaryModel: summary as string }),
    ...listIn(entries, "fallback"),
    ...listIn(entries, "advisers"),
    ...listIn(entries, "plugins"),
  });
}

const named = (entries: Entries, key: string, name: keyof Settings): Partial<Settings> =>
  entries.has(key) ? { [name]: entries.get(key)?.value } : {};

/** An empty list says nothing. */
function listIn(entries: Entries, key: string, name: keyof Settings = key as keyof Settings): Partial<Settings> {
  const value = entries.get(key)?.value;
  return value !== undefined && isList(value) && value.length > 0 ? { [name]: value } : {};
}

function mcpIn(entries: Entries): Pick<Settings, "mcpServers"> {
  const mcpServers = mcpServersIn(entries);
  return mcpServers.length > 0 ? { mcpServers } : {};
}

function providersIn(entries: Entries): readonly ProviderSettings[] {
  const found = new Map<string, ProviderSettings>();
  for (const { key, value, place } of entries.values()) {
    const [head, name = "", inner] = key.split(".");
    if (head !== "providers" || inner === undefined) continue;
    found.set(name, { ...(found.get(name) ?? { name, place }), [inner]: value });
  }
  return [...found.values()];
}

function modelsIn(entries: Entries): readonly ModelSettings[] {
  const found = new Map<string, ModelSettings>();
  for (const { key, value, place } of entries.values()) {
    const [head, name = "", inner = "", rate] = stepsOf(key);
    if (head !== "models") continue;
    const before = found.get(name) ?? { name, place };
    const own = rate === undefined ? value : { ...before.prices, [rate]: value };
    found.set(name, { ...before, [inner]: own });
  }
  return [...found.values()];
}

function group(entries: Entries, name: string): Record<string, Value> {
  const inside = [...entries].filter(([key]) => key.startsWith(`${name}.`));
  return Object.fromEntries(inside.map(([key, { value }]) => [key.slice(name.length + 1), value]));
}
