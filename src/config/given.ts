import { nearestName } from "../protocol/nearest.ts";
import { LONGEST_MS, readDuration } from "./duration.ts";
import type { Entry, Layer, LayerName, Trouble } from "./entry.ts";
import { KEYS, variableOf } from "./keys.ts";
import { type Given, readEntry } from "./read-entry.ts";
import { shown } from "./values.ts";

/** Settings that have a flag of their own; a flag wins over everything else. */
export interface SettingFlags {
  readonly model?: string | undefined;
  readonly provider?: string | undefined;
  readonly fallback?: string | undefined;
  readonly effort?: string | undefined;
  readonly approve?: string | undefined;
  readonly failOnToolError?: boolean | undefined;
  readonly maxIterations?: string | undefined;
  readonly retry?: string | undefined;
  /** US dollars. */
  readonly maxCost?: string | undefined;
  /** A time such as 90s, 5m or 1h30m. */
  readonly maxTime?: string | undefined;
}

/** Variables of ours that are no settings. */
const OTHER_VARIABLES = ["EVANDER_HOME", "EVANDER_PROFILE", "EVANDER_LOCAL_SERVERS"];

/** `EVANDER_MODEL` and its like; an empty one says nothing. One that is nearly a setting is told. */
export function readEnvironment(env: NodeJS.ProcessEnv): Layer {
  const keys = new Map(KEYS.flatMap((key) => [[variableOf(key), key.name] as const]));
  const names = [...keys.keys()].filter((name) => name !== undefined);
  const written: Given[] = [];
  const troubles: Trouble[] = [];
  for (const [name, given] of Object.entries(env)) {
    if (!name.startsWith("EVANDER_") || given === undefined || given === "") continue;
    const key = keys.get(name);
    if (key !== undefined) written.push({ key, given, place: name, name });
    else if (!OTHER_VARIABLES.includes(name)) troubles.push(...strangeVariable(name, names));
  }
  const layer = judged("environment", written);
  return { ...layer, troubles: [...layer.troubles, ...troubles] };
}

function strangeVariable(name: string, names: readonly string[]): Trouble[] {
  const meant = nearestName(name, [...names, ...OTHER_VARIABLES]);
  if (meant === undefined) return [];
  const fix = { type: "unset-variable", name, command: `unset ${name}` } as const;
  const problem = { type: "unknown-variable", name, meant } as const;
  return [{ severity: "warning", layer: "environment", place: name, problem, fix }];
}

/** `--config key=value`; a later pair wins. What sets nothing is an error here: somebody has just typed it. */
export function readPairs(pairs: readonly string[]): Layer {
  const written = pairs.map((pair): Given => {
    const at = pair.indexOf("=");
    return { key: pair.slice(0, Math.max(at, 0)), given: pair.slice(at + 1), place: "--config" };
  });
  const layer = judged("--config", written);
  const known = KEYS.filter(({ systemOnly }) => systemOnly !== true).map(({ name }) => name);
  const troubles = layer.troubles.map((trouble): Trouble => {
    const { problem } = trouble;
    if (problem.type !== "unknown-key") return trouble;
    return { ...trouble, severity: "error", problem: { ...problem, type: "unknown-pair", keys: known } };
  });
  return { ...layer, troubles };
}

const FLAGS = [
  "model",
  "provider",
  "fallback",
  "effort",
  "approve",
  "failOnToolError",
  "maxIterations",
  "maxCost",
  "retry",
] as const;

export function readFlags(flags: SettingFlags): Layer {
  const { maxTime } = flags;
  const written = FLAGS.flatMap((key): Given[] => {
    const value = flags[key];
    if (value === undefined) return [];
    const name = `--${key.replace(/[A-Z]/gu, (letter) => `-${letter.toLowerCase()}`)}`;
    return [{ key: key === "retry" ? "retry.mode" : key, given: value, place: name, name }];
  });
  const layer = judged("flags", written);
  if (maxTime === undefined) return layer;
  const place = "--max-time";
  const value = readDuration(maxTime);
  if (value !== undefined)
    return { ...layer, entries: [...layer.entries, { key: "maxTimeMs", value, layer: "flags", place }] };
  const mostDays = Math.floor(LONGEST_MS / 86_400_000);
  const problem = { type: "wrong-time", name: place, written: shown(maxTime), mostDays } as const;
  const trouble: Trouble = { severity: "error", layer: "flags", place, key: "maxTimeMs", problem };
  return { ...layer, troubles: [...layer.troubles, trouble] };
}

function judged(layer: LayerName, written: readonly Given[]): Layer {
  const entries: Entry[] = [];
  const troubles: Trouble[] = [];
  for (const it of written) {
    const reading = readEntry(it, { layer });
    if (reading.type === "entry") entries.push(reading.entry);
    else troubles.push(reading.trouble);
  }
  return { name: layer, entries, troubles };
}
