import type { ProviderAnswer, ProviderFound } from "../protocol/provider.ts";
import type { Environment } from "./discovery/environment.ts";
import { bestLocal, findServers, type LocalChoice, noteOf, ranked } from "./discovery/find-local.ts";
import { baseUrlOf, type LocalAddress } from "./discovery/local-address.ts";
import { type LocalProgram, localTargets, type Target, targetOf } from "./discovery/local-servers.ts";
import type { Notes } from "./discovery/notes.ts";
import type { LocalServer } from "./discovery/read-server.ts";
import { none, type None, PRACTICE_STEP, step } from "./no-provider.ts";

interface LocalQuery {
  readonly env: Environment;
  /** Named, so that nothing has to be asked. */
  readonly model: string | undefined;
  readonly notes: Notes;
}

/** All of looking around on this machine ends then, ms: within the 300 of product.md 2.3, with what it takes to say so. */
export const DISCOVERY_MS = 250;
/** Who names a server waits longer for it, ms. */
const PATIENCE_MS = 1_000;

/** Nobody named a provider: the best model of all servers on this machine; undefined when there is none. */
export async function findLocalModel({ env, model, notes }: LocalQuery): Promise<ProviderFound | undefined> {
  const { look } = localTargets(env);
  const signal = AbortSignal.timeout(DISCOVERY_MS);
  const servers = (await findServers(look, notes, signal)).filter(({ models }) => models.length > 0);
  const best =
    model === undefined
      ? await bestLocal(servers, notes, signal)
      : ranked(servers).find((choice) => choice.model.id === model);
  if (best === undefined) return undefined;
  const others = servers.flatMap(({ target }) => (target === best.server.target ? [] : [target.program.id]));
  return { ...foundLocal(best), ...(others.length > 0 && { others }) };
}

/** A program that was named, with its best model where none is named. */
export async function resolveProgram(
  program: LocalProgram,
  { env, model, notes, source }: LocalQuery & { readonly source: string },
): Promise<ProviderAnswer> {
  const target = targetOf(program, env);
  if (target === undefined) return elsewhere(program, env);
  const named = { provider: program.id, source };
  if (model !== undefined) return { ...foundNamed(target, model, notes), ...named };
  const signal = AbortSignal.timeout(PATIENCE_MS);
  const servers = await findServers([target], notes, signal);
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
  const message = `OLLAMA_HOST is ${JSON.stringify(host)}: that is not on this machine, and ${name} is looked for only here.`;
  return none("bad_base_url", message, [
    step("Give its whole address instead", `export OPENAI_BASE_URL=http://HOST:${port}/v1`),
  ]);
}

function noModel({ program, address }: Target, server: LocalServer | undefined): None {
  const where = `${address.host}:${address.port}`;
  if (server === undefined)
    return none("unreachable", `${program.name} does not answer at ${where}; is it running?`, [
      step(`Start ${program.name}, or use another provider`, "evander doctor providers"),
      PRACTICE_STEP,
    ]);
  const { problem } = server;
  if (problem !== undefined)
    return none("no_model", `${program.name} at ${where} could not be asked for its models: ${problem}.`, [
      step("See what was found", "evander doctor providers"),
      PRACTICE_STEP,
    ]);
  return none("no_model", `${program.name} at ${where} has no model; load one there first.`, [PRACTICE_STEP]);
}
