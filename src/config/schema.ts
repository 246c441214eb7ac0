import type { JsonObject } from "../protocol/json.ts";
import { type Key, KEYS } from "./keys.ts";
import { MOST_PRICE, type Takes } from "../protocol/setting.ts";

/** The JSON Schema (2020-12) of a config file, out of the table of keys: for editors, and for whoever writes configs. */
export function configSchema(): JsonObject {
  const root: Group = { keys: new Map(), groups: new Map() };
  for (const key of KEYS) place(root, key.name.split("."), key);
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "Evander's config",
    ...objectSchema(root),
  };
}

interface Group {
  readonly keys: Map<string, Key>;
  readonly groups: Map<string, Group>;
}

function place(group: Group, [name = "", ...inner]: readonly string[], key: Key): void {
  if (inner.length === 0) {
    group.keys.set(name, key);
    return;
  }
  const below = group.groups.get(name) ?? { keys: new Map(), groups: new Map() };
  group.groups.set(name, below);
  place(below, inner, key);
}

/** `null` is a group whose settings are all commented out. */
function objectSchema({ keys, groups }: Group): JsonObject {
  const named: Record<string, unknown> = {};
  for (const [name, key] of keys) if (name !== "*") named[name] = keySchema(key);
  for (const [name, group] of groups) if (name !== "*") named[name] = objectSchema(group);
  const [anyName, anyKey] = [groups.get("*"), keys.get("*")];
  return {
    type: ["object", "null"],
    properties: named,
    additionalProperties: anyName === undefined ? anyKey !== undefined && keySchema(anyKey) : objectSchema(anyName),
  };
}

const keySchema = (key: Key): JsonObject => ({
  description: description(key),
  ...(key.usual !== undefined && { default: key.usual }),
  ...valueSchema(key.takes),
});

function description({ meaning, usually, systemOnly }: Key): string {
  const usual = usually === undefined ? "" : `; as usual: ${usually}`;
  return `${meaning}${usual}${systemOnly === true ? "; in the administrator's file alone" : ""}`;
}

const TEXT: JsonObject = { type: "string", minLength: 1 };
const WORDS: JsonObject = { type: "array", items: TEXT, minItems: 1 };

const reference = (kind: string, value: JsonObject): JsonObject => ({
  type: "object",
  properties: { [kind]: value },
  required: [kind],
  additionalProperties: false,
});

const REFERENCES: readonly JsonObject[] = [
  ...["env", "file", "secret"].map((kind) => reference(kind, TEXT)),
  reference("cmd", WORDS),
];

function valueSchema(takes: Takes): JsonObject {
  switch (takes.type) {
    case "count": {
      const count = { type: "integer", minimum: 1, ...(takes.most !== undefined && { maximum: takes.most }) };
      return takes.endless === true ? { anyOf: [count, { const: "Infinity" }] } : count;
    }
    case "price":
      return { type: "number", minimum: 0, maximum: MOST_PRICE };
    case "money":
      return { type: "number", exclusiveMinimum: 0 };
    case "switch":
      return { anyOf: [{ type: "boolean" }, { enum: ["on", "off", "yes", "no"] }] };
    case "choice":
      return { enum: [...takes.of] };
    case "text":
      return { type: "string", minLength: 1 };
    case "address":
      return { type: "string", pattern: "^https?://" };
    case "secret":
      return { anyOf: REFERENCES };
    case "given":
      return { anyOf: [TEXT, { type: ["number", "boolean"] }, ...REFERENCES] };
    case "lines":
      return { anyOf: [{ type: "array", items: { type: ["string", "number", "boolean"] } }, TEXT] };
    case "files":
    case "names":
    case "words":
    case "variables":
    case "models":
    case "hosts":
    case "allowances":
      return { anyOf: [{ type: "array", items: { type: "string" } }, { type: "string" }] };
  }
}
