import type { Config } from "../../config/config.ts";
import type { Entry, LayerName } from "../../config/entry.ts";
import { type Key, KEYS, patternOf } from "../../config/keys.ts";
import { lockOver } from "../../config/resolve.ts";
import { configSchema } from "../../config/schema.ts";
import { type Value, valueText } from "../../config/values.ts";
import { exitCode } from "../../protocol/exit.ts";
import { printable } from "../../session/plain-text.ts";
import { CONFIG_WORDS } from "../../words/config-commands.ts";
import { OPEN_TURN_WORDS } from "../../words/open-turns.ts";
import { nextSteps } from "../../words/steps.ts";
import type { Asked } from "../context.ts";
import { type Io, say, sayJson } from "../io.ts";
import { stepLine } from "../next-steps.ts";
import { existingKey, lookHere } from "./look.ts";
import { troubleSteps, troubleText } from "./trouble.ts";

/** One setting as it holds. */
interface Held {
  readonly key: string;
  /** Null where nothing is set and what is usual depends on something. */
  readonly value: Value | null;
  /** What is usual, in words, where nothing is set. */
  readonly usually: string | null;
  readonly layer: LayerName;
  readonly place: string;
  /** Nobody but the administrator may set it. */
  readonly locked: boolean;
}

function held(config: Config, key: Key, entry: Entry | undefined): Held {
  const locked = lockOver(key.name, config.entries) !== undefined;
  if (entry !== undefined) {
    const { value, layer, place } = entry;
    return { key: entry.key, value: value === Infinity ? "Infinity" : value, usually: null, layer, place, locked };
  }
  const usually = key.usually ?? (key.usual === undefined ? "" : String(key.usual));
  const value = key.usually === undefined ? (key.usual ?? null) : null;
  return { key: key.name, value, usually, layer: "built-in", place: "built in", locked };
}

const allHeld = (config: Config): Held[] =>
  KEYS.flatMap((key) => {
    if (!key.name.includes("*")) return [held(config, key, config.entries.get(key.name))];
    const named = [...config.entries.values()].filter((entry) => patternOf(entry.key) === key.name);
    return named.map((entry) => held(config, key, entry));
  });

/** `evander config show`: one `key: value` a line, as a config of dotted keys would have it. */
export async function showConfig({ io, json, origin }: Asked & { readonly origin: boolean }): Promise<void> {
  const all = allHeld(await lookHere(io));
  if (json) return sayJson(io, all);
  for (const it of all) say(io.stdout, printable(line(it, origin)));
}

function line({ key, value, usually, place, locked }: Held, origin: boolean): string {
  const shown = value === null ? `(${usually})` : valueText(value);
  const where = origin ? `  # ${place}${locked ? ", locked" : ""}` : "";
  return `${key}: ${shown}${where}`;
}

/** `evander config get KEY`: the value alone; nothing where nothing is set and nothing is usual. */
export async function getSetting(name: string, { io, json, language }: Asked): Promise<void> {
  const key = existingKey(name, "get");
  const config = await lookHere(io);
  const it = held(config, key, config.entries.get(name));
  if (json) return sayJson(io, it);
  if (it.value === null) return say(io.stderr, CONFIG_WORDS.notSet(name, it.usually ?? "")[language]);
  say(io.stdout, printable(valueText(it.value)));
}

/** `evander config check`: 0, or the code of a config that cannot be used. */
export async function checkConfig({ io, json, language }: Asked): Promise<number> {
  const { troubles, entries, files } = await lookHere(io);
  const code = troubles.some(({ severity }) => severity === "error") ? exitCode("config_invalid", {}) : 0;
  const told = troubles.map(({ severity, layer, place, key, ...trouble }) => ({
    severity,
    layer,
    place,
    key: key ?? null,
    message: troubleText({ severity, layer, place, ...trouble })[language],
    next: nextSteps(troubleSteps({ severity, layer, place, ...trouble }), undefined, language),
  }));
  if (json) {
    sayJson(io, { ok: code === 0, troubles: told });
    return code;
  }
  for (const { severity, message, next } of told) {
    say(io.stdout, `${CONFIG_WORDS.severity[severity][language]}: ${message}`);
    for (const step of next)
      say(io.stdout, printable(`  ${OPEN_TURN_WORDS.next[language]}: ${stepLine(step, io.env)}`));
  }
  const layers = new Set([...entries.values()].map(({ layer }) => layer));
  const read = files.filter(({ layer }) => layers.has(layer)).map(({ path }) => path);
  if (troubles.length === 0) say(io.stdout, printable(CONFIG_WORDS.right(read)[language]));
  return code;
}

export const printSchema = (io: Io): void => sayJson(io, configSchema(), 2);
