import type { Entry } from "./entry.ts";
import type { SecretReference } from "./reference.ts";
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
