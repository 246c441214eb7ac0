import type { RuntimeOptions } from "../cli/adapters.ts";
import type { Io } from "../cli/io.ts";
import { rootFolders } from "../config/folders.ts";
import type { SearchSetting } from "../config/search-setting.ts";
import type { Egress } from "../protocol/egress.ts";
import type { Look } from "../tools/pictures/vision-analyze.ts";
import type { OutsideParts } from "../tools/built-in.ts";
import { SEARCH_NAMES, type SearchName } from "../tools/web/search/provider.ts";
import type { SearchSource } from "../tools/web/search/search.ts";
import { pictureWork, type PictureWork } from "./picture-work.ts";

type Asking = Pick<RuntimeOptions, "settings"> & Partial<Pick<RuntimeOptions, "asked" | "folders">>;

/** What the tools for the web and for pictures work with. */
export function outsideParts(
  { settings, asked, folders }: Asking,
  io: Io,
  { egress, look }: { readonly egress: () => Promise<Egress>; readonly look: Look },
): OutsideParts & Pick<PictureWork, "chargeTo"> {
  const off = settings.offline === true ? "the setting offline is on" : undefined;
  const own = folders === undefined ? [] : [folders.config];
  const secrets = { env: io.env, folders: [...new Set([...own, rootFolders(io).config])] };
  const { chargeTo, ...pictures } = pictureWork({ settings, asked }, io);
  const names = settings.search.providers ?? usual(settings.search, io.env);
  const unknown = names.find((name) => !isSearchName(name));
  return {
    egress,
    off,
    search: {
      off: off ?? (unknown === undefined ? undefined : unknownProvider(unknown)),
      sources: names.filter(isSearchName).flatMap((name) => sourceOf(name, settings.search, secrets)),
    },
    look,
    pictures,
    chargeTo,
  };
}

const isSearchName = (name: string): name is SearchName => SEARCH_NAMES.some((known) => known === name);

const unknownProvider = (name: string): string =>
  `search.providers names ${JSON.stringify(name)}, which is none of ${SEARCH_NAMES.join(", ")}`;

/** The variables that these services name in their own guides. */
const VARIABLES: Readonly<Partial<Record<SearchName, string>>> = {
  brave: "BRAVE_API_KEY",
  tavily: "TAVILY_API_KEY",
  exa: "EXA_API_KEY",
};

/** Nobody is told what is looked up but who was set up for it; without any, the one that needs no key. */
function usual(search: SearchSetting, env: NodeJS.ProcessEnv): readonly SearchName[] {
  const ready = SEARCH_NAMES.filter((name) => name !== "duckduckgo" && isSetUp(name, search, env));
  return ready.length > 0 ? ready : ["duckduckgo"];
}

function isSetUp(name: SearchName, { searxngUrl, keys }: SearchSetting, env: NodeJS.ProcessEnv): boolean {
  if (name === "duckduckgo") return true;
  if (name === "searxng") return searxngUrl !== undefined;
  return keys[name] !== undefined || (env[VARIABLES[name] ?? ""] ?? "").trim() !== "";
}

interface Secrets {
  readonly env: NodeJS.ProcessEnv;
  readonly folders: readonly string[];
}

/** Its key is read when it is asked, and not before. */
function sourceOf(name: SearchName, search: SearchSetting, secrets: Secrets): SearchSource[] {
  if (!isSetUp(name, search, secrets.env)) return [];
  const variable = VARIABLES[name];
  if (variable === undefined) {
    const access = search.searxngUrl === undefined ? {} : { url: search.searxngUrl };
    return [{ name, access: () => Promise.resolve(access) }];
  }
  const reference = search.keys[name] ?? { env: variable };
  const access = async (): Promise<{ key: string }> => {
    const { readSecret, SecretError } = await import("../config/secrets.ts");
    try {
      return { key: await readSecret(reference, secrets) };
    } catch (error) {
      if (!(error instanceof SecretError)) throw error;
      const { SearchAccessError } = await import("../tools/web/search/search.ts");
      throw new SearchAccessError(error.message, { cause: error });
    }
  };
  return [{ name, access }];
}
