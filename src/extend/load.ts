import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { Hooks, Middleware, Plugin } from "../protocol/extension.ts";
import { isObject } from "../protocol/json.ts";
import { reasonOf } from "../protocol/reason-of.ts";
import { EXTENSION_LIMIT_MS } from "../protocol/extension.ts";

export interface Loaded {
  readonly hooks: readonly Hooks[];
  readonly plugins: readonly Plugin[];
  readonly middleware: readonly Middleware[];
  /** One sentence for each file that could not be used. */
  readonly troubles: readonly string[];
}

const KINDS = ["hooks", "plugins", "middleware"] as const;

/** Loads what a person has named: modules that export `hooks`, `plugins` or `middleware`, one or a list of each. */
export async function loadExtensions(
  paths: readonly string[],
  { cwd, limitMs = EXTENSION_LIMIT_MS }: { readonly cwd: string; readonly limitMs?: number },
): Promise<Loaded> {
  const loaded = { hooks: [] as Hooks[], plugins: [] as Plugin[], middleware: [] as Middleware[] };
  const troubles: string[] = [];
  for (const path of paths) {
    try {
      const module = await importWithin(resolve(cwd, path), limitMs);
      const { hooks, plugins, middleware } = partsOf(module);
      loaded.hooks.push(...(hooks as Hooks[]));
      loaded.plugins.push(...(plugins as Plugin[]));
      loaded.middleware.push(...(middleware as Middleware[]));
    } catch (error) {
      const [why = ""] = reasonOf(error).split("\n", 1);
      troubles.push(`The plug-in file ${path} is not used: ${why.replace(/\.$/u, "")}.`);
    }
  }
  return { ...loaded, troubles };
}

/** Throws for a module that holds nothing of ours, or something that cannot be it. */
function partsOf(module: unknown): Record<(typeof KINDS)[number], object[]> {
  const exported = isObject(module) ? module : {};
  if (KINDS.every((kind) => exported[kind] === undefined)) throw new Error(`it exports none of ${KINDS.join(", ")}`);
  const listed = (kind: (typeof KINDS)[number]): object[] => {
    const value = exported[kind] ?? [];
    const list: unknown[] = Array.isArray(value) ? value : [value];
    return list.map((item) => checked(item, kind));
  };
  return { hooks: listed("hooks"), plugins: listed("plugins"), middleware: listed("middleware") };
}

function checked(item: unknown, kind: (typeof KINDS)[number]): object {
  if (!isObject(item)) throw new Error(`what it exports as ${kind} is no object`);
  if (kind !== "hooks" && (typeof item["name"] !== "string" || item["name"] === ""))
    throw new Error(`an entry of ${kind} has no name`);
  return item;
}

/** A module that never finishes loading holds up nobody. */
export async function importWithin(path: string, limitMs: number): Promise<unknown> {
  const loading: Promise<unknown> = import(pathToFileURL(path).href);
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`it was still loading after ${limitMs} ms`)), limitMs);
  try {
    return await Promise.race([loading, promise]);
  } finally {
    clearTimeout(timer);
  }
}
