import { readFileSync, statSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import type { FileFault } from "../protocol/setting.ts";
import type { Entry, Layer, LayerName, Trouble } from "./entry.ts";
import { findKey } from "./keys.ts";
import { type Correction, readEntry } from "./read-entry.ts";
import { isList } from "./values.ts";
import { loadYaml, MOST_BYTES, readYaml } from "./yaml-text.ts";

/** One config file and how it is put right. */
export interface ConfigFile extends Correction {
  readonly layer: Extract<LayerName, "system" | "user" | "profile" | "project">;
  readonly path: string;
}

/** What lies at a path. */
export type FileText =
  | { readonly type: "absent" }
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "unreadable"; readonly place: string; readonly fault: FileFault };

/** Reads a config file: a small file of UTF-8 text. */
export function readText(path: string): FileText {
  const broken = (fault: FileFault, place = path): FileText => ({ type: "unreadable", place, fault });
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found === undefined) return { type: "absent" };
    if (!found.isFile()) return broken({ type: "no-file" });
    if (found.size > MOST_BYTES) return broken({ type: "too-large", mostBytes: MOST_BYTES });
    const text = new TextDecoder().decode(readFileSync(path));
    const strange = text.indexOf("\ufffd");
    if (strange < 0) return { type: "text", text };
    const before = text.slice(0, strange).split("\n");
    return broken({ type: "no-utf8" }, `${path}:${before.length}:${(before.at(-1) ?? "").length + 1}`);
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (code === "ENOTDIR" || code === "ENOENT") return { type: "absent" };
    return broken({ type: "unreadable", code });
  }
}

/** What a file says as a layer; an absent one says nothing. */
export async function readConfigFile(file: ConfigFile, found: FileText, home: string): Promise<Layer> {
  switch (found.type) {
    case "absent":
      return { name: file.layer, entries: [], troubles: [] };
    case "unreadable":
      return brokenLayer(file, found.place, found.fault);
    case "text":
      return readConfigText(file, found.text, home);
  }
}

export async function readConfigText(file: ConfigFile, text: string, home: string): Promise<Layer> {
  const reading = readYaml(await loadYaml(), file.path, text);
  if (reading.type === "broken") return brokenLayer(file, reading.place, reading.fault);
  const entries: Entry[] = [];
  const troubles: Trouble[] = [];
  for (const given of reading.given) {
    const judged = readEntry(given, file);
    if (judged.type === "entry") entries.push(withPaths(judged.entry, dirname(file.path), home));
    else troubles.push(judged.trouble);
  }
  return { name: file.layer, entries, troubles };
}

/** A path in a file is meant from where the file lies. */
function withPaths(entry: Entry, folder: string, home: string): Entry {
  const whole = (path: string): string => {
    if (path.startsWith("~/")) return join(home, path.slice(2));
    return isAbsolute(path) ? path : join(folder, path);
  };
  const { value } = entry;
  if (typeof value !== "object") return entry;
  if (isList(value)) return findKey(entry.key)?.takes.type === "files" ? { ...entry, value: value.map(whole) } : entry;
  return "file" in value ? { ...entry, value: { file: whole(value.file) } } : entry;
}

function brokenLayer({ layer, path, command }: ConfigFile, place: string, fault: FileFault): Layer {
  const fix = command === undefined ? undefined : ({ type: "edit", name: path, command: `${command} edit` } as const);
  const trouble: Trouble = { severity: "error", layer, place, problem: { type: "file", fault }, ...(fix && { fix }) };
  return { name: layer, entries: [], troubles: [trouble] };
}
