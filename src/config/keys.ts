import { LONGEST_MS } from "./duration.ts";
import { CHILDREN_KEYS } from "./children-keys.ts";
import { EGRESS_KEYS } from "./egress-keys.ts";
import { HANDS_KEYS } from "./hands-keys.ts";
import { HOME_KEYS } from "./home-keys.ts";
import { LASTING_KEYS } from "./lasting-keys.ts";
import { SANDBOX_KEYS } from "./sandbox-keys.ts";
import { SCRIPTS_KEYS } from "./scripts-keys.ts";
import { MCP_KEYS } from "./mcp-keys.ts";
import { WEB_KEYS } from "./web-keys.ts";
import { RETRY_MODES } from "../protocol/fact.ts";
import type { Rates } from "../protocol/model-facts.ts";
import { KEY_STRATEGIES } from "../protocol/keys.ts";
import { API_MODES, EFFORTS } from "../protocol/provider.ts";
import type { Takes } from "../protocol/setting.ts";

/**
 * What a project's own file may do with a key. It may only narrow what its user allows: a limit may be `lower`, a
 * guard may be switched `on`, a choice may be an `earlier` one of its list. `free`: a matter of taste, not of permission.
 */
export type ProjectMay = "nothing" | "lower" | "on" | "earlier" | "free";

/** One setting: everything there is to know of it. */
export interface Key {
  /** Names of groups, then its own, with dots between; `*` stands for a name of the user's choice. */
  readonly name: string;
  readonly takes: Takes;
  /** One clause, for help and documents. */
  readonly meaning: string;
  /** What holds where nothing is set. */
  readonly usual?: string | number | boolean;
  /** The same in words, where it depends on something. */
  readonly usually?: string;
  readonly project: ProjectMay;
  /** Only the administrator's file may hold it. */
  readonly systemOnly?: true;
  /** The variable that sets it, where it is not named after the key. */
  readonly variable?: string;
  /** A value that cannot be read is told and leaves what is usual: a typing error must not take a guard away. */
  readonly lenient?: true;
}

const MS: Takes = { type: "count", of: "milliseconds" };

const silence = (name: string, usual: number, meaning: string): Key => ({
  name: `stream.${name}`,
  takes: MS,
  meaning,
  usual,
  usually: `${usual}, more for long prompts; no limit for a server on this machine or its network`,
  project: "nothing",
});

const wait = (name: string, usual: number, meaning: string, usually?: string): Key => ({
  name: `retry.${name}`,
  takes: MS,
  meaning,
  usual,
  ...(usually !== undefined && { usually }),
  project: "nothing",
});

const guard = (name: string, usual: boolean, meaning: string, usually?: string): Key => ({
  name: `guardrails.${name}`,
  takes: { type: "switch" },
  meaning,
  usual,
  ...(usually !== undefined && { usually }),
  project: "on",
  lenient: true,
});

const repeats = (name: string, usual: number, meaning: string): Key => ({
  name: `guardrails.${name}`,
  takes: { type: "count", of: "calls" },
  meaning,
  usual,
  project: "lower",
  lenient: true,
});

const ofModel = (name: string, takes: Takes, meaning: string): Key => ({
  name: `models.*.${name}`,
  takes,
  meaning,
  usually: "what its server says, else what is known of the model",
  project: "nothing",
});

const price = (name: keyof Rates, meaning: string): Key => ({
  ...ofModel(`prices.${name}`, { type: "price" }, meaning),
  usually: "what is known of the model; unknown without one of input and output",
});

const money = (name: string, meaning: string): Key => ({
  name,
  takes: { type: "money" },
  meaning,
  usually: "no limit",
  project: "lower",
});

