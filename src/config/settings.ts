import type { Guardrails } from "../protocol/guardrails.ts";
import { LONGEST_MS, readDuration } from "./duration.ts";
import { GUARDRAIL_KEYS, readGuardrails } from "./guardrails.ts";

/** Everything that can be set, after defaults, flags and `--config` were layered; plain and frozen. */
export interface Settings {
  /** What was set explicitly. */
  readonly maxIterations?: number;
  /** How long a turn may run in one go, ms. */
  readonly maxTimeMs?: number;
  /** What was set explicitly; the model's own defaults hold for the rest (row C6). All in ms. */
  readonly stream: Partial<Readonly<Record<"firstByteMs" | "idleMs" | "callMs" | "nonStreamIdleMs", number>>>;
  /** What was set explicitly (row D4). All in ms. */
  readonly retry: { readonly baseMs?: number; readonly maxMs?: number; readonly maxWaitMs?: number };
  /** What was set explicitly and could be read (row E7). */
  readonly guardrails: Partial<Guardrails>;
  /** Which commits are synced to disk: those that must survive power loss, or all. */
  readonly sync: "four" | "full";
  /** Files with hooks, plug-ins or middleware, as they were written; absent when none is named. */
  readonly plugins?: readonly string[];
}

export type SettingsReading =
  | { readonly type: "settings"; readonly settings: Settings }
  | { readonly type: "invalid"; readonly message: string };

const MS_KEYS = [
  "stream.firstByteMs",
  "stream.idleMs",
  "stream.callMs",
  "stream.nonStreamIdleMs",
  "retry.baseMs",
  "retry.maxMs",
  "retry.maxWaitMs",
] as const;

/** Every key that `--config` takes, with what it accepts. */
export const SETTING_KEYS: ReadonlyMap<string, string> = new Map([
  ["maxIterations", "model calls a turn may make: a whole number above zero, or Infinity"],
  ["maxTimeMs", `milliseconds a turn may run: a whole number from 1 to ${LONGEST_MS}`],
  ...MS_KEYS.map((key) => [key, "milliseconds: a whole number above zero"] as const),
  ["plugins", "files with hooks, plug-ins or middleware, separated by commas; they run as you"],
  ...GUARDRAIL_KEYS.map(([key, takes]) => [`guardrails.${key}`, takes] as const),
  ["store.sync", '"four": what must survive power loss is synced to disk; "full": everything'],
]);

type Values = Map<string, string>;

/** Settings that have a flag of their own; a flag wins over `--config`. */
export interface SettingFlags {
  readonly maxIterations?: string | undefined;
  readonly maxTime?: string | undefined;
}

/** Reads `key=value` pairs; a later pair wins. Names the key and what it accepts when one is wrong. */
export function readSettings(pairs: readonly string[], flags: SettingFlags = {}): SettingsReading {
  const values: Values = new Map();
  for (const pair of pairs) {
    const at = pair.indexOf("=");
    const key = pair.slice(0, Math.max(at, 0));
    if (!SETTING_KEYS.has(key))
      return invalid(`"${pair}" sets nothing: write key=value with one of ${[...SETTING_KEYS.keys()].join(", ")}.`);
    values.set(key, pair.slice(at + 1));
  }
  if (flags.maxTime !== undefined) {
    const ms = readDuration(flags.maxTime);
    if (ms === undefined)
      return invalid(`--max-time must be a time up to 24 days, such as 90s, 5m or 1h30m; it is "${flags.maxTime}".`);
    values.set("maxTimeMs", String(ms));
  }
  if (flags.maxIterations === undefined) return layered(values, "maxIterations");
  values.set("maxIterations", flags.maxIterations);
  return layered(values, "--max-iterations");
}

const invalid = (message: string): SettingsReading => ({ type: "invalid", message });

/** `limitName`: how the iteration limit was named by whoever set it. */
function layered(values: Values, limitName: string): SettingsReading {
  const numbers: Record<string, number> = {};
  for (const key of ["maxIterations", "maxTimeMs", ...MS_KEYS]) {
    const text = values.get(key);
    if (text === undefined) continue;
    const number = readNumber(key, text);
    const name = key === "maxIterations" ? limitName : key;
    if (number === undefined) return invalid(`${name} must be a whole number ${rangeOf(key)}; it is "${text}".`);
    numbers[key] = number;
  }
  const sync = values.get("store.sync") ?? "four";
  if (sync !== "four" && sync !== "full") return invalid(`store.sync must be "four" or "full"; it is "${sync}".`);
  const group = (prefix: string): Record<string, number> =>
    Object.fromEntries(
      Object.entries(numbers).flatMap(([key, value]) =>
        key.startsWith(`${prefix}.`) ? [[key.slice(prefix.length + 1), value]] : [],
      ),
    );
  const { maxIterations, maxTimeMs } = numbers;
  const settings = {
    ...(maxIterations !== undefined && { maxIterations }),
    ...(maxTimeMs !== undefined && { maxTimeMs }),
    stream: group("stream"),
    retry: group("retry"),
    guardrails: readGuardrails(
      Object.fromEntries(GUARDRAIL_KEYS.map(([key]) => [key, values.get(`guardrails.${key}`)])),
    ),
    sync,
    ...pluginFiles(values.get("plugins")),
  } as const;
  return { type: "settings", settings: Object.freeze(settings) };
}

function pluginFiles(text = ""): Pick<Settings, "plugins"> {
  const plugins = text.split(",").filter((path) => path.trim() !== "");
  return plugins.length === 0 ? {} : { plugins };
}

function readNumber(key: string, text: string): number | undefined {
  if (key === "maxIterations" && text === "Infinity") return Infinity;
  const number = wholeNumber(text);
  return key === "maxTimeMs" && number !== undefined && number > LONGEST_MS ? undefined : number;
}

const rangeOf = (key: string): string => (key === "maxTimeMs" ? `from 1 to ${LONGEST_MS}` : "above zero");

function wholeNumber(text: string): number | undefined {
  const number = Number(text);
  return /^\d+$/u.test(text) && number > 0 && Number.isSafeInteger(number) ? number : undefined;
}
