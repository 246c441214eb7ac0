import type { ProviderAnswer, ProviderFound } from "../protocol/provider.ts";
import type { Environment } from "./discovery/environment.ts";
import { bestLocal, findServers, type LocalChoice, noteOf, ranked } from "./discovery/find-local.ts";
import { baseUrlOf, type LocalAddress } from "./discovery/local-address.ts";
import { type LocalProgram, localTargets, type Target, targetOf } from "./discovery/local-servers.ts";
import type { Notes } from "./discovery/notes.ts";
import type { LocalServer } from "./discovery/read-server.ts";
import type { ProviderQuery } from "./keyed-servers.ts";
import { inBoth, LOOK_STEP, none, type None, noModelAt, PRACTICE_STEP, step } from "./no-provider.ts";

export interface LocalQuery {
  readonly env: Environment;
  /** Named, so that nothing has to be asked. */
  readonly model: string | undefined;
  readonly notes: Notes;
  /** Models that a server here hands on to another machine are left alone. */
  readonly offline: boolean;
  readonly lookMs: number | undefined;
}

/** All of looking around on this machine ends then, ms: within the 300 of product.md 2.3, with what it takes to say so. */
const DISCOVERY_MS = 250;
/** Who names a server waits longer for it, ms. */
const PATIENCE_MS = 1_000;

/** Looking around at whatever there is ends then. */
export const lookSignal = ({ lookMs = DISCOVERY_MS }: Pick<ProviderQuery, "lookMs">): AbortSignal =>
  AbortSignal.timeout(lookMs);

/** Nobody named a provider: the best model of all servers on this machine; undefined when there is none. */
export async function findLocalModel(query: LocalQuery): Promise<ProviderFound | undefined> {
  const { env, model, notes } = query;
  const { look } = localTargets(env);
  const signal = lookSignal(query);
  const servers = (await serversAt(look, query, signal)).filter(({ models }) => models.length > 0);
  const best =
    model === undefined
      ? await bestLocal(servers, notes, signal)
      : ranked(servers).find((choice) => choice.model.id === model);
  if (best === undefined) return undefined;
  const others = servers.flatMap(({ target }) => (target === best.server.target ? [] : [target.program.id]));
  return { ...foundLocal(best), ...(others.length > 0 && { others }) };
}

async function serversAt(
  targets: readonly Target[],
  { notes, offline }: Pick<LocalQuery, "notes" | "offline">,
  signal: AbortSignal,
): Promise<LocalServer[]> {
  const found = await findServers(targets, notes, signal);
  if (!offline) return found;
  return found.map((server) => ({ ...server, models: server.models.filter(({ remote }) => !remote) }));
}

/** A program that was named, with its best model where none is named. */
export async function resolveProgram(
  program: LocalProgram,
  query: LocalQuery & { readonly source: string },
): Promise<ProviderAnswer> {
  const { env, model, notes, source, lookMs = PATIENCE_MS } = query;
  const target = targetOf(program, env);
  if (target === undefined) return elsewhere(program, env);
  const named = { provider: program.id, source };
  if (model !== undefined) return { ...foundNamed(target, model, notes), ...named };
  const signal = AbortSignal.timeout(lookMs);
  const servers = await serversAt([target], query, signal);
  const best = await bestLocal(servers, notes, signal);
  return best === undefined ? noModel(target, servers[0]) : { ...foundLocal(best), ...named };
}

function foundLocal({ server, model }: LocalChoice): ProviderFound {
  const { contextWindow, takesTools } = model;
  return {
    ...foundAt(server.target, model.id),
    ...(contextWindow !== undefined && { contextWindow }),
    ...(takesTools !== undefined && { takesTools }),
  };
}

/** The server is not asked: what is known of the model is what the notes hold. */
function foundNamed(target: Target, id: string, notes: Notes): ProviderFound {
  const takesTools = notes.tools(noteOf(target, { id, edition: "" }));
  return { ...foundAt(target, id), ...(typeof takesTools === "boolean" && { takesTools }) };
}

const foundAt = ({ program, address }: Target, model: string): ProviderFound => ({
  type: "found",
  provider: program.id,
  model,
  baseUrl: baseUrlOf(address),
  apiKey: undefined,
  source: foundOn(address),
});

/** How a server on this machine is called where its finding is told. */
export const foundOn = ({ port }: LocalAddress): string => `found on :${port}`;

function elsewhere({ name, port }: LocalProgram, env: Environment): None {
  const host = env["OLLAMA_HOST"] ?? "";
  const given = JSON.stringify(host);
  const message = inBoth(
    `OLLAMA_HOST is ${given}: that is not on this machine, and ${name} is looked for only here.`,
    `OLLAMA_HOST 是 ${given}：它不在本机，而 ${name} 只在本机查找。`,
  );
  return none("bad_base_url", message, [
    step(inBoth("Give its whole address instead", "改为填写完整地址"), `export OPENAI_BASE_URL=http://HOST:${port}/v1`),
  ]);
}

function noModel({ program, address }: Target, server: LocalServer | undefined): None {
  const where = `${address.host}:${address.port}`;
  if (server === undefined)
    return none(
      "unreachable",
      inBoth(
        `${program.name} does not answer at ${where}; start it, or use another provider.`,
        `${program.name} 在 ${where} 没有应答；请启动它，或使用其他服务商。`,
      ),
      [LOOK_STEP, PRACTICE_STEP],
    );
  const { problem } = server;
  if (problem !== undefined)
    return none(
      "no_model",
      inBoth(
        `${program.name} at ${where} could not be asked for its models: ${problem}.`,
        `无法向 ${where} 的 ${program.name} 查询模型：${problem}。`,
      ),
      [LOOK_STEP, PRACTICE_STEP],
    );
  return noModelAt(`${program.name} (${where})`);
}
