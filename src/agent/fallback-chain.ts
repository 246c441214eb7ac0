import { type Limits, openLimits } from "../model/fallback/limits.ts";
import { mergeChain } from "../model/fallback/merge.ts";
import type { ModelSource, OpenedModel } from "./model-source.ts";
import { withoutSlash } from "../protocol/base-url.ts";
import type { FailureReason } from "../protocol/failure.ts";
import { priceOf } from "../protocol/money.ts";
import type { Asked, Clock, ModelName } from "../protocol/ports.ts";
import type { ModelChoice } from "../protocol/provider.ts";
import type { Backup } from "../session/model-routes.ts";
import type { OtherModel } from "../session/turn.ts";

/** Whoever used up a limit, or an account, is not asked again at once while there is somebody else (hermes.md §12.2). */
const COOL_MS = 60_000;
/** After everybody was asked in vain, the next turn does not ask them all again; nor who could not be asked at all. */
const SPENT_MS = 30_000;

const SPENDS: ReadonlySet<FailureReason> = new Set(["rate_limit", "billing"]);

/** The models behind the first one of an agent, in order (rows D9 to D11). */
export interface FallbackChain {
  /** As sessions see it, which open each model in a way of their own. */
  readonly behind: (toOther: (model: OpenedModel, name: ModelName) => OtherModel) => Backup;
  /** A person has chosen the first model: nothing stands against it but what its server says. */
  readonly forgive: () => void;
}

/** The first model, as it was chosen. */
interface First extends Partial<ModelChoice> {
  readonly source: Source;
}

interface Parts {
  readonly limits: Limits;
  readonly clock: Pick<Clock, "now">;
  /** Throws a TypeError for a choice that cannot be used. */
  readonly open: (choice: ModelChoice) => ModelSource;
}

type Source = Pick<ModelSource, "open">;

interface Candidate {
  readonly source: Source;
  /** As it was chosen, then as it was found. */
  name: ModelName;
  /** Address and model, as far as they are known. */
  place: string | undefined;
}

/** Throws a TypeError for a choice that cannot be used. Nothing is looked for before it is needed. */
export function fallbackChain(
  choices: readonly ModelChoice[],
  first: First,
  { limits, clock, open }: Parts,
): FallbackChain {
  const own = candidateOf(first, first.source);
  const all = [own];
  for (const choice of mergeChain(choices)) all.push(distinct(candidateOf(choice, open(choice)), all));
  const candidates = all.slice(1);
  // What a key or an address here does wrong is nothing to other processes.
  const here = openLimits(undefined);
  const against = (name: ModelName): FailureReason | undefined => {
    const [whom, nowMs] = [asSuch(name), clock.now()];
    return (limits.against(whom, nowMs) ?? here.against(whom, nowMs))?.reason;
  };
  const cool = (name: ModelName, ms: number, reason: FailureReason): void => {
    const nowMs = clock.now();
    (SPENDS.has(reason) ? limits : here).add({ ...asSuch(name), untilMs: nowMs + ms, reason }, nowMs);
  };
  const usable = ({ tried, ...asked }: Asked): Candidate[] =>
    candidates.filter(({ name }) => ![asked, ...tried].some((it) => isSame(it, name)) && against(name) === undefined);
  const firstOpen = async (asked: Asked): Promise<readonly [OpenedModel, ModelName] | undefined> => {
    await opened(own, all);
    const left = [asked, ...asked.tried].map((name) => all.find((it) => isSame(it.name, name))?.place);
    for (const candidate of usable(asked)) {
      const model = await opened(candidate, all);
      if (model === undefined) cool(candidate.name, SPENT_MS, "unknown");
      else if (!left.includes(candidate.place) && mayCost(model, asked)) return [model, candidate.name];
    }
    return undefined;
  };
  return {
    behind: (toOther) => ({
      size: candidates.length,
      left: (asked) => usable(asked).length,
      against,
      next: async (asked, failure) => {
        if (failure !== undefined && SPENDS.has(failure.reason))
          cool(asked, Math.max(COOL_MS, failure.retryAfterMs ?? 0), failure.reason);
        const found = await firstOpen(asked);
        if (found !== undefined) return toOther(...found);
        for (const name of [asked, ...asked.tried]) cool(name, SPENT_MS, "unknown");
        return undefined;
      },
      reopen: async (name) => {
        const candidate = candidates.find((it) => isSame(it.name, name));
        const model = candidate && (await opened(candidate, all));
        return model && toOther(model, name);
      },
    }),
    forgive: () => limits.remove(asSuch(own.name), clock.now()),
  };
}

const candidateOf = (
  { provider = "custom", model = "", baseUrl }: Partial<ModelChoice>,
  source: Source,
): Candidate => ({
  source,
  name: { provider, model },
  place: baseUrl === undefined ? undefined : placeOf(baseUrl, model),
});

/** Undefined: it cannot be asked, for whatever reason. */
async function opened(candidate: Candidate, all: readonly Candidate[]): Promise<OpenedModel | undefined> {
  try {
    const model = await candidate.source.open();
    if ("reason" in model) return undefined;
    candidate.name = { provider: model.about.provider, model: model.model };
    candidate.place = placeOf(model.about.baseUrl ?? "", model.model);
    distinct(candidate, all.slice(0, all.indexOf(candidate)));
    return model;
  } catch {
    return undefined;
  }
}

/** Two servers may have the same name, with a model of the same name: facts tell them apart by where they are. */
function distinct(candidate: Candidate, before: readonly Candidate[]): Candidate {
  const { name, place } = candidate;
  if (place === undefined || !before.some((it) => isSame(it.name, name) && it.place !== place)) return candidate;
  candidate.name = { ...name, provider: `${name.provider}@${URL.parse(place.split("\n", 1)[0] ?? "")?.host ?? ""}` };
  return candidate;
}

/** Under a limit nobody is asked whose price nobody knows: the turn would end there. */
const mayCost = ({ facts }: OpenedModel, { limit }: Asked): boolean =>
  limit === undefined || priceOf(facts) !== undefined;

/** Whatever its key. */
const asSuch = ({ provider, model }: ModelName): ModelName & { readonly key: "" } => ({ provider, model, key: "" });

const isSame = (one: ModelName, other: ModelName): boolean =>
  one.model === other.model && one.provider.toLowerCase() === other.provider.toLowerCase();

const placeOf = (baseUrl: string, model: string): string => `${withoutSlash(baseUrl)}\n${model}`;
