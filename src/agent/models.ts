import { join } from "node:path";
import type { AgentOptions, Around } from "./options.ts";
import { LIMITS_FILE } from "../config/folders.ts";
import { type FallbackChain, fallbackChain } from "./fallback-chain.ts";
import type { AdviserSource } from "./extensions.ts";
import { openLimits } from "../model/fallback/limits.ts";
import { type ModelOptions, modelSource, type ModelSource, type Shared } from "./model-source.ts";
import { KnownSecrets } from "../model/secrets.ts";
import type { KnownValues } from "../protocol/redact/known.ts";
import type { ModelChoice } from "../protocol/provider.ts";

/** All that an agent may ask. */
export interface AgentModels {
  readonly source: ModelSource;
  /** Those that take over when it fails. */
  readonly chain: FallbackChain;
  readonly vision: ModelSource | undefined;
  readonly advisers: readonly AdviserSource[];
  readonly summary: ModelSource | undefined;
  readonly title: ModelSource | undefined;
  /** Tidies notes; the model of the conversation where there is no other. */
  readonly dream: ModelSource | undefined;
  readonly review: ModelSource | undefined;
  /** Another one, until all are closed; the same for the same choice. */
  readonly sourceFor: (choice: ModelChoice) => ModelSource;
  /** The keys of all of them, and the secrets of their owner: nobody else is told them, such as a tool. */
  readonly known: () => KnownValues;
  /** Looks up those that only tools could come upon, once. */
  readonly learn: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Throws a TypeError for a server that cannot be asked as the options say. */
export function agentModels(options: AgentOptions & Around): AgentModels {
  const { language, fallback = [], advisers = [], chosen } = options;
  const limits = openLimits(limitsPath(options));
  const secrets = new KnownSecrets(options.secrets);
  const source = modelSource(options, { limits, secrets });
  const { clock } = source;
  const shared: Shared = { limits, secrets, clock, find: options.find };
  const all = [source];
  const open = (choice: ModelChoice & Partial<ModelOptions>): ModelSource => {
    const other = modelSource({ ...choice, ...(language && { language }) }, shared);
    all.push(other);
    return other;
  };
  const alike = inherited(options);
  const first = { ...chosenAs(options), source };
  const chain = fallbackChain(fallback, first, { limits, clock, open: (choice) => open({ ...alike, ...choice }) });
  if (chosen === true) chain.forgive();
  const opened = new Map<string, ModelSource>();
  const sourceFor = (choice: ModelChoice): ModelSource => {
    const key = JSON.stringify(choice);
    const known = opened.get(key) ?? open(choice);
    opened.set(key, known);
    return known;
  };
  let learnt: Promise<void> | undefined;
  const learn = async (): Promise<void> => secrets.add({ secrets: (await options.secretsLater?.()) ?? [] });
  const close = async (): Promise<void> => {
    await Promise.all(all.map((each) => each.close()));
  };
  return {
    source,
    chain,
    vision: options.vision && open(options.vision),
    advisers: advisers.map((choice) => ({ name: nameOf(choice), source: open(choice) })),
    summary: options.summary === false ? undefined : options.summary && open(options.summary),
    title: options.title && open(options.title),
    dream: options.dream?.model && open(options.dream.model),
    review: options.review?.model && open(options.review.model),
    sourceFor,
    known: () => secrets.known,
    learn: () => (learnt ??= learn()),
    close,
  };
}

const limitsPath = ({ store, limitsFolder = store }: AgentOptions & Around): string | undefined =>
  limitsFolder === undefined ? undefined : join(limitsFolder, LIMITS_FILE);

const chosenAs = ({ model, provider, baseUrl }: AgentOptions): Partial<ModelChoice> => ({
  ...(typeof model === "string" && { model }),
  ...(provider !== undefined && { provider }),
  ...(baseUrl !== undefined && { baseUrl }),
});

/** As it is written in the config. */
const nameOf = ({ provider, model, baseUrl }: ModelChoice): string =>
  [provider ?? URL.parse(baseUrl ?? "")?.host, model].filter((part) => part !== undefined).join("/");

/** Whoever takes over is asked in the same way. */
const inherited = ({ effort, cacheTtl, stream }: AgentOptions): Partial<ModelOptions> => ({
  ...(effort && { effort }),
  ...(cacheTtl && { cacheTtl }),
  ...(stream && { stream }),
});
