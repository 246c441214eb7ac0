import type { Json } from "./case-file.ts";

/** Feeds one recorded input to the product and renames what comes back. A throw is a failed case. */
export type Adapter = (input: Json) => unknown;

export const ADAPTERS: ReadonlyMap<string, Adapter> = new Map<string, Adapter>([]);