/** Every setting. Files, variables, `--config`, the JSON Schema, help and documents all follow this table. */
export const KEYS: readonly Key[] = [
  {
    name: "model",
    takes: { type: "text" },
    meaning: "the model to ask; practice for the built-in one",
    usually: "the variable of the provider, else its usual model",
    project: "free",
  },
  {
    name: "provider",
    takes: { type: "text" },
    meaning: "who serves the model",
    usually: "the first one described here, else the first one found",
    project: "nothing",
  },
  {
    name: "fallback",
    takes: { type: "models" },
    meaning: "who takes over when the model fails, in this order",
    usually: "none",
    project: "nothing",
  },
  {
    name: "advisers",
    takes: { type: "models" },
    meaning: "models that are asked how they would answer each message, before the model is; not asked when offline",
    usually: "none",
    project: "nothing",
  },
  {
    name: "providers.*.baseUrl",
    takes: { type: "address" },
    meaning: "where a provider is served; with any name, a server of your own",
    usually: "the address that is known of the provider",
    project: "nothing",
  },
  {
    name: "providers.*.api",
    takes: { type: "choice", of: API_MODES },
    meaning: "how a provider is spoken to",
    usually: "the way that is known of the provider, else chat_completions",
    project: "nothing",
  },
  {
    name: "providers.*.apiKey",
    takes: { type: "secret" },
    meaning: "where the key of a provider lies; it is read when that provider is asked",
    usually: "the provider's own variable, such as OPENAI_API_KEY",
    project: "nothing",
  },
  {
    name: "providers.*.keyStrategy",
    takes: { type: "choice", of: KEY_STRATEGIES },
    meaning: "which of several keys of a provider is sent: see evander auth status",
    usual: "fill_first",
    project: "nothing",
  },
  ofModel(
    "contextWindow",
    { type: "count", of: "tokens" },
    "tokens a request to PROVIDER/MODEL and its reply may have together",
  ),
  ofModel("maxOutput", { type: "count", of: "tokens" }, "tokens of the longest reply of the model"),
  ofModel("images", { type: "switch" }, "whether it takes images"),
  {
    ...ofModel("api", { type: "choice", of: API_MODES }, "how it is spoken to"),
    usually: "as its provider is known to be",
  },
  price("input", "what input costs that is read from no cache"),
  price("output", "what output costs"),
  price("cacheRead", "what input costs that is read from a cache"),
  price("cacheWrite5m", "what input costs that is written to a cache for five minutes"),
  price("cacheWrite1h", "what input costs that is written to a cache for an hour"),
  price("reasoning", "what reasoning costs, where it has a price of its own"),
  {
    name: "effort",
    takes: { type: "choice", of: EFFORTS },
    meaning: "how much the model is to think",
    usually: "as much as the model does by itself",
    project: "free",
  },
  {
    name: "cacheTtl",
    takes: { type: "choice", of: ["5m", "1h"] },
    meaning: "how long the provider is asked to cache what was sent",
    usual: "5m",
    project: "nothing",
  },
  {
    name: "vision.model",
    takes: { type: "text" },
    meaning:
      "PROVIDER/MODEL that describes the pictures of a message to a model that cannot see; not asked when offline",
    usually: "none: such a model is told that there was a picture",
    project: "nothing",
  },
  {
    name: "summary.model",
    takes: { type: "text" },
    meaning: "PROVIDER/MODEL that sums up what is left out of a long conversation; not asked when offline",
    usually: "the model of the conversation",
    project: "nothing",
  },
  {
    name: "summary.when",
    takes: { type: "choice", of: ["idle", "needed", "never"] },
    meaning:
      "when a long conversation is summed up: in a chat also between two turns, only when it has to be, or never " +
      "(then the oldest part is left out without a summary)",
    usual: "idle",
    project: "nothing",
  },
  ...LASTING_KEYS,
  ...HANDS_KEYS,
  ...CHILDREN_KEYS,
  ...EGRESS_KEYS,
  ...HOME_KEYS,
  ...SANDBOX_KEYS,
  ...SCRIPTS_KEYS,
  ...MCP_KEYS,
  ...WEB_KEYS,
  {
    name: "offline",
    takes: { type: "switch" },
    meaning: "asks no model beyond this machine",
    usual: false,
    project: "on",
  },
  {
    name: "approve",
    takes: { type: "choice", of: ["never", "rules", "park", "all"] },
    meaning: "what happens to calls that need a person; rules: what evander approve rules shows may run",
    usual: "never",
    usually: "never; at a terminal you are asked",
    project: "earlier",
  },
  {
    name: "failOnToolError",
    takes: { type: "switch" },
    meaning: "the first tool that fails ends the turn",
    usual: false,
    project: "on",
  },
  {
    name: "maxIterations",
    takes: { type: "count", of: "model calls", endless: true },
    meaning: "model calls a turn may make",
    usual: 500,
    project: "lower",
  },
  {
    name: "maxTimeMs",
    takes: { type: "count", of: "milliseconds", most: LONGEST_MS },
    meaning: "how long a turn may run in one go",
    usually: "no limit",
    project: "lower",
  },
  money("maxCost", "what a turn may spend, with what is done beside it"),
  money("maxSessionCost", "what all turns of a session may spend together"),
  money("maxDayCost", "what all sessions may spend in a day, from midnight on"),
  silence("firstByteMs", 120_000, "how long a model may be silent before it begins"),
  silence("idleMs", 180_000, "how long a model may be silent between two pieces"),
  {
    name: "stream.callMs",
    takes: MS,
    meaning: "how long one model call may take",
    usual: 1_800_000,
    project: "nothing",
  },
  silence("nonStreamIdleMs", 90_000, "how long a server may take that gives its reply in one piece"),
  wait("baseMs", 2_000, "the first wait before a call is tried again; later ones double"),
  wait("maxMs", 60_000, "the longest wait between two tries"),
  wait(
    "maxWaitMs",
    30_000,
    "a longer wait is not begun: the turn ends, and says how long it would have been",
    "30000 where nobody attends, 600000 at a terminal",
  ),
  {
    name: "retry.mode",
    takes: { type: "choice", of: RETRY_MODES },
    meaning:
      "persistent waits for what passes until the same failure came ten times in a row, at most a minute each time",
    usual: "standard",
    project: "nothing",
  },
  {
    name: "plugins",
    takes: { type: "files" },
    meaning: "files with hooks, plug-ins or middleware; they run as you",
    usually: "none",
    project: "nothing",
  },
  guard("warnings", true, "the model is told when calls repeat themselves"),
  guard("hardStop", true, "calls that repeat themselves end the turn", "on where nobody attends, off at a terminal"),
  repeats("exactFailureWarnAfter", 2, "failures of the same call before the model is told"),
  repeats("exactFailureStopAfter", 5, "failures of the same call before the turn ends"),
  repeats("sameToolFailureWarnAfter", 3, "failures of one tool in a row before the model is told"),
  repeats("sameToolFailureStopAfter", 8, "failures of one tool in a row before the turn ends"),
  repeats("noProgressWarnAfter", 2, "equal results of the same read-only call before the model is told"),
  repeats("noProgressStopAfter", 5, "equal results of the same read-only call before the turn ends"),
  {
    name: "store.sync",
    takes: { type: "choice", of: ["four", "full"] },
    meaning: "four syncs to disk what must survive power loss, full everything",
    usual: "four",
    project: "nothing",
  },
  {
    name: "log.level",
    takes: { type: "choice", of: ["debug", "info", "warn", "off"] },
    meaning: "how much the log keeps: info one line for each turn, debug each step",
    usual: "info",
    variable: "EVANDER_LOG",
    project: "nothing",
  },
  {
    name: "locked",
    takes: { type: "names" },
    meaning: "keys or groups of them that nobody but this file may set",
    usually: "none",
    project: "nothing",
    systemOnly: true,
  },
];

