import { homedir } from "node:os";
import { systemFolder } from "../config/folders.ts";
import { describeModel } from "../model/catalogue/facts.ts";
import { loadDialect } from "../model/dialects.ts";
import { type Connect, parseBaseUrl } from "../model/endpoint.ts";
import type { Limits } from "../model/fallback/limits.ts";
import { keyPrint, spared } from "../model/fallback/spare-model.ts";
import { seesPictures } from "../model/pictures.ts";
import type { KnownSecrets } from "../model/secrets.ts";
import type { StreamLimits } from "../model/stream-limits.ts";
import { checkKey, createTransport, type Transport } from "../model/transport.ts";
import type { Timers } from "../model/watchdog.ts";
import type { KeyRing, ProviderKeys } from "../protocol/keys.ts";
import type { Clock } from "../protocol/ports.ts";
import type { ApiMode, CacheTtl, Effort, ProviderAnswer } from "../protocol/provider.ts";
import type { ModelFacts } from "../protocol/model-facts.ts";
import { keyRing } from "./provider-keys.ts";
import { type About, providerRefusal, type Refusal } from "../session/result.ts";
import { systemClock } from "../session/system-clock.ts";
import type { ScriptedModel } from "../testing/script.ts";
import { VirtualClock } from "../testing/virtual-clock.ts";
import { type Language, wordsIn } from "../words/language.ts";
import { AGENT_CLOSED } from "../words/usage.ts";

/** Which model an agent asks, and how. */
export interface ModelOptions {
  /**
   * With `baseUrl`: the name of the model there. Without it the model is looked for as the command line does, once,
   * before the first turn: config, environment, servers on this machine; `auto`, as when absent, takes the best there
   * is, `practice` the built-in practice model. Or a scripted model of `evander/testing`.
   */
  readonly model?: string | ScriptedModel;
  /** Address of the server, up to what its dialect's paths stand below: with `/v1` for most. */
  readonly baseUrl?: string;
  /** With `baseUrl`: how the server there is spoken to; `chat_completions` when absent. */
  readonly api?: ApiMode;
  /** Shown to `baseUrl` as its dialect wants it. */
  readonly apiKey?: string;
  /** With `baseUrl`: several keys. Where one is refused or used up, another is sent; see docs/failures.md. */
  readonly apiKeys?: readonly string[];
  /** How several keys are used, and what is known of them beside `apiKey` and `apiKeys`. */
  readonly keys?: ProviderKeys;
  /** With `baseUrl`: its name for results and records, `custom` when absent. Else: the provider to look for. */
  readonly provider?: string;
  /** Where the provider was named, for results; `options` when absent. */
  readonly source?: string;
  /** The variable that the key was read from: named where the provider refuses it. */
  readonly keySource?: string;
  /** Tokens a request and its reply may have together: one that cannot fit is not sent. Unknown when absent. */
  readonly contextWindow?: number;
  /** How much the model is to think, where it can be told; as much as it does by itself when absent. */
  readonly effort?: Effort;
  /** How long the provider is asked to cache what was sent, where it can be told; five minutes when absent. */
  readonly cacheTtl?: CacheTtl;
  /** What is known of the model; looked up when absent. */
  readonly facts?: ModelFacts;
  readonly stream?: Partial<StreamLimits>;
  /** Of explanations and next steps; `en` when absent. */
  readonly language?: Language;
  /**
   * `fake`: waits take no time, and time passes in steps of what is waited for; for tests. A clock of one's own that does
   * so lets also a test's server wait by it.
   */
  readonly clock?: "fake" | VirtualClock;
}

/** A model that can be asked. */
export interface OpenedModel {
  readonly transport: Transport;
  readonly model: string;
  readonly about: About;
  /** Tokens that a request and its reply may have together; undefined: nobody knows. */
  readonly contextWindow: number | undefined;
  /** Absent: there is one key at most. */
  readonly keys?: KeyRing;
  /** Absent: of a scripted model, unless it was told. */
  readonly facts?: ModelFacts;
}

export interface ModelSource {
  /** The same model each time; where there is none, it is looked for again. */
  open(): Promise<OpenedModel | Refusal>;
  readonly clock: Clock;
  /** Throws what a scripted model has seen go wrong. */
  readonly check: (() => void) | undefined;
  close(): Promise<void>;
}

