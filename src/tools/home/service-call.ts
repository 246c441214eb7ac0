import { isObject } from "../../protocol/json.ts";

/** One call of a service, as it is sent. */
export interface ServiceCall {
  readonly type: "call";
  readonly domain: string;
  readonly service: string;
  readonly body: Readonly<Record<string, unknown>>;
  /** In full, for whoever is asked. */
  readonly shown: string;
}

export interface RefusedCall {
  readonly type: "refused";
  readonly why: string;
}

/** They run programs, scripts or requests of any kind on the machine of the home, or change the home itself. */
const BLOCKED: ReadonlySet<string> = new Set([
  "shell_command",
  "command_line",
  "python_script",
  "pyscript",
  "hassio",
  "rest_command",
]);

const NAME = /^[a-z_][a-z0-9_]*$/u;
const ENTITY = /^[a-z_][a-z0-9_]*\.[a-z0-9_]+$/u;
const MOST_ENTITIES = 50;
/** Characters: more is not shown whole in a question, and what is not shown is not agreed to. */
const MOST_DATA = 2_000;

export const isBlocked = (domain: string): boolean => BLOCKED.has(domain);
export const isEntity = (id: unknown): id is string => typeof id === "string" && id.length <= 255 && ENTITY.test(id);

const refused = (why: string): RefusedCall => ({ type: "refused", why });

/** What would be sent, or the sentence that says why nothing is. */
export function readServiceCall(input: Readonly<Record<string, unknown>>): ServiceCall | RefusedCall {
  const { entity_id: given, data = {} } = input;
  const [domain, service] = namesOf(input);
  const why = whyNot(domain, service);
  if (why !== undefined) return refused(why);
  if (!isObject(data)) return refused('data is an object, such as {"brightness_pct": 40}.');
  const entities = entitiesIn(given ?? data["entity_id"]);
  if (entities === undefined)
    return refused(
      `entity_id is an id such as light.kitchen, or up to ${MOST_ENTITIES} of them: ha_list_entities has them.`,
    );
  const body = { ...data, ...(entities.length > 0 && { entity_id: entities.length === 1 ? entities[0] : entities }) };
  const { entity_id: _ids, ...rest } = body;
  const more = JSON.stringify(rest);
  if (more.length > MOST_DATA) return refused(`data is too long to be shown whole: at most ${MOST_DATA} characters.`);
  const on = entities.length === 0 ? "" : ` for ${entities.join(", ")}`;
  return {
    type: "call",
    domain,
    service,
    body,
    shown: `${domain}.${service}${on}${more === "{}" ? "" : ` with ${more}`}`,
  };
}

function whyNot(domain: string, service: string): string | undefined {
  if (!NAME.test(domain) || !NAME.test(service))
    return "domain and service are names such as light and turn_on: ha_list_services has them all.";
  return isBlocked(domain) ? `${domain} runs programs on the machine of the home, which is never allowed.` : undefined;
}

/** Models also write the whole name as the service. */
function namesOf({ domain, service }: Readonly<Record<string, unknown>>): [string, string] {
  const names = [domain, service].map((name) => (typeof name === "string" ? name.trim().toLowerCase() : ""));
  const [first = "", second = ""] = names;
  return [first, second.startsWith(`${first}.`) ? second.slice(first.length + 1) : second];
}

/** Undefined: not all of them are ids. */
function entitiesIn(given: unknown): string[] | undefined {
  if (given === undefined || given === null || given === "") return [];
  const ids: unknown[] = Array.isArray(given) ? given : typeof given === "string" ? given.split(/\s*,\s*/u) : [given];
  return ids.length <= MOST_ENTITIES && ids.every(isEntity) ? ids : undefined;
}
