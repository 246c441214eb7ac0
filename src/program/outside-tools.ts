import type { RuntimeOptions } from "../cli/adapters.ts";
import type { Io } from "../cli/io.ts";
import { rootFolders } from "../config/folders.ts";
import { type SearchOrder, searchOrder, type SearchSetting } from "../config/search-setting.ts";
import { SEARCH_NAMES } from "../protocol/search-name.ts";
import type { Egress } from "../protocol/egress.ts";
import type { Look } from "../tools/pictures/vision-analyze.ts";
import type { OutsideParts } from "../tools/built-in.ts";
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
  const order = searchOrder(settings.search, io.env);
  const [unknown] = order.unknown;
  return {
    egress,
    off,
    search: {
      off: off ?? (unknown === undefined ? undefined : unknownProvider(unknown)),
      sources: order.asked.map((one) => sourceOf(one, settings.search, secrets)),
    },
    look,
    pictures,
    chargeTo,
  };
}

const unknownProvider = (name: string): string =>
  `search.providers names ${JSON.stringify(name)}, which is none of ${SEARCH_NAMES.join(", ")}`;

interface Secrets {
  readonly env: NodeJS.ProcessEnv;
  readonly folders: readonly string[];
}

/** A key is read when its service is asked, and not before. */
function sourceOf(
  { name, key: reference }: SearchOrder["asked"][number],
  { searxngUrl: url }: SearchSetting,
  secrets: Secrets,
): SearchSource {
  if (reference === undefined) return { name, access: () => Promise.resolve(url === undefined ? {} : { url }) };
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
  return { name, access };
}
