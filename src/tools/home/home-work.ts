import { EgressRefusal, type EgressResponse } from "../../protocol/egress.ts";
import { withoutSlash } from "../../protocol/base-url.ts";
import { isObject } from "../../protocol/json.ts";
import type { HomeOptions } from "./home.ts";
import { isBlocked, isEntity, readServiceCall } from "./service-call.ts";

type Input = Readonly<Record<string, unknown>>;

/** What the tools of a home do; each rejects with one sentence for the model. */
export interface HomeWork {
  readonly entities: (input: Input) => Promise<string>;
  readonly state: (input: Input) => Promise<string>;
  readonly services: (input: Input) => Promise<string>;
  readonly call: (input: Input) => Promise<string>;
}

interface Entity {
  readonly id: string;
  readonly state: string;
  readonly name: string;
}

const USUAL_ENTITIES = 100;
const MOST_ENTITIES = 500;
/** Bytes: a large home has some thousand entities of about a kilobyte. */
const MOST_BYTES = 20_000_000;
const MOST_NAME = 120;

export function homeWork(options: HomeOptions, signal: AbortSignal): HomeWork {
  const get = async (path: string): Promise<unknown> => bodyOf(await ask(options, { path, signal }), path);
  return {
    entities: async ({ domain, search, limit }) =>
      entityLines(entitiesIn(await get("/api/states")), { domain, search, limit }),
    state: async ({ entity_id: id }) => {
      if (!isEntity(id)) throw new Error("entity_id is an id such as light.kitchen: ha_list_entities has them.");
      const found = await get(`/api/states/${id}`);
      if (!isObject(found)) throw new Error(NO_HOME);
      const { context: _context, ...known } = found;
      return JSON.stringify(known, null, 1);
    },
    services: async ({ domain }) => serviceLines(await get("/api/services"), domain),
    call: async (input) => {
      const call = readServiceCall(input);
      if (call.type === "refused") throw new Error(call.why);
      const path = `/api/services/${call.domain}/${call.service}`;
      const changed = entitiesIn(bodyOf(await ask(options, { path, signal, body: call.body }), path));
      const lines = changed.slice(0, USUAL_ENTITIES).map(line);
      return changed.length === 0
        ? `Done: ${call.shown}. The home tells of nothing that has changed.`
        : [`Done: ${call.shown}. What has changed:`, ...lines].join("\n");
    },
  };
}

interface Asking {
  readonly path: string;
  readonly signal: AbortSignal;
  readonly body?: Input;
}

async function ask({ url = "", token, egress }: HomeOptions, { path, signal, body }: Asking): Promise<EgressResponse> {
  const headers = { authorization: `Bearer ${await token()}`, "content-type": "application/json" };
  try {
    const way = await egress();
    return await way.request({
      url: `${withoutSlash(url)}${path}`,
      method: body === undefined ? "GET" : "POST",
      headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
      purpose: "home",
      signal,
      most: MOST_BYTES,
    });
  } catch (error) {
    if (!(error instanceof EgressRefusal)) throw error;
    throw new Error(`The home cannot be reached: ${error.message}`, { cause: error });
  }
}

const NO_HOME = "What answers there is no Home Assistant: is home.url right?";

function bodyOf({ status, body, cut }: EgressResponse, path: string): unknown {
  if (status === 401 || status === 403)
    throw new Error(`The home refused the token (${status}): its owner has to make a new one and set home.token.`);
  if (status === 404 && path.startsWith("/api/states/"))
    throw new Error(`There is no ${path.slice("/api/states/".length)} in the home: ha_list_entities has its ids.`);
  const text = new TextDecoder().decode(body);
  if (status === 400)
    throw new Error(`The home refused this (400): ${messageIn(text)} ha_list_services says what it takes.`);
  if (status === 404) throw new Error(NO_HOME);
  if (status < 200 || status > 299) throw new Error(`The home answered with an error (${status}): ${messageIn(text)}`);
  if (cut === true) throw new Error("The home answered with more than can be read at once.");
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(NO_HOME);
  }
}