/** What the models of one agent have in common. */
export interface Shared {
  readonly limits?: Limits | undefined;
  /** The keys of all of them. */
  readonly secrets?: KnownSecrets;
  /** By which limits end, where a model has no time of its own. */
  readonly clock?: Clock | undefined;
  /** Looks for a model; as the command line would find it here, when absent. */
  readonly find?: ((choice: Pick<ModelOptions, "model" | "provider">) => Promise<ProviderAnswer>) | undefined;
}

/** Throws a TypeError for a server that cannot be asked in this way. Once it is closed, there is no model any more. */
export function modelSource(options: ModelOptions, shared: Shared = {}): ModelSource {
  const source = sourceOf(options, shared);
  let closed = false;
  return {
    ...source,
    open: () => (closed ? Promise.resolve(CLOSED) : source.open()),
    close: () => {
      closed = true;
      return source.close();
    },
  };
}

const CLOSED: Refusal = { reason: "usage_error", code: "agent_closed", message: AGENT_CLOSED };

function sourceOf(options: ModelOptions, shared: Shared): ModelSource {
  const { model, baseUrl, apiKey } = options;
  const virtual = options.clock === "fake" ? new VirtualClock() : options.clock;
  const clock = virtual ?? shared.clock ?? systemClock;
  const way: Way = { ...shared, timers: virtual, clock };
  if (typeof model === "object") return scripted(model, options, way);
  if (baseUrl !== undefined) {
    if (model === undefined || model === "auto")
      throw new TypeError("Name the model that is to be asked at baseUrl, as `model`.");
    return { ...known({ ...options, model, baseUrl }, way), clock, check: undefined };
  }
  if (apiKey !== undefined || options.apiKeys !== undefined)
    throw new TypeError("An apiKey needs the baseUrl it is for.");
  return { ...lookedFor(options, way), clock, check: undefined };
}

/** Where a scripted model seems to be: no address of this machine or its network, so that the usual limits hold. */
const SCRIPT_URL = "http://script.test/v1";

function scripted(script: ScriptedModel, options: ModelOptions, way: Way): ModelSource {
  const { clock } = way;
  const settings = { ...options, model: "scripted", baseUrl: SCRIPT_URL, provider: "scripted" };
  const source = known(settings, { ...way, connect: () => script.connect(clock) });
  const close = async (): Promise<void> => {
    await source.close();
    script.assertUsed();
  };
  return { ...source, clock, check: () => script.assertExpected(), close };
}

type Source = Pick<ModelSource, "open" | "close">;

/** Throws a TypeError for an address or a key that cannot be used. */
function known(server: Server, way: Way): Source {
  parseBaseUrl(server.baseUrl);
  const keys = [server.apiKey, ...(server.apiKeys ?? [])].filter((key) => key !== undefined);
  for (const key of keys) checkKey(key);
  way.secrets?.add({ secrets: keys });
  let opening: Promise<OpenedModel> | undefined;
  return {
    open: async () => withKeys(await (opening ??= opened({ ...firstKey(server), ...server }, way))),
    close: async () => {
      const it = await opening;
      await it?.keys?.close();
      it?.transport.close();
    },
  };
}

interface Server extends Omit<ModelOptions, "model" | "clock"> {
  readonly model: string;
  readonly baseUrl: string;
}

interface Way extends Shared {
  readonly clock: Clock;
  readonly timers: Timers | undefined;
  readonly connect?: Connect;
}

/** Of several, the first is the one that a single key is. */
const firstKey = ({ apiKeys: [apiKey] = [] }: Server): Pick<Server, "apiKey"> =>
  apiKey === undefined ? {} : { apiKey };

/** What runs out soon is renewed before a turn asks with it. */
async function withKeys<T extends OpenedModel | Refusal>(it: T): Promise<T> {
  if ("keys" in it) await it.keys?.ready();
  return it;
}

