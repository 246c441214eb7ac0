import { isObject, type JsonObject } from "../../protocol/json.ts";

/** What Gemini reads of a schema as it stands (hermes.md §26.5); any keyword it does not know makes it refuse the request. */
const KEPT: readonly string[] = [
  ["title", "description", "nullable", "default", "example", "propertyOrdering", "pattern", "minLength", "maxLength"],
  ["minimum", "maximum", "minItems", "maxItems", "minProperties", "maxProperties"],
].flat();

/** `enum` and `date-time` are for texts; numbers have sizes. */
const FORMATS: Readonly<Record<string, readonly string[]>> = {
  string: ["enum", "date-time"],
  number: ["float", "double"],
  integer: ["int32", "int64"],
};

/** Deeper, or larger, than a model could make use of: definitions that name each other could go on for ever. */
const DEEPEST = 24;
const MOST_NODES = 2_000;

interface Walk {
  readonly root: JsonObject;
  readonly depth: number;
  readonly budget: { left: number };
}

/** The part of OpenAPI's schema that Gemini understands, as close to a JSON Schema as it gets. */
export const geminiSchema = (schema: unknown): JsonObject =>
  isObject(schema) ? schemaIn(schema, { root: schema, depth: 0, budget: { left: MOST_NODES } }) : {};

function schemaIn(given: unknown, from: Walk): JsonObject {
  const walk = { ...from, depth: from.depth + 1 };
  walk.budget.left -= 1;
  if (!isObject(given) || walk.depth > DEEPEST || walk.budget.left < 0) return { type: "string" };
  const schema = typed(unfolded(given, walk));
  const type = typeOf(schema);
  if (type !== undefined) return legal(schema, type, walk);
  const { types, nullable } = variantsOf(schema, walk);
  const [only, ...others] = types;
  if (only === undefined) return legal({ ...schema, ...nullable }, "string", walk);
  return others.length === 0
    ? { ...only, ...beside(schema), ...nullable }
    : { ...beside(schema), anyOf: types, ...nullable };
}

/** What is said of a choice as a whole. */
const beside = ({ title, description }: JsonObject): JsonObject => ({
  ...(title !== undefined && { title }),
  ...(description !== undefined && { description }),
});

/** References and `allOf` replaced by what they stand for. */
function unfolded(schema: JsonObject, walk: Walk, depth: number = 0): JsonObject {
  const { $ref: reference, allOf, ...own } = schema;
  const named = typeof reference === "string" ? definition(reference, walk.root) : undefined;
  const parts = [...(named === undefined ? [] : [named]), ...(Array.isArray(allOf) ? allOf.filter(isObject) : [])];
  walk.budget.left -= parts.length;
  if (parts.length === 0 || depth > DEEPEST || walk.budget.left < 0) return own;
  return parts.map((part) => unfolded(part, walk, depth + 1)).reduceRight(merged, own);
}

function merged(over: JsonObject, part: JsonObject): JsonObject {
  const properties = { ...mapOf(part["properties"]), ...mapOf(over["properties"]) };
  const required = [...listOf(part["required"]), ...listOf(over["required"])];
  return {
    ...part,
    ...over,
    ...(Object.keys(properties).length > 0 && { properties }),
    ...(required.length > 0 && { required: [...new Set(required)] }),
  };
}

const mapOf = (value: unknown): JsonObject => (isObject(value) ? value : {});
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? (value as readonly unknown[]) : []);

/** `#/$defs/Name`; a place that is not there says nothing. */
function definition(reference: string, root: JsonObject): JsonObject | undefined {
  if (!reference.startsWith("#/")) return undefined;
  const names = reference.slice(2).split("/");
  const found = names.reduce<unknown>((at, name) => mapOf(at)[name.replaceAll("~1", "/").replaceAll("~0", "~")], root);
  return isObject(found) ? found : undefined;
}

/** One type for each schema: what else JSON Schema can say of types becomes `nullable` or a choice. */
function typed(schema: JsonObject): JsonObject {
  const { type, const: constant, ...rest } = schema;
  const valued = typeof constant === "string" && rest["enum"] === undefined ? { ...rest, enum: [constant] } : rest;
  if (typeof type === "string") return { type, ...valued };
  const types = listOf(type).filter((name) => typeof name === "string");
  const named = types.filter((name) => name !== "null");
  const nullable = types.includes("null") ? { nullable: true } : {};
  if (named.length === 1) return { type: named[0], ...valued, ...nullable };
  if (named.length === 0) return { ...valued, ...nullable };
  return { ...valued, ...nullable, anyOf: named.map((name) => ({ ...valued, type: name })) };
}

interface Variants {
  readonly types: readonly JsonObject[];
  readonly nullable: { readonly nullable?: true };
}

function variantsOf(schema: JsonObject, walk: Walk): Variants {
  const all = [...listOf(schema["anyOf"]), ...listOf(schema["oneOf"])].filter(isObject);
  const types = all.filter(({ type }) => type !== "null").map((variant) => schemaIn(variant, walk));
  return { types, nullable: types.length < all.length || schema["nullable"] === true ? { nullable: true } : {} };
}

function legal(schema: JsonObject, type: string, walk: Walk): JsonObject {
  const kept = Object.fromEntries(Object.entries(schema).filter(([key]) => KEPT.includes(key)));
  const { required, enum: values, format } = schema;
  const inner = type === "object" ? objectIn(schema, walk) : {};
  return {
    ...kept,
    type,
    ...(type === "string" && wordsIn(values)),
    ...(typeof format === "string" && FORMATS[type]?.includes(format) && { format }),
    ...inner,
    ...knownOnly(required, mapOf(inner["properties"])),
    ...(type === "array" && { items: schemaIn(schema["items"] ?? {}, walk) }),
  };
}

/** A choice is of texts alone. */
function wordsIn(values: unknown): JsonObject {
  const words = listOf(values).filter((value) => typeof value === "string");
  return words.length === 0 ? {} : { enum: words };
}

function knownOnly(required: unknown, properties: JsonObject): JsonObject {
  const due = listOf(required).filter((name) => typeof name === "string" && Object.hasOwn(properties, name));
  return due.length === 0 ? {} : { required: due };
}

/** Undefined: it is a choice of schemas. Beside a type a choice is left out: as a rule it says what is required together. */
function typeOf(schema: JsonObject): string | undefined {
  const { type, properties, items, enum: values, additionalProperties, anyOf, oneOf } = schema;
  if (typeof type === "string") return type.toLowerCase();
  if (properties !== undefined) return "object";
  if (listOf(anyOf).length + listOf(oneOf).length > 0) return undefined;
  if (additionalProperties !== undefined) return "object";
  if (items !== undefined) return "array";
  const words = listOf(values);
  return words.length > 0 && words.every((value) => typeof value === "number") ? "number" : "string";
}

/** Gemini refuses an object without properties: one whose keys are open gets an example of them. */
function objectIn({ properties, additionalProperties }: JsonObject, walk: Walk): JsonObject {
  const entries = Object.entries(mapOf(properties));
  if (entries.length === 0) {
    if (walk.depth === 1) return {};
    const item = isObject(additionalProperties) ? schemaIn(additionalProperties, walk) : { type: "string" };
    return { properties: { any_key: item } };
  }
  return { properties: Object.fromEntries(entries.map(([name, each]) => [name, schemaIn(each, walk)])) };
}
