import { createHash } from "node:crypto";
import type { ModelNote, ProviderRow } from "../protocol/provider.ts";
import { type ConfiguredProvider, configuredFor, describedServer } from "./configured.ts";
import { type Candidate, said, unsupportedIn } from "./discovery/environment.ts";
import { findServers, type LocalChoice, ranked } from "./discovery/find-local.ts";
import { keptByOthers } from "./discovery/keepers.ts";
import { baseUrlOf } from "./discovery/local-address.ts";
import { localTargets, type Unlooked } from "./discovery/local-servers.ts";
import { openNotes } from "./discovery/notes.ts";
import type { LocalModel, LocalServer } from "./discovery/read-server.ts";
import { isLoopbackHost } from "./endpoint.ts";
import type { Server } from "./hosted-server.ts";
import { withNamedProvider } from "./match-provider.ts";
import { foundOn, lookSignal } from "./local-provider.ts";
import { inBoth, insteadStep, keyStep, ONLINE_STEP, step, variableStep } from "./no-provider.ts";
import { allKeys, customServer, isOffline, keysInOrder, type ProviderQuery, serverOf } from "./keyed-servers.ts";

/** A row, and how it is asked: a server by its address, one on this machine by its best model. */
export interface Surveyed {
  readonly row: ProviderRow;
  readonly server?: Server;
  readonly local?: LocalChoice;
}

/** Everything that discovery looks at, in its order. No request leaves this machine, and no model is asked anything. */
export async function surveyProviders(asked: ProviderQuery & { readonly home: string }): Promise<Surveyed[]> {
  const query = { ...asked, ...(await withNamedProvider(asked)) };
  const notes = openNotes(query.cacheFolder, Date.now);
  const { look, unlooked } = localTargets(query.env);
  const servers = await findServers(look, notes, lookSignal(query));
  const rows = [
    ...(await Promise.all((query.configured ?? []).map((own) => describedRow(own, query)))),
    ...customRow(query),
    ...keyRows(query),
    ...unsupportedIn(query.env).map(unsupportedRow),
    ...keptByOthers(query.env, query.home).map(offeredRow),
    ...servers.map((server) => localRow(server, query)),
    ...unlooked.map(unlookedRow),
    { row: practiceRow(query) },
  ];
  const chosen = chosenOf(rows, query, servers);
  return rows.map((each) => (each === chosen ? { ...each, row: { ...each.row, chosen: true } } : each));
}

/** What would be asked first: what is named, the user's own address, the first key, the best model on this machine. */
function chosenOf(
  rows: readonly Surveyed[],
  query: ProviderQuery,
  servers: readonly LocalServer[],
): Surveyed | undefined {
  const named = said(query.provider)?.toLowerCase();
  const own = configuredFor(named, query);
  if (own !== undefined) return rows.find(({ row }) => row.source === own.place);
  const of = (provider: string): Surveyed | undefined => rows.find(({ row }) => row.provider === provider);
  if (named !== undefined) return of(named);
  const custom = rows.find(({ row }) => row.source === "OPENAI_BASE_URL");
  if (custom !== undefined) return custom;
  const [first] = keysInOrder(query).filter(({ entry }) => of(entry.id)?.row.state === "ready");
  if (first !== undefined) return of(first.entry.id);
  const best = choiceOf(servers, query)?.server;
  return best && rows.find(({ row }) => row.source === foundOn(best.target.address));
}

/** The model that is named, else the best one. */
function choiceOf(servers: readonly LocalServer[], query: ProviderQuery): LocalChoice | undefined {
  const model = said(query.model);
  return ranked(servers).find((choice) => model === undefined || choice.model.id === model);
}

/** The parts of a row that most have in common. */
const EMPTY: Pick<
  ProviderRow,
  "keyFingerprint" | "baseUrl" | "models" | "problem" | "trouble" | "next" | "chosen" | "tokens"
