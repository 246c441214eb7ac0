import type { SymbolMatcher } from "./compare.ts";

/** Our own texts behind the symbols of the case files. */
export const SYMBOLS: ReadonlyMap<string, SymbolMatcher> = new Map<string, SymbolMatcher>([]);
