import type { Entry } from "./entry.ts";
import type { SecretReference } from "./reference.ts";
import { SEARCH_NAMES, type SearchName } from "../protocol/search-name.ts";
import { isList } from "./values.ts";

/** What was set of searching the web; what is absent is as usual. */
export interface SearchSetting {
  readonly providers?: readonly string[];
  readonly searxngUrl?: string;
  /** Where keys lie, by provider. */
  readonly keys: Readonly<Record<string, SecretReference>>;
}

export function searchIn(entries: ReadonlyMap<string, Entry>): SearchSetting {
  const providers = entries.get("search.providers")?.value ?? [];
  const url = entries.get("search.searxng.url")?.value;
  const keys = [...entries].flatMap(([key, { value }]) => {
    const [root, name = "", own] = key.split(".");
    return root === "search" && own === "apiKey" ? [[name, value as SecretReference] as const] : [];
  });
  return {
    ...(isList(providers) && providers.length > 0 && { providers }),
    ...(typeof url === "string" && { searxngUrl: url }),
    keys: Object.fromEntries(keys),
  };
}

/** The variables that these services name in their own guides. */
const VARIABLES: Readonly<Partial<Record<SearchName, string>>> = {
  brave: "BRAVE_API_KEY",
  tavily: "TAVILY_API_KEY",
  exa: "EXA_API_KEY",
};

/** Who looks things up. */
export interface SearchOrder {
  /** Those that are set up, in the order in which they are asked, with where the key of each lies. */
  readonly asked: readonly { readonly name: SearchName; readonly key?: SecretReference }[];
  /** Named, and not set up. */
  readonly missing: readonly SearchName[];
  /** Named, and nobody. */
  readonly unknown: readonly string[];
}

type Variables = Readonly<Record<string, string | undefined>>;

/** Nobody is told what is looked up but who was set up for it; without any, the one that needs no key. */
export function searchOrder(search: SearchSetting, env: Variables): SearchOrder {
  const isReady = (name: SearchName): boolean => isSetUp(name, search, env);
  const ready = SEARCH_NAMES.filter((name) => name !== "duckduckgo" && isReady(name));
  const named = search.providers ?? (ready.length > 0 ? ready : (["duckduckgo"] as const));
  const known = named.filter(isSearchName);
  return {
    asked: known.filter(isReady).map((name) => ({ name, ...keyOf(name, search) })),
    missing: known.filter((name) => !isReady(name)),
    unknown: named.filter((name) => !isSearchName(name)),
  };
}

const isSearchName = (name: string): name is SearchName => SEARCH_NAMES.some((known) => known === name);

function keyOf(name: SearchName, { keys }: SearchSetting): { readonly key?: SecretReference } {
  const variable = VARIABLES[name];
  return variable === undefined ? {} : { key: keys[name] ?? { env: variable } };
}

function isSetUp(name: SearchName, { searxngUrl, keys }: SearchSetting, env: Variables): boolean {
  if (name === "duckduckgo") return true;
  if (name === "searxng") return searxngUrl !== undefined;
  return keys[name] !== undefined || (env[VARIABLES[name] ?? ""] ?? "").trim() !== "";
}