> = {
  keyFingerprint: null,
  baseUrl: null,
  models: [],
  problem: null,
  trouble: null,
  next: [],
  chosen: false,
  tokens: null,
};

const fingerprint = (key: string): string => createHash("sha256").update(key).digest("hex").slice(0, 8);

/** A provider of the config; its key is read, to see whether it is there. */
async function describedRow(own: ConfiguredProvider, query: ProviderQuery): Promise<Surveyed> {
  const described = await describedServer(own, own.place, query);
  const row = { ...EMPTY, provider: own.name, name: own.name, source: own.place, baseUrl: own.baseUrl ?? null };
  if (described.type === "none")
    return {
      row: { ...row, state: "unusable", problem: described.message, trouble: described.cause, next: described.next },
    };
  const { server } = described;
  const { baseUrl, apiKey } = server;
  const keyFingerprint = apiKey === undefined ? null : fingerprint(apiKey);
  return { row: { ...row, baseUrl, keyFingerprint, ...stateOf(server, query) }, server };
}

function customRow(query: ProviderQuery): Surveyed[] {
  const baseUrl = said(query.env["OPENAI_BASE_URL"]);
  if (baseUrl === undefined) return [];
  const server = customServer(baseUrl, query);
  const { provider, apiKey, source } = server;
  const row: ProviderRow = {
    ...EMPTY,
    provider,
    name: "your own server",
    source,
    baseUrl,
    keyFingerprint: apiKey === undefined ? null : fingerprint(apiKey),
    ...stateOf(server, query),
  };
  return [{ row, server }];
}

const keyRows = (query: ProviderQuery): Surveyed[] => {
  const custom = said(query.env["OPENAI_BASE_URL"]) !== undefined;
  return allKeys(query)
    .filter(({ entry }) => !custom || entry.id !== "openai")
    .map((candidate) => keyRow(candidate, query));
};

function keyRow(candidate: Candidate, query: ProviderQuery): Surveyed {
  const { entry, apiKey, keySource, missing } = candidate;
  const server = serverOf(candidate, query, keySource);
  const row: ProviderRow = {
    ...EMPTY,
    provider: entry.id,
    name: entry.name,
    source: keySource,
    keyFingerprint: fingerprint(apiKey),
    baseUrl: candidate.baseUrl ?? null,
    ...(server === undefined ? withoutAddress(missing ?? "") : stateOf(server, query)),
  };
  const isHidden = row.state === "ready" && entry.byName === true && said(query.provider) !== entry.id;
  return { row: isHidden ? { ...row, ...byName(entry.id, keySource) } : row, ...(server !== undefined && { server }) };
}

type State = Pick<ProviderRow, "state" | "problem" | "trouble" | "next">;

const withoutAddress = (missing: string): State => ({
  state: "unusable",
  problem: inBoth(`${missing} is not set.`, `${missing} 没有设置。`),
  trouble: "bad_base_url",
  next: [variableStep(missing)],
});

const byName = (id: string, variable: string): State => ({
  state: "by-name",
  problem: inBoth(
    `${variable} is mainly for other work, so it is used only when this provider is named.`,
    `${variable} 主要用于其他用途，因此只有指定该服务商时才会使用。`,
  ),
  trouble: null,
  next: [step(inBoth("Name it", "指定它"), `evander --provider ${id} --model NAME`)],
});

function stateOf({ baseUrl, apiKey, keySource }: Server, query: ProviderQuery): State {
  const url = URL.parse(baseUrl);
  if (url === null)
    return {
      state: "unusable",
      problem: inBoth("Its address is not one.", "它的地址无效。"),
      trouble: "bad_base_url",
      next: [],
    };
  const here = isLoopbackHost(url.hostname);
  if (apiKey === undefined && !here)
    return {
      state: "unusable",
      problem: inBoth(
        `${url.hostname} needs a key, and ${keySource} is not set.`,
        `${url.hostname} 需要密钥，而 ${keySource} 没有设置。`,
      ),
      trouble: "missing_key",
      next: [keyStep(keySource)],
    };
  if (isOffline(query) && !here)
    return {
      state: "unusable",
      problem: inBoth(
        "It is not on this machine, and this program is told to stay offline.",
        "它不在本机，而程序被要求保持离线。",
      ),
      trouble: "offline",
      next: [ONLINE_STEP],
    };
  return { state: "ready", problem: null, trouble: null, next: [] };
}

