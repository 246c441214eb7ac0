import { readFileSync } from "node:fs";
import { isObject } from "../protocol/json.ts";

let known: { readonly version: string | undefined } | undefined;

/** The version of this package, as it lies beside its sources or its bundles; undefined where it lies within another one. */
export function ownVersion(): string | undefined {
  known ??= { version: versionAt("../package.json") ?? versionAt("../../package.json") };
  return known.version;
}

function versionAt(path: string): string | undefined {
  try {
    const manifest: unknown = JSON.parse(readFileSync(new URL(path, import.meta.url), "utf8"));
    const { name, version } = isObject(manifest) ? manifest : {};
    return name === "evander" && typeof version === "string" ? version : undefined;
  } catch {
    return undefined;
  }
}
