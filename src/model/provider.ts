import { PRACTICE, type ProviderAnswer } from "../protocol/provider.ts";
import { hosted, type Hosted, HOSTED, UNSUPPORTED } from "./discovery/catalogue.ts";
import { type Candidate, candidateOf, said } from "./discovery/environment.ts";
import { type ConfiguredProvider, configuredFor, describedServer } from "./configured.ts";
import { LOCAL_PROGRAMS, localProgram } from "./discovery/local-servers.ts";
import { openNotes } from "./discovery/notes.ts";
import { isLoopbackHost } from "./endpoint.ts";
import { askServer, type Server } from "./hosted-server.ts";
import { customServer, isOffline, keysInOrder, type ProviderQuery, serverOf } from "./keyed-servers.ts";
import { withNamedProvider } from "./match-provider.ts";
import type { LocalQuery } from "./local-provider.ts";
import {
  inBoth,
  insteadStep,
  keyStep,
  none,
  type None,
  noProvider,
  offline,
  step,
  variableStep,
} from "./no-provider.ts";

/**
 * Finds the provider and the model, in this order: what is named, a key in the environment, a server on this machine.
 * Servers are looked for only when nothing else is there, and a server is asked for its models only when none is named.
 */
export async function resolveProvider(asked: ProviderQuery): Promise<ProviderAnswer> {
  const query = await withNamedProvider(asked);
  const named = said(query.provider)?.toLowerCase();
  if (named === PRACTICE || said(query.model) === PRACTICE) return { type: "practice" };
  const own = configuredFor(named, query);
  if (own !== undefined) return resolveDescribed(own, named, query);
  if (named !== undefined) return resolveNamed(named, query);
  const baseUrl = said(query.env["OPENAI_BASE_URL"]);
  if (baseUrl !== undefined) return ask(customServer(baseUrl, query), query);
  return resolveFound(query);
}

/** Whoever names a provider says where; else the config is what led to it. */
async function resolveDescribed(
  own: ConfiguredProvider,
  named: string | undefined,
  query: ProviderQuery,
): Promise<ProviderAnswer> {
  const source = named === undefined ? own.place : sourceOf(named, query);
  const described = await describedServer(own, source, query);
  return described.type === "none" ? described : ask(described.server, query);
}

const sourceOf = (name: string, { namedBy }: ProviderQuery): string => namedBy ?? `--provider ${name}`;

const ask = (server: Server, query: ProviderQuery): Promise<ProviderAnswer> =>
  askServer(server, { notes: notesOf(query), offline: isOffline(query) });

const notesOf = ({ cacheFolder }: ProviderQuery): ReturnType<typeof openNotes> => openNotes(cacheFolder, Date.now);

const localQuery = (query: ProviderQuery): LocalQuery => ({
  env: query.env,
  model: said(query.model),
  notes: notesOf(query),
  offline: isOffline(query),
  lookMs: query.lookMs,
});

async function resolveNamed(name: string, query: ProviderQuery): Promise<ProviderAnswer> {
  const entry = hosted(name);
  if (entry !== undefined) return resolveHosted(entry, query);
  const program = localProgram(name);
  if (program === undefined) {
    const own = ownServer(name, query);
    return own === undefined ? (unsupportedProvider(name) ?? unknownProvider(name)) : ask(own, query);
  }
  const { resolveProgram } = await import("./local-provider.ts");
  const source = sourceOf(program.id, query);
  return resolveProgram(program, { ...localQuery(query), source });
}

/** The server at OPENAI_BASE_URL by the name that results give it. */
function ownServer(name: string, query: ProviderQuery): Server | undefined {
  const baseUrl = said(query.env["OPENAI_BASE_URL"]);
  const server = baseUrl === undefined ? undefined : customServer(baseUrl, query);
  return server?.provider === name ? server : undefined;
}

function unsupportedProvider(name: string): None | undefined {
  const entry = UNSUPPORTED.find(({ id }) => id === name);
  return entry && none("unsupported_provider", entry.why, [insteadStep(entry.instead)]);
}

function unknownProvider(name: string): None {
  const known = [...HOSTED, ...LOCAL_PROGRAMS].map(({ id }) => id);
  const [asked, all] = [JSON.stringify(name), [...known, PRACTICE].join(", ")];
  const message = inBoth(`There is no provider ${asked}; known are ${all}.`, `没有服务商 ${asked}；已知的有 ${all}。`);
  return none("unknown_provider", message, [
    step(inBoth("Use a server of your own", "使用自己的服务器"), "OPENAI_BASE_URL=http://127.0.0.1:8080/v1 evander"),
  ]);
}

async function resolveHosted(entry: Hosted, query: ProviderQuery): Promise<ProviderAnswer> {
  const source = sourceOf(entry.id, query);
  const custom = entry.id === "openai" ? said(query.env["OPENAI_BASE_URL"]) : undefined;
  if (custom !== undefined) return ask({ ...customServer(custom, query), provider: entry.id, source }, query);
  const candidate = candidateOf(entry, query.env) ?? candidateOf(entry, query.dotEnv ?? {}, ".env");
  if (candidate !== undefined) return resolveKey(candidate, query, source);
  const [variable = ""] = entry.keys;
  return none(
    "missing_key",
    inBoth(
      `${entry.name} needs a key, and ${entry.keys.join(" or ")} is not set.`,
      `${entry.name} 需要密钥，而 ${entry.keys.join(" 或 ")} 没有设置。`,
    ),
    [keyStep(variable)],
  );
}

async function resolveKey(candidate: Candidate, query: ProviderQuery, source: string): Promise<ProviderAnswer> {
  const server = serverOf(candidate, query, source);
  if (server !== undefined) return ask(server, query);
  const { entry, keySource, missing } = candidate;
  return none(
    "bad_base_url",
    inBoth(
      `${entry.name} needs ${missing} to be set beside ${keySource}.`,
      `除 ${keySource} 外，${entry.name} 还需要设置 ${missing}。`,
    ),
    [variableStep(missing ?? "")],
  );
}

/** Nothing is named: the first key that can be used, else the best model of a server on this machine. */
async function resolveFound(query: ProviderQuery): Promise<ProviderAnswer> {
  const keys = keysInOrder(query);
  const [first, ...rest] = isOffline(query) ? keys.filter(leadsHere) : keys;
  if (first !== undefined) return withOthers(await resolveKey(first, query, first.keySource), rest);
  const { findLocalModel } = await import("./local-provider.ts");
  const local = await findLocalModel(localQuery(query));
  const [cut] = keys;
  return local ?? (cut === undefined ? noProvider() : offline(cut.entry.name));
}

const leadsHere = ({ baseUrl = "" }: Candidate): boolean => isLoopbackHost(URL.parse(baseUrl)?.hostname ?? "");

function withOthers(answer: ProviderAnswer, rest: readonly Candidate[]): ProviderAnswer {
  const others = rest.map(({ entry }) => entry.id);
  const [next] = others;
  if (next === undefined || answer.type === "practice") return answer;
  if (answer.type === "found") return { ...answer, others };
  const other = step(
    inBoth("Use another provider that has a key", "使用另一个有密钥的服务商"),
    `evander --provider ${next}`,
  );
  return { ...answer, next: [...answer.next, other] };
}