const BY_NAME: ReadonlyMap<string, Key> = new Map(KEYS.map((key) => [key.name, key]));

/** The key of this name; `providers.openai.baseUrl` is one of `providers.*.baseUrl`. */
export const findKey = (name: string): Key | undefined => BY_NAME.get(patternOf(name));

/** Whether there are keys below this name. */
export const isGroup = (name: string): boolean => KEYS.some((key) => key.name.startsWith(`${patternOf(name)}.`));

const PROVIDER = /^providers\.(?<named>[a-z0-9][\w-]{0,39})(?=$|\.)/iu;
/** A provider, a slash, and a model, which may hold dots: its settings are words without digits before their last letters. */
const MODEL = /^models\.(?<named>[\w-]+\/\S+?)(?=$|(?:\.prices)?(?:\.[a-z]+(?:\d[hm])?)?$)/iu;

const SERVER = /^mcp\.servers\.(?<named>[a-z0-9][\w-]{0,39})(?=$|\.)/iu;
/** A variable or a header of a server. */
const OF_SERVER = /^(mcp\.servers\.\*\.(?:env|headers))\.[\w-]+$/u;

/** What its user named in a key: the provider, the model or the server that it is about. */
export const namedIn = (key: string): string | undefined =>
  (PROVIDER.exec(key) ?? MODEL.exec(key) ?? SERVER.exec(key))?.groups?.["named"];

/** With a star for what its user named. */
export function patternOf(key: string): string {
  const named = namedIn(key);
  return named === undefined ? key : key.replace(`.${named}`, ".*").replace(OF_SERVER, "$1.*");
}

/** The groups of a key and its own name, as they lie in each other in a file. */
export function stepsOf(key: string): string[] {
  // A model is the one name that holds dots.
  const named = MODEL.exec(key)?.groups?.["named"];
  if (named === undefined) return key.split(".");
  return patternOf(key)
    .split(".")
    .map((step) => (step === "*" ? named : step));
}

/** The variable that sets a key; undefined where none does. */
export function variableOf({ name, systemOnly, variable }: Key): string | undefined {
  if (variable !== undefined) return variable;
  if (systemOnly === true || name.includes("*")) return undefined;
  return `EVANDER_${name.replace(/(?<=[a-z0-9])(?=[A-Z])|\./gu, "_").toUpperCase()}`;
}
