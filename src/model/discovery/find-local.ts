import { loadDialect } from "../dialects.ts";
import { askLocal, baseUrlOf } from "./local-address.ts";
import type { Target } from "./local-servers.ts";
import type { Notes } from "./notes.ts";
import { type LocalModel, type LocalServer, readServer } from "./read-server.ts";
import { readToolCheck, type ToolCheck, toolQuestion } from "./tool-check.ts";

/** A model that answers on this machine. */
export interface LocalChoice {
  readonly server: LocalServer;
  readonly model: LocalModel;
}

/** All servers that answer before the signal, asked at the same time, with what the notes know about their models. */
export async function findServers(
  targets: readonly Target[],
  notes: Notes,
  signal: AbortSignal,
): Promise<LocalServer[]> {
  const read = await Promise.all(targets.map((target) => readServer(target, signal)));
  return read.flatMap((server) =>
    server === undefined
      ? []
      : [{ ...server, models: server.models.map((model) => ({ ...model, takesTools: known(server, model, notes) })) }],
  );
}

const known = (server: LocalServer, model: LocalModel, notes: Notes): boolean | undefined =>
  model.takesTools ?? notes.tools(noteOf(server.target, model)) ?? undefined;

/** Under what name a model's abilities are kept. */
export const noteOf = ({ address }: Target, { id, edition }: Pick<LocalModel, "id" | "edition">): string =>
  `${baseUrlOf(address)} ${id} ${edition}`;

/** The smallest window in which the tools and some files have room, tokens. */
const ROOMY_TOKENS = 8_192;

const degree = (known: boolean | undefined): number => (known === undefined ? 1 : known ? 2 : 0);

/** What decides between several models on this machine, the most important first. */
const RULES: readonly ((choice: LocalChoice) => number)[] = [
  ({ model }) => degree(model.takesTools),
  ({ model }) => (model.remote ? 0 : 1),
  ({ model }) => ((model.contextWindow ?? ROOMY_TOKENS) < ROOMY_TOKENS ? 0 : 1),
  ({ model }) => (model.loaded ? 1 : 0),
];

/** Every model of every server, the best first. Where no rule decides: the order of the programs, then the server's. */
export const ranked = (servers: readonly LocalServer[]): LocalChoice[] =>
  servers.flatMap((server) => server.models.map((model) => ({ server, model }))).toSorted(better);

function better(a: LocalChoice, b: LocalChoice): number {
  for (const rule of RULES) {
    const difference = rule(b) - rule(a);
    if (difference !== 0) return difference;
  }
  return 0;
}

/**
 * The best choice. Where nobody says whether its model takes tools, that is tried before the signal, once: what it
 * shows is kept, also that it showed nothing.
 */
export async function bestLocal(
  servers: readonly LocalServer[],
  notes: Notes,
  signal: AbortSignal,
): Promise<LocalChoice | undefined> {
  const [first] = ranked(servers);
  if (first === undefined || first.model.takesTools !== undefined) return first;
  if (notes.tools(noteOf(first.server.target, first.model)) === null) return first;
  const { tools } = await tryTools(first, notes, signal);
  if (tools === null) return first;
  const informed = servers.map((server) =>
    server === first.server
      ? {
          ...server,
          models: server.models.map((model) => (model === first.model ? { ...model, takesTools: tools } : model)),
        }
      : server,
  );
  return ranked(informed)[0];
}

/** One tiny call to a model on this machine. */
export async function tryTools({ server, model }: LocalChoice, notes: Notes, signal: AbortSignal): Promise<ToolCheck> {
  const { address, program } = server.target;
  const dialect = await loadDialect("chat_completions");
  const body = toolQuestion(dialect, { provider: program.id, model: model.id, host: address.host });
  const answer = await askLocal(address, { method: "POST", path: "/v1/chat/completions", body }, signal);
  const check = readToolCheck(answer, dialect);
  notes.keepTools(noteOf(server.target, model), check.tools);
  return check;
}
