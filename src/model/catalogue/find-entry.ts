import { plainId, regionOf, withoutOffer } from "./model-id.ts";
import { idIn, type ModelRow, type ProviderModels, rowIn, type Snapshot } from "./snapshot.ts";

export interface ModelQuery {
  /** As results name it. */
  readonly provider: string;
  readonly model: string;
  readonly baseUrl?: string | undefined;
}

/** A row of the snapshot, and how well it fits. */
export interface Found {
  readonly provider: string;
  readonly id: string;
  readonly row: ModelRow;
  /** `region`: the same edition for another part of the world, where prices differ. */
  readonly match: "exact" | "edition" | "region" | "elsewhere";
}

/**
 * The entry of a model: its provider's own id, else the same id in another spelling or edition, else the same model at
 * whichever other provider promises least.
 */
export function findEntry(query: ModelQuery, snapshot: Snapshot): Found | undefined {
  const provider = providerAt(query.baseUrl, snapshot) ?? query.provider.toLowerCase();
  const list = Object.hasOwn(snapshot.providers, provider) ? snapshot.providers[provider] : undefined;
  return (list && ownEntry(query.model, provider, list)) ?? entryElsewhere(query.model, snapshot);
}

function ownEntry(model: string, provider: string, { models }: ProviderModels): Found | undefined {
  const own = models.find((line) => line.startsWith(`${model} `));
  if (own !== undefined && idIn(own) === model) return { provider, id: model, row: rowIn(own), match: "exact" };
  const [best] = sameModel(model, models, plainId).toSorted(
    (a, b) => regions(model, idIn(a)) - regions(model, idIn(b)) || idIn(a).length - idIn(b).length,
  );
  if (best === undefined) return undefined;
  const id = idIn(best);
  return { provider, id, row: rowIn(best), match: regions(model, id) === 0 ? "edition" : "region" };
}

/** The lines of a model, whatever its spelling. */
function sameModel(model: string, lines: readonly string[], plain: (id: string) => string): string[] {
  const asked = plain(model);
  const word = asked.split("-").toSorted((a, b) => b.length - a.length)[0] ?? "";
  // Most lines are told apart at a glance.
  return lines.filter((line) => line.toLowerCase().includes(word) && plain(idIn(line)) === asked);
}

/** Zero where both are served in the same part of the world. */
const regions = (a: string, b: string): number => (regionOf(a) === regionOf(b) ? 0 : 1);

const plainOffer = (id: string): string => plainId(withoutOffer(id));

/** Other providers may serve a model with a smaller window, or without its eyes. */
function entryElsewhere(model: string, { providers }: Snapshot): Found | undefined {
  const all = Object.entries(providers).flatMap(([provider, { models }]) =>
    sameModel(model, models, plainOffer).map((line): Found => ({
      provider,
      id: idIn(line),
      row: rowIn(line),
      match: "elsewhere",
    })),
  );
  const [first] = all.toSorted(({ row: a }, { row: b }) => a[0] - b[0]);
  if (first === undefined) return undefined;
  const [contextWindow, maxOutput, , ...rest] = first.row;
  const images = all.every(({ row }) => row[2] === 1) ? 1 : 0;
  return { ...first, row: [contextWindow, maxOutput, images, ...rest] };
}

/** Whose address this is; where several providers have an address on one host, the one with the longest common path. */
function providerAt(baseUrl: string | undefined, { providers }: Snapshot): string | undefined {
  const asked = URL.parse(baseUrl ?? "");
  if (asked === null) return undefined;
  const fits = Object.entries(providers).flatMap(([provider, { ways }]) =>
    ways.flatMap(([, address]) => {
      const url = URL.parse(address);
      return url?.host === asked.host ? [{ provider, common: commonSteps(url.pathname, asked.pathname) }] : [];
    }),
  );
  return fits.toSorted((a, b) => b.common - a.common)[0]?.provider;
}

/** How many steps two paths have in common from the beginning; a step that is left over counts against it. */
function commonSteps(a: string, b: string): number {
  const [own, asked] = [a, b].map((path) => path.split("/").filter((step) => step !== ""));
  const differs = own?.findIndex((step, at) => step !== asked?.[at]) ?? 0;
  const common = differs < 0 ? (own?.length ?? 0) : differs;
  return common - ((own?.length ?? 0) - common) / 100;
}
