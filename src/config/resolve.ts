import { type Entry, type Layer, LAYERS, type Trouble } from "./entry.ts";
import { findKey, type Key } from "./keys.ts";
import { isList, type Value, valueText } from "./values.ts";

export interface Resolved {
  readonly entries: ReadonlyMap<string, Entry>;
  readonly troubles: readonly Trouble[];
}

/** Lays the layers over each other: a later one wins, except over what is locked, and a project may only narrow. */
export function resolveLayers(layers: readonly Layer[]): Resolved {
  const entries = new Map<string, Entry>();
  const troubles: Trouble[] = [];
  for (const entry of layers.flatMap((layer) => layer.entries)) {
    const refused = refusal(entry, entries);
    if (refused === undefined) entries.set(entry.key, entry);
    else troubles.push(refused);
  }
  const found = layers.flatMap((layer) => layer.troubles).map((trouble) => outweighed(trouble, entries));
  return { entries, troubles: [...found, ...troubles] };
}

/** A wrong value does no harm where a later layer says the same key right. */
function outweighed(trouble: Trouble, entries: ReadonlyMap<string, Entry>): Trouble {
  const winner = trouble.key === undefined ? undefined : entries.get(trouble.key);
  if (winner === undefined || LAYERS.indexOf(winner.layer) <= LAYERS.indexOf(trouble.layer)) return trouble;
  return { ...trouble, severity: "warning" };
}

function refusal(entry: Entry, before: ReadonlyMap<string, Entry>): Trouble | undefined {
  const key = findKey(entry.key);
  if (key === undefined || entry.layer === "system") return undefined;
  const lock = lockOver(entry.key, before);
  if (lock !== undefined) return lockedTrouble(entry, lock);
  if (entry.layer !== "project" || isNarrower(key, entry.value, before.get(entry.key)?.value)) return undefined;
  const { key: name, place } = entry;
  const problem = { type: key.project === "nothing" ? "not-for-projects" : "widened", key: name } as const;
  return { severity: "warning", layer: "project", place, key: name, problem };
}

/** Where the administrator has locked a key, or a group it belongs to. */
export function lockOver(key: string, entries: ReadonlyMap<string, Entry>): Entry | undefined {
  const lock = entries.get("locked");
  const names = lock !== undefined && isList(lock.value) ? lock.value : [];
  return names.some((name) => key === name || key.startsWith(`${name}.`)) ? lock : undefined;
}

/** Somebody who sets it by hand has to know; what a file or a variable says is passed over. */
function lockedTrouble(entry: Entry, lock: Entry): Trouble {
  const byHand = entry.layer === "--config" || entry.layer === "flags";
  return {
    severity: byHand ? "error" : "warning",
    layer: entry.layer,
    place: entry.place,
    key: entry.key,
    problem: { type: "locked", key: entry.key, lock: lock.place, by: entry.place },
    fix: { type: "show", name: entry.key, command: `evander config get ${entry.key}` },
  };
}

function isNarrower(key: Key, value: Value, current: Value | undefined): boolean {
  const base = current ?? key.usual;
  switch (key.project) {
    case "nothing":
      return false;
    case "free":
      return true;
    case "on":
      return value === true || value === base;
    case "lower":
      return typeof value === "number" && (typeof base !== "number" || value <= base);
    case "earlier": {
      const choices = key.takes.type === "choice" ? key.takes.of : [];
      return choices.indexOf(valueText(value)) <= choices.indexOf(base === undefined ? "" : valueText(base));
    }
  }
}
