import { isObject, type JsonObject } from "../../protocol/json.ts";
import { isDeeper } from "./depth.ts";
import { safeText } from "./safe-text.ts";

/** Security §3.8, characters. */
const LONGEST_DESCRIPTION = 200;
const LONGEST_NAME = 100;
const LONGEST_VALUE = 500;
/** Of one schema: what is deeper or larger is no schema that a model could follow. */
const DEEPEST = 24;
const MOST_LEVELS = 64;
const MOST_NODES = 2_000;
const LARGEST = 100_000;

/** Says why a tool cannot be offered. */
export class BrokenTool extends Error {
  override readonly name = "BrokenTool";
}

/** Words that mean nothing to whoever fills it in, or that only a reader of the whole would understand. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  "$schema",
  "$id",
  "$comment",
  "$anchor",
  "$defs",
  "definitions",
  "$ref",
]);
const BY_NAME: ReadonlySet<string> = new Set(["properties", "patternProperties", "dependentSchemas"]);
const LISTS: ReadonlySet<string> = new Set(["anyOf", "oneOf", "allOf", "prefixItems"]);
const INNER: ReadonlySet<string> = new Set([
  "items",
  "additionalProperties",
  "not",
  "contains",
  "propertyNames",
  "if",
  "then",
  "else",
]);

/**
 * The schema of a tool's arguments as others wrote it, so that any provider can be told of it: an object, without references,
 * hidden characters and long words. Throws BrokenTool for what is none.
 */
export function toolParameters(schema: unknown): JsonObject {
  if (schema !== undefined && schema !== null && !isObject(schema)) throw new BrokenTool("its schema is no object");
  const root = schema ?? {};
  if (isDeeper(root, MOST_LEVELS)) throw new BrokenTool("its schema is nested too deep");
  if (JSON.stringify(root).length > LARGEST) throw new BrokenTool(`its schema has more than ${LARGEST} characters`);
  const { type = "object" } = root;
  if (type !== "object" && !(Array.isArray(type) && type.includes("object")))
    throw new BrokenTool("its schema is not one of an object");
  const walk = new Walk(root);
  return { properties: {}, ...walk.schema(root, 0), type: "object" };
}

/** One schema, with all that its references lead to. */
class Walk {
  #nodes = 0;
  readonly #root: JsonObject;
  /** Those that are being followed. */
  readonly #open = new Set<string>();

  constructor(root: JsonObject) {
    this.#root = root;
  }

  schema(schema: JsonObject, depth: number): JsonObject {
    if (++this.#nodes > MOST_NODES) throw new BrokenTool(`its schema has more than ${MOST_NODES} parts`);
    if (depth > DEEPEST) return { type: "object" };
    const { $ref: ref, ...own } = schema;
    if (typeof ref === "string") return this.#followed(ref, own, depth);
    const made = Object.entries(own).flatMap(([key, value]) => this.#entry(key, value, depth));
    const result = Object.fromEntries(made);
    if (result["type"] === "array" && result["items"] === undefined) result["items"] = {};
    return result;
  }

  /** What leads back to where it stands, or nowhere, is any object. */
  #followed(ref: string, own: JsonObject, depth: number): JsonObject {
    const target = this.#open.has(ref) ? undefined : at(this.#root, ref);
    if (!isObject(target)) return { type: "object", ...this.schema(own, depth + 1) };
    this.#open.add(ref);
    const found = this.schema({ ...target, ...own }, depth + 1);
    this.#open.delete(ref);
    return found;
  }

  #entry(key: string, value: unknown, depth: number): [string, unknown][] {
    if (LEFT_OUT.has(key)) return [];
    if (key === "description" || key === "title")
      return typeof value === "string" ? [[key, safeText(value, LONGEST_DESCRIPTION)]] : [];
    if (BY_NAME.has(key)) return isObject(value) ? [[key, this.#byName(value, depth)]] : [];
    if (LISTS.has(key)) return this.#list(key, value, depth);
    if (INNER.has(key)) return this.#inner(key, value, depth);
    return [[key, this.#value(value, depth)]];
  }

  /** A property that is no schema is none. */
  #byName(schemas: JsonObject, depth: number): JsonObject {
    const kept = Object.entries(schemas).filter(([, schema]) => isObject(schema) || schema === true);
    return Object.fromEntries(
      kept.map(([name, schema]) => {
        if (name.length > LONGEST_NAME || safeText(name, LONGEST_NAME) !== name.trim())
          throw new BrokenTool("the name of an argument is too long, or holds hidden characters");
        return [name, isObject(schema) ? this.schema(schema, depth + 1) : {}];
      }),
    );
  }

  /** What nothing can be is no alternative. */
  #list(key: string, value: unknown, depth: number): [string, unknown][] {
    if (!Array.isArray(value)) return [];
    const schemas = value.filter(isObject).filter((schema) => !isNothing(schema));
    return schemas.length === 0 ? [] : [[key, schemas.map((schema) => this.schema(schema, depth + 1))]];
  }

  #inner(key: string, value: unknown, depth: number): [string, unknown][] {
    if (typeof value === "boolean") return key === "items" ? [[key, {}]] : [[key, value]];
    if (Array.isArray(value))
      return [[key, value.filter(isObject).map((schema) => this.schema(schema, depth + 1))[0] ?? {}]];
    return isObject(value) ? [[key, this.schema(value, depth + 1)]] : [];
  }

  /** Data, such as defaults and choices: text that a model reads, and nothing that is evaluated. */
  #value(value: unknown, depth: number): unknown {
    if (++this.#nodes > MOST_NODES) throw new BrokenTool(`its schema has more than ${MOST_NODES} parts`);
    if (depth > DEEPEST) return null;
    if (typeof value === "string") return safeText(value, LONGEST_VALUE);
    if (Array.isArray(value)) return value.map((item) => this.#value(item, depth + 1));
    if (!isObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [safeText(key, LONGEST_NAME), this.#value(item, depth + 1)]),
    );
  }
}

const isNothing = ({ not }: JsonObject): boolean => isObject(not) && Object.keys(not).length === 0;

/** What a reference within the same schema leads to. */
function at(root: JsonObject, ref: string): unknown {
  if (ref === "#") return root;
  if (!ref.startsWith("#/")) return undefined;
  let found: unknown = root;
  for (const step of ref.slice(2).split("/")) {
    const key = step.replaceAll("~1", "/").replaceAll("~0", "~");
    if (!isObject(found) || !Object.hasOwn(found, key)) return undefined;
    found = found[key];
  }
  return found;
}
