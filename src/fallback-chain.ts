import type { Limits } from "./model/fallback/limits.ts";
import { mergeChain } from "./model/fallback/merge.ts";
import type { ModelSource, OpenedModel } from "./model-source.ts";
import type { FailureReason } from "./protocol/failure.ts";
import type { Asked, Clock, ModelName } from "./protocol/ports.ts";
import type { ModelChoice } from "./protocol/provider.ts";
import type { Backup } from "./session/model-routes.ts";
import type { OtherModel } from "./session/turn.ts";

/** Whoever used up a limit, or an account, is not asked again at once while there is somebody else (hermes.md §12.2). */
const COOL_MS = 60_000;
/** After everybody was asked in vain, the next turn does not ask them all again; nor who could not be asked at all. */
const SPENT_MS = 30_000;

const SPENDS: ReadonlySet<FailureReason> = new Set(["rate_limit", "billing"]);

/** The models behind the first one of an agent, in order (rows D9 to D11). */
export interface FallbackChain {
  /** As sessions see it, which open each model in a way of their own. */
  readonly behind: (toOther: (model: OpenedModel, name: ModelName) => OtherModel) => Backup;
  /** A person has chosen this model: nothing stands against it but what its server says. */
  readonly forgive: (name: ModelName) => void;
  readonly close: () => Promise<void>;
}

interface Parts {
  readonly first: Pick<ModelSource, "open">;
  readonly limits: Limits;
  readonly clock: Pick<Clock, "now">;
  /** Throws a TypeError for a choice that cannot be used. */
  readonly open: (choice: ModelChoice) => ModelSource;
}

interface Known {
  readonly name: ModelName;
  /** Address and model, once it was opened. */
  readonly place: string | undefined;
}

interface Candidate extends Known {
  readonly source: ModelSource;
  place: string | undefined;
  /** As it was chosen, then as it was found. */
  name: ModelName;
}

/** Throws a TypeError for a choice that cannot be used. Nothing is looked for before it is needed. */
export function fallbackChain(choices: readonly ModelChoice[], { first, limits, clock, open }: Parts): FallbackChain {
  const candidates: Candidate[] = [];
  for (const choice of mergeChain(choices)) {
    const { provider = "custom", model, baseUrl } = choice;
    const name = distinct({ provider, model }, candidates, baseUrl);
    candidates.push({ source: open(choice), place: undefined, name });
  }
  const against = (name: ModelName): FailureReason | undefined => limits.against(asSuch(name), clock.now())?.reason;
  const cool = (name: ModelName, ms: number, reason: FailureReason): void => {
    const nowMs = clock.now();
    limits.add({ ...asSuch(name), untilMs: nowMs + ms, reason }, nowMs);
  };
  const usable = ({ tried, ...asked }: Asked): Candidate[] =>
    candidates.filter(({ name }) => ![asked, ...tried].some((it) => isSame(it, name)) && against(name) === undefined);
  const opened = async (candidate: Candidate, own: Known | undefined): Promise<OpenedModel | undefined> => {
    const model = await found(candidate.source);
    if (model === undefined) return undefined;
    candidate.place = placeOf(model);
    const others = candidates.slice(0, candidates.indexOf(candidate));
    const known = own === undefined || own.place === candidate.place ? others : [own, ...others];
    candidate.name = distinct(nameOf(model), known, model.about.baseUrl ?? undefined);
    return model;
  };
  const next = async (asked: Asked): Promise<readonly [OpenedModel, ModelName] | undefined> => {
    const model = await found(first);
    const own = model && { name: nameOf(model), place: placeOf(model) };
    const known: readonly Known[] = own === undefined ? candidates : [own, ...candidates];
    const places = new Set([asked, ...asked.tried].map((it) => known.find(({ name }) => isSame(it, name))?.place));
    for (const candidate of usable(asked)) {
      const model = await opened(candidate, own);
      if (model === undefined) cool(candidate.name, SPENT_MS, "unknown");
      else if (!places.has(candidate.place)) return [model, candidate.name];
    }
    return undefined;
  };
  return {
    behind: (toOther) => ({
      size: candidates.length,
      left: (asked) => usable(asked).length,
      against,
      next: async (asked, failure) => {
        const reason = failure?.reason ?? "unknown";
        if (SPENDS.has(reason)) cool(asked, Math.max(COOL_MS, failure?.retryAfterMs ?? 0), reason);
        const standing = await next(asked);
        if (standing !== undefined) return toOther(...standing);
        for (const name of [asked, ...asked.tried]) cool(name, SPENT_MS, reason);
        return undefined;
      },
      reopen: async (name) => {
        const candidate = candidates.find((it) => isSame(it.name, name));
        const model = candidate && (await found(candidate.source));
        return model && toOther(model, name);
      },
    }),
    forgive: (name) => limits.remove(asSuch(name), clock.now()),
    close: async () => {
      await Promise.all(candidates.map(({ source }) => source.close()));
    },
  };
}

/** Whatever its key. */
const asSuch = ({ provider, model }: ModelName): ModelName & { readonly key: "" } => ({ provider, model, key: "" });

const isSame = (one: ModelName, other: ModelName): boolean =>
  one.model === other.model && one.provider.toLowerCase() === other.provider.toLowerCase();

const nameOf = ({ about, model }: OpenedModel): ModelName => ({ provider: about.provider, model });

const placeOf = ({ about, model }: OpenedModel): string => `${about.baseUrl?.replace(/\/+$/, "")}\n${model}`;

/** Two servers may have the same name, and a model of the same name: facts tell them apart by where they are. */
function distinct(name: ModelName, known: readonly Known[], baseUrl: string | undefined): ModelName {
  if (!known.some((it) => isSame(it.name, name))) return name;
  return { ...name, provider: `${name.provider}@${URL.parse(baseUrl ?? "")?.host ?? ""}` };
}

/** Undefined: it cannot be asked, for whatever reason. */
async function found(source: Pick<ModelSource, "open">): Promise<OpenedModel | undefined> {
  try {
    const model = await source.open();
    return "reason" in model ? undefined : model;
  } catch {
    return undefined;
  }
}
