import { isObject, type JsonObject } from "../protocol/json.ts";
import type { ToolSpec } from "../protocol/tool.ts";

type Schema = Record<string, unknown>;

const TYPES: ReadonlySet<string> = new Set(["object", "array", "string", "number", "integer", "boolean", "null"]);

/** Keys whose values are schemas by name, a schema or a list of them. */
const BY_NAME: ReadonlySet<string> = new Set(["properties", "$defs", "definitions", "patternProperties"]);
const ALTERNATIVES: ReadonlySet<string> = new Set(["anyOf", "oneOf", "allOf"]);
const INNER: ReadonlySet<string> = new Set(["items", "additionalProperties"]);

/** What many servers refuse at the root of a tool's parameters. */
const NOT_AT_ROOT: ReadonlySet<string> = new Set(["allOf", "anyOf", "oneOf", "enum", "not"]);

/** The parameters of a tool as every server takes them, on a copy (hermes.md §26.4): an object with properties. */
export function sanitiseSchema(parameters: unknown): JsonObject {
  if (!isObject(parameters)) return emptyObject();
  const root = objectNode(parameters);
  const properties = isObject(root["properties"]) ? root["properties"] : {};
  const whole = collapse({ ...root, type: "object", properties });
  return isObject(whole) ? without(whole, NOT_AT_ROOT) : emptyObject();
}

/** Words that some servers turn into a grammar and fail at (hermes.md §9.2, step 12). */
const SCHEMA_WORDS: ReadonlySet<string> = new Set(["pattern", "format"]);

/** A tool whose parameters have none of those words; the same one where they have none. */
export function withoutSchemaWords(tool: ToolSpec): ToolSpec {
  const parameters = plain(tool.parameters);
  return parameters === tool.parameters ? tool : { ...tool, parameters: isObject(parameters) ? parameters : {} };
}

/** The same value where nothing is left out. A property may have such a name. */
function plain(schema: unknown, names = false): unknown {
  if (Array.isArray(schema)) {
    const items = schema.map((item) => plain(item));
    return items.some((item, at) => item !== schema[at]) ? items : schema;
  }
  if (!isObject(schema)) return schema;
  const kept = Object.entries(schema).filter(([key]) => names || !SCHEMA_WORDS.has(key));
  const inner = kept.map(
    ([key, value]) => [key, NO_SCHEMA.has(key) && !names ? value : plain(value, !names && BY_NAME.has(key))] as const,
  );
  const same = kept.length === Object.keys(schema).length && inner.every(([key, value]) => value === schema[key]);
  return same ? schema : Object.fromEntries(inner);
}

/** Their values are data. */
const NO_SCHEMA: ReadonlySet<string> = new Set(["enum", "const", "default", "examples"]);

const emptyObject = (): Schema => ({ type: "object", properties: {} });

const without = (schema: JsonObject, keys: ReadonlySet<string>): Schema =>
  Object.fromEntries(Object.entries(schema).filter(([key]) => !keys.has(key)));

/** Whatever stands where a schema is expected, as one. */
function node(value: unknown): unknown {
  if (typeof value === "boolean") return value;
  if (isObject(value)) return objectNode(value);
  const isType = typeof value === "string" && TYPES.has(value) && value !== "object";
  return isType ? { type: value } : emptyObject();
}

function objectNode(schema: JsonObject): Schema {
  const read: Schema = {};
  for (const [key, value] of Object.entries(schema)) Object.assign(read, entry(key, value));
  if (read["type"] === "object" && !isObject(read["properties"])) read["properties"] = {};
  return withRequired(read);
}

function entry(key: string, value: unknown): Schema {
  if (key === "type" && Array.isArray(value)) return oneType(value);
  if (BY_NAME.has(key) && isObject(value))
    return { [key]: Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, node(inner)])) };
  if (ALTERNATIVES.has(key) && Array.isArray(value)) return { [key]: value.map(node) };
  if (INNER.has(key)) return { [key]: Array.isArray(value) ? value.map(node) : node(value) };
  return { [key]: value };
}

/** Several types become the first of them. */
function oneType(types: readonly unknown[]): Schema {
  const others = types.filter((type) => typeof type === "string" && type !== "null");
  const type = others[0] ?? "object";
  return { type, ...(others.length === 1 && types.includes("null") && { nullable: true }) };
}

/** Only what is there can be required. */
function withRequired(schema: Schema): Schema {
  const { required, properties } = schema;
  if (!Array.isArray(required) || !isObject(properties)) return schema;
  const known = required.filter((name) => typeof name === "string" && Object.hasOwn(properties, name));
  return known.length === 0 ? without(schema, new Set(["required"])) : { ...schema, required: known };
}

/** Says "this or null" in the one word that all understand, from the innermost schema on. */
function collapse(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(collapse);
  if (!isObject(value)) return value;
  const schema = Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, key === "enum" || key === "examples" ? inner : collapse(inner)]),
  );
  return withoutNull(schema, "anyOf") ?? withoutNull(schema, "oneOf") ?? withoutStrayDefault(schema);
}

const isNull = (schema: unknown): boolean => isObject(schema) && schema["type"] === "null";

function withoutNull(schema: Schema, key: "anyOf" | "oneOf"): Schema | undefined {
  const variants = schema[key];
  if (!Array.isArray(variants)) return undefined;
  const [only, ...more] = variants.filter((variant) => !isNull(variant)) as unknown[];
  if (!isObject(only) || more.length > 0 || !variants.some(isNull)) return undefined;
  const { [key]: _variants, ...around } = schema;
  return withoutStrayDefault({ ...around, ...only, nullable: true });
}

/** Beside a reference a default is refused. */
const withoutStrayDefault = (schema: Schema): Schema =>
  "$ref" in schema ? without(schema, new Set(["default"])) : schema;