const unsupportedRow = ({ entry, variable }: ReturnType<typeof unsupportedIn>[number]): Surveyed => ({
  row: {
    ...EMPTY,
    provider: entry.id,
    name: entry.name,
    state: "unsupported",
    source: variable,
    problem: entry.why,
    next: [insteadStep(entry.instead)],
  },
});

const offeredRow = ({ id, name, path, how, command }: ReturnType<typeof keptByOthers>[number]): Surveyed => ({
  row: {
    ...EMPTY,
    provider: id,
    name,
    state: "offered",
    source: path,
    problem: inBoth(
      "Another tool keeps credentials there; they are not read.",
      "另一个工具在那里保存凭据；本程序不会读取。",
    ),
    next: [step(how, command)],
  },
});

function localRow(server: LocalServer, query: ProviderQuery): Surveyed {
  const { target, models, problem } = server;
  const { program, address } = target;
  const baseUrl = baseUrlOf(address);
  const source = foundOn(address);
  const row: ProviderRow = {
    ...EMPTY,
    provider: program.id,
    name: program.name,
    state: models.length > 0 ? "ready" : "unusable",
    source,
    baseUrl,
    models: models.map(noteOfModel),
    ...(models.length === 0 && { trouble: "no_model", ...withoutModels(program.name, baseUrl, problem) }),
  };
  const choice = choiceOf([server], query);
  return { row, ...(choice !== undefined && { local: choice }) };
}

const noteOfModel = ({ id, contextWindow, longestContext, takesTools }: LocalModel): ModelNote => ({
  id,
  contextWindow: contextWindow ?? null,
  longestContext: longestContext ?? null,
  tools: takesTools ?? null,
});

function withoutModels(name: string, baseUrl: string, problem: string | undefined): Pick<State, "problem" | "next"> {
  if (problem === undefined)
    return {
      problem: inBoth("It has no model.", "它没有模型。"),
      next: [step(inBoth(`Load a model in ${name}`, `在 ${name} 中加载一个模型`), null)],
    };
  if (problem !== "it wants a key")
    return {
      problem: inBoth(`Something answers there, but ${problem}.`, `那里有程序应答，但是：${problem}。`),
      next: [],
    };
  return {
    problem: inBoth("It wants a key.", "它需要密钥。"),
    next: [step(inBoth("Give its key", "填写密钥"), `OPENAI_BASE_URL=${baseUrl} OPENAI_API_KEY=YOUR_KEY evander`)],
  };
}

const unlookedRow = ({ variable, value, why }: Unlooked): Surveyed => ({
  row: {
    ...EMPTY,
    provider: variable === "OLLAMA_HOST" ? "ollama" : "custom",
    name: JSON.stringify(value),
    state: "unusable",
    source: variable,
    problem: inBoth(`Not looked at: ${why}.`, `没有查看：${why}。`),
    trouble: "bad_base_url",
    next: [
      step(inBoth("Give its whole address", "填写完整地址"), "export OPENAI_BASE_URL=http://HOST:11434/v1"),
      ...(variable === "OLLAMA_HOST"
        ? []
        : [
            step(inBoth("Or say which program it is", "或说明是哪个程序"), `export ${variable}=ollama=127.0.0.1:11434`),
          ]),
    ],
  },
});

const practiceRow = ({ provider, model }: ProviderQuery): ProviderRow => ({
  ...EMPTY,
  provider: "practice",
  name: "practice model",
  state: "ready",
  source: "built in",
  models: [{ id: "practice", contextWindow: null, longestContext: null, tools: true }],
  chosen: provider === "practice" || model === "practice",
});