/** What the server says of it, in one line. */
function messageIn(text: string): string {
  let said: unknown = text;
  try {
    const read: unknown = JSON.parse(text);
    said = isObject(read) ? (read["message"] ?? text) : text;
  } catch {
    // It is told as it is.
  }
  const words = oneLine(String(said), 200);
  return words === "" ? "it does not say why." : words;
}

const oneLine = (text: string, most: number): string =>
  text
    .replaceAll(/[\p{C}\p{Z}]+/gu, " ")
    .trim()
    .slice(0, most)
    .toWellFormed();

function entitiesIn(states: unknown): Entity[] {
  if (!Array.isArray(states)) throw new Error(NO_HOME);
  return states.flatMap((entry: unknown) => {
    if (!isObject(entry) || typeof entry["entity_id"] !== "string") return [];
    const { entity_id: id, state, attributes } = entry;
    const name = isObject(attributes) ? attributes["friendly_name"] : undefined;
    const words = typeof name === "string" ? oneLine(name, MOST_NAME) : "";
    return [{ id: oneLine(id, 255), state: oneLine(String(state), 255), name: words }];
  });
}

const line = ({ id, state, name }: Entity): string => `${id} = ${state}${name === "" ? "" : ` (${name})`}`;

function entityLines(all: readonly Entity[], { domain, search, limit }: Input): string {
  const words = typeof search === "string" ? search.toLowerCase().split(/\s+/u) : [];
  const of = typeof domain === "string" ? `${domain.trim().toLowerCase()}.` : "";
  const found = all
    .filter(({ id }) => of === "." || id.startsWith(of))
    .filter(({ id, name }) => words.every((word) => `${id} ${name}`.toLowerCase().includes(word)))
    .toSorted((a, b) => (a.id < b.id ? -1 : 1));
  if (found.length === 0) return `Nothing of ${all.length} entities fits.`;
  const most = typeof limit === "number" ? Math.min(Math.max(1, Math.trunc(limit)), MOST_ENTITIES) : USUAL_ENTITIES;
  const left = found.length - most;
  const more = left > 0 ? [`${left} more fit: narrow it by domain or search.`] : [];
  return [...found.slice(0, most).map(line), ...more].join("\n");
}

function serviceLines(given: unknown, domain: unknown): string {
  if (!Array.isArray(given)) throw new Error(NO_HOME);
  const domains = given.filter(
    (entry): entry is Input => isObject(entry) && typeof entry["domain"] === "string" && !isBlocked(entry["domain"]),
  );
  const name = typeof domain === "string" ? domain.trim().toLowerCase() : "";
  const names = domains.map((entry) => String(entry["domain"])).toSorted();
  if (name === "") return domains.map((entry) => `${String(entry["domain"])}: ${namesIn(entry).join(", ")}`).join("\n");
  const found = domains.find((entry) => entry["domain"] === name);
  if (found === undefined)
    throw new Error(`The home has no services of ${oneLine(name, 80)}. It has: ${names.join(", ")}.`);
  const services = isObject(found["services"]) ? found["services"] : {};
  return Object.entries(services)
    .map(([service, about]) => `${name}.${service}${aboutOf(about)}`)
    .join("\n");
}

const namesIn = ({ services }: Input): string[] => (isObject(services) ? Object.keys(services) : []);

function aboutOf(about: unknown): string {
  if (!isObject(about)) return "";
  const { description, fields } = about;
  const says = typeof description === "string" && description !== "" ? `: ${oneLine(description, 200)}` : "";
  const takes = isObject(fields) ? Object.entries(fields).map(([name, field]) => fieldOf(name, field)) : [];
  return `${says}${takes.length === 0 ? "" : ` Takes: ${takes.join(", ")}.`}`;
}

const fieldOf = (name: string, field: unknown): string =>
  isObject(field) && field["required"] === true ? `${name} (required)` : name;
