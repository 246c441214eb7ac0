import type { ModelNote, ProviderFound, ProviderRow, ProviderTrouble, Sentence } from "../protocol/provider.ts";
import { type Answer, ask } from "./ask.ts";
import type { Dialect } from "./dialect.ts";
import { tryTools } from "./discovery/find-local.ts";
import { openNotes } from "./discovery/notes.ts";
import { readToolCheck, toolQuestion } from "./discovery/tool-check.ts";
import { loadDialect } from "./dialects.ts";
import { type Endpoint, openEndpoint } from "./endpoint.ts";
import { failureOfNetwork } from "./failure/network.ts";
import { askServer, type Server } from "./hosted-server.ts";
import { isOffline, type ProviderQuery } from "./keyed-servers.ts";
import { inBoth, keyStep } from "./no-provider.ts";
import type { Surveyed } from "./survey.ts";

/** A model may have to be loaded first, ms. */
const PATIENCE_MS = 30_000;
const LONGEST_ANSWER = 1_048_576;

/** Makes one tiny real request to each provider that could be used, or to the chosen one alone, and notes what came of it. */
export const askProviders = (
  surveyed: readonly Surveyed[],
  query: ProviderQuery,
  which: "all" | "chosen",
): Promise<ProviderRow[]> =>
  Promise.all(surveyed.map(async (each) => (which === "all" || each.row.chosen ? asked(each, query) : each.row)));

async function asked({ row, server, local }: Surveyed, query: ProviderQuery): Promise<ProviderRow> {
  if (row.state !== "ready" || row.baseUrl === null) return row;
  if (local !== undefined) return noted(row, local.model.id, await tryTools(local, notesOf(query), patience()));
  return server === undefined
    ? unusable(row, "no_model", inBoth("It has no model of this name.", "它没有这个名称的模型。"))
    : askHosted(row, server, query);
}

const unusable = (
  row: ProviderRow,
  trouble: ProviderTrouble,
  problem: Sentence,
  next: ProviderRow["next"] = [],
): ProviderRow => ({ ...row, state: "unusable", trouble, problem, next });

const patience = (): AbortSignal => AbortSignal.timeout(PATIENCE_MS);

const notesOf = ({ cacheFolder }: ProviderQuery): ReturnType<typeof openNotes> => openNotes(cacheFolder, Date.now);

async function askHosted(row: ProviderRow, server: Server, query: ProviderQuery): Promise<ProviderRow> {
  const found = await askServer(server, { notes: notesOf(query), offline: isOffline(query) });
  if (found.type === "none") return unusable(row, found.cause, found.message, found.next);
  if (found.type === "practice") return row;
  const { model, apiKey, provider, api = "chat_completions" } = found;
  const dialect = await loadDialect(api);
  const endpoint = openEndpoint(server.baseUrl);
  const masked = (text: string): string => (apiKey === undefined ? text : text.replaceAll(apiKey, "***"));
  try {
    const answer = await askTools(endpoint, dialect, { provider, model, apiKey });
    if (answer.type === "silent") {
      const { error } = answer;
      const why =
        error === undefined
          ? inBoth("It did not answer in time.", "它没有及时应答。")
          : failureOfNetwork(error, endpoint.where, false).message;
      return unusable(row, "unreachable", why);
    }
    const check = readToolCheck(answer, dialect);
    if (answer.status < 400 || check.tools === false) return noted(row, model, check);
    const text = answer.type === "json" ? JSON.stringify(answer.json) : "";
    const { message } = dialect.failureOfStatus({
      status: answer.status,
      headers: {},
      body: text,
      where: endpoint.where,
      nowMs: 0,
    });
    const refused = answer.status === 401 || answer.status === 403;
    const again = keyStep(server.keySource);
    return unusable(row, refused ? "key_rejected" : "no_model", masked(message), refused ? [again] : []);
  } finally {
    endpoint.close();
  }
}

/** One tiny call, in the dialect of the server. */
function askTools(
  endpoint: Endpoint,
  dialect: Dialect,
  { provider, model, apiKey }: Pick<ProviderFound, "provider" | "model" | "apiKey">,
): Promise<Answer> {
  const body = toolQuestion(dialect, { provider, model, host: endpoint.host });
  const { path, headers: own } = dialect.route({ model, streaming: false });
  const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body), ...own };
  const key = apiKey === undefined ? {} : dialect.authorisation(apiKey);
  const request = endpoint.request("POST", path, { ...headers, ...key });
  return ask(request, body, { signal: patience(), longest: LONGEST_ANSWER });
}

interface Check {
  readonly tools: boolean | null;
  readonly tokens: number | null;
}

function noted(row: ProviderRow, model: string, { tools, tokens }: Check): ProviderRow {
  const unknown: ModelNote = { id: model, contextWindow: null, longestContext: null, tools: null };
  const before = row.models.find(({ id }) => id === model) ?? unknown;
  const after = { ...before, tools: tools ?? before.tools };
  const known = row.models.includes(before);
  return {
    ...row,
    tokens,
    models: known ? row.models.map((each) => (each === before ? after : each)) : [after, ...row.models],
  };
}
