import type { ModelTrial } from "../protocol/model-trial.ts";
import type { ModelNote, ProviderRow, ProviderTrouble } from "../protocol/provider.ts";
import type { Sentence } from "../protocol/sentence.ts";
import { tryTools } from "./discovery/find-local.ts";
import { openNotes } from "./discovery/notes.ts";
import { askServer, type Server } from "./hosted-server.ts";
import { isOffline, type ProviderQuery } from "./keyed-servers.ts";
import { inBoth, keyStep } from "./no-provider.ts";
import type { Surveyed } from "./survey.ts";
import { tryModel } from "./try-model.ts";

/** A model may have to be loaded first, ms. */
const PATIENCE_MS = 30_000;

/** Makes one tiny real request to each provider that could be used, and notes what came of it. */
export const askProviders = (surveyed: readonly Surveyed[], query: ProviderQuery): Promise<ProviderRow[]> =>
  Promise.all(surveyed.map((each) => asked(each, query)));

async function asked({ row, server, local }: Surveyed, query: ProviderQuery): Promise<ProviderRow> {
  if (row.state !== "ready" || row.baseUrl === null) return row;
  if (local !== undefined) {
    const check = await tryTools(local, notesOf(query), AbortSignal.timeout(PATIENCE_MS));
    return noted(row, local.model.id, check);
  }
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

const notesOf = ({ cacheFolder }: ProviderQuery): ReturnType<typeof openNotes> => openNotes(cacheFolder, Date.now);

async function askHosted(row: ProviderRow, server: Server, query: ProviderQuery): Promise<ProviderRow> {
  const found = await askServer(server, { notes: notesOf(query), offline: isOffline(query) });
  if (found.type === "none") return unusable(row, found.cause, found.message, found.next);
  if (found.type === "practice") return row;
  const { failure, tools, usage } = await tryModel(found);
  if (failure === null)
    return noted(row, found.model, {
      tools: tools === null ? null : tools === "called",
      tokens: usage === null ? null : usage.input + usage.output,
    });
  const trouble = troubleOf(failure);
  return unusable(row, trouble, failure.message, trouble === "key_rejected" ? [keyStep(server.keySource)] : []);
}

function troubleOf({ reason, status }: NonNullable<ModelTrial["failure"]>): ProviderTrouble {
  if (reason === "auth" || reason === "auth_permanent") return "key_rejected";
  return status === undefined ? "unreachable" : "no_model";
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
