import type { ConfigFix, ConfigProblem } from "../protocol/setting.ts";
import type { Value } from "./values.ts";

/** Where settings come from; a later one wins over the ones before it. */
export const LAYERS = ["built-in", "system", "user", "profile", "project", "environment", "--config", "flags"] as const;
export type LayerName = (typeof LAYERS)[number];

/** One setting of one layer. */
export interface Entry {
  readonly key: string;
  readonly value: Value;
  readonly layer: LayerName;
  /** `file:line:column`, a variable, or a flag. */
  readonly place: string;
}

/** What is wrong with a config. `error`: something that was asked for cannot be had. */
export interface Trouble {
  readonly severity: "error" | "warning";
  readonly layer: LayerName;
  readonly place: string;
  /** The key, where it is one; a trouble without one is of the whole file. */
  readonly key?: string;
  readonly problem: ConfigProblem;
  /** What puts it right, where a command can. */
  readonly fix?: ConfigFix;
}

/** What one layer says, and what is wrong in it. */
export interface Layer {
  readonly name: LayerName;
  readonly entries: readonly Entry[];
  readonly troubles: readonly Trouble[];
}