async function opened(
  { model, baseUrl, apiKey, provider = "custom", source = "options", keySource, ...more }: Server,
  { timers, connect, limits, secrets, clock }: Way,
): Promise<OpenedModel> {
  const { api = "chat_completions", contextWindow, effort, cacheTtl, stream, language = "en" } = more;
  const looked = connect === undefined && more.facts === undefined;
  const facts = looked ? await describeModel({ provider, model, baseUrl }) : more.facts;
  const { thinking, maxOutput, contextWindow: usualWindow }: Partial<ModelFacts> = facts ?? {};
  const keys = await keyRing({ ...more, baseUrl, apiKey, provider, keySource }, clock);
  const transport = createTransport({
    dialect: await loadDialect(api),
    baseUrl,
    apiKey,
    keys,
    secrets,
    provider,
    contextWindow,
    usualWindow,
    effort,
    cacheTtl,
    thinking,
    maxOutput,
    sees: seesPictures(facts),
    shrink: async (picture, limit) => (await import("../tools/pictures/shrink.ts")).shrinkPicture(picture, limit),
    connect,
    stream,
    timers,
  });
  const shown = aboutServer({ provider, baseUrl, source, language, keySource });
  const spares = limits && { provider, key: keyPrint(baseUrl, apiKey), limits, now: () => clock.now() };
  const known = { contextWindow: contextWindow ?? usualWindow, ...(facts && { facts }) };
  return { transport: sparing(transport, spares), model, about: shown, ...(keys && { keys }), ...known };
}

const sparing = (transport: Transport, spares: Parameters<typeof spared>[1] | undefined): Transport =>
  spares === undefined ? transport : { ...transport, open: (opening) => spared(transport.open(opening), spares) };

function lookedFor(options: ModelOptions, way: Way): Source {
  let looking: Promise<OpenedModel | Refusal> | undefined;
  let close = (): Promise<void> => Promise.resolve();
  const look = async (): Promise<OpenedModel | Refusal> => {
    const found = await (way.find ?? find)(options);
    if (!("type" in found)) return found;
    if (found.type === "none") return providerRefusal(found);
    const { serveModel } = await import("./find-model.ts");
    const served = await serveModel(found);
    const { model, apiKey, ...server } = served.model;
    const own = { ...server, ...options, model, ...(apiKey !== undefined && { apiKey }), provider: server.provider };
    const it = await opened({ ...own, baseUrl: server.baseUrl }, way);
    close = async () => {
      await it.keys?.close();
      it.transport.close();
      await served.close();
    };
    return it;
  };
  const open = async (): Promise<OpenedModel | Refusal> => {
    const mine = (looking ??= look());
    const usable = await mine.then(
      (it) => "transport" in it,
      () => false,
    );
    // Whoever asks next may have set up a provider meanwhile.
    if (!usable && looking === mine) looking = undefined;
    return withKeys(await mine);
  };
  return { open, close: () => close() };
}

/** What the command line would find here, with these flags. */
async function find({ model, provider, source }: ModelOptions): Promise<ProviderAnswer | Refusal> {
  const [{ findModel }, { readConfig }, { modelAsked }, { configRefusal, profileRefusal }] = await Promise.all([
    import("./find-model.ts"),
    import("../config/config.ts"),
    import("../config/model-asked.ts"),
    import("../cli/config/trouble.ts"),
  ]);
  const { env, platform } = process;
  const around = { env, home: homedir(), platform, systemFolder: systemFolder(platform, env) };
  const cwd = process.cwd();
  const named = typeof model !== "string" || model === "auto" ? {} : { model };
  const flags = { ...named, ...(provider !== undefined && { provider }) };
  const reading = await readConfig({ around, cwd, attended: false, flags });
  if (reading.type === "no-profile") return profileRefusal(reading.problem).refusal;
  if (reading.type === "invalid") return configRefusal(reading.troubles).refusal;
  const asked = modelAsked(reading.config, around, cwd);
  return findModel(provider === undefined ? asked : { ...asked, namedBy: source ?? "options" }, around);
}

/** Throws where there is no model. */
export function usable(found: OpenedModel | Refusal, language: Language = "en"): OpenedModel {
  if ("reason" in found) throw new Error(wordsIn(found.message, language));
  return found;
}

const aboutServer = ({
  keySource,
  ...about
}: Omit<About, "keySource"> & { readonly keySource: string | undefined }): About =>
  keySource === undefined ? about : { ...about, keySource };
