import { isObject, isShallow, type JsonObject } from "../protocol/json.ts";

/** The JSON object a model sent for one call. */
export type Arguments = JsonObject;

export type ArgumentsResult =
  | { readonly type: "ok"; readonly input: Arguments }
  /** Not the text of one JSON object. */
  | { readonly type: "unreadable" }
  | { readonly type: "bad"; readonly why: string };

/**
 * Reads the raw argument text of a call against the tool's JSON Schema.
 *
 * Checked: the text is one JSON object; `required`; the `type`, `enum`, `minimum` and `maximum` of each top-level
 * property, the lengths of texts and lists, and the `type` of the items of a list; names that are not in `properties` when
 * `additionalProperties` is false. Values that mean the same are coerced ("5" for an integer, "true" for a boolean, 5 for a
 * string, JSON text for an array or object), null for an optional argument counts as absent, and arguments wrapped in
 * `arguments` are unwrapped. What lies deeper is coerced in the same way and never refused. Not checked: nested schemas,
 * `pattern`, `oneOf` and the like, `$ref`; a tool must still look at those itself.
 */
export function readArguments(raw: string, schema: JsonObject): ArgumentsResult {
  const properties = isObject(schema["properties"]) ? schema["properties"] : {};
  const parsed = unwrapped(parseObject(raw), properties);
  if (parsed === undefined) return { type: "unreadable" };
  if (!isShallow(parsed)) return { type: "bad", why: "the arguments nest too deeply" };
  const required = Array.isArray(schema["required"]) ? schema["required"].map(String) : [];
  const unknown = Object.keys(parsed).find((name) => !Object.hasOwn(properties, name));
  if (unknown !== undefined && schema["additionalProperties"] === false) {
    return {
      type: "bad",
      why: `there is no argument "${unknown}"; the arguments are ${Object.keys(properties).join(", ")}`,
    };
  }
  const missing = required.find((name) => !Object.hasOwn(parsed, name));
  if (missing !== undefined) return { type: "bad", why: `the argument "${missing}" is missing` };
  return checkValues(
    Object.entries(parsed).filter(
      ([name, value]) => value !== null || required.includes(name) || takesNull(properties[name]),
    ),
    properties,
  );
}

const takesNull = (property: unknown): boolean => isObject(property) && typesOf(property).includes("null");

function unwrapped(parsed: JsonObject | undefined, properties: JsonObject): JsonObject | undefined {
  const given = parsed?.["arguments"];
  const inner = typeof given === "string" ? parseObject(given) : given;
  const wraps = isObject(inner) && Object.keys(parsed ?? {}).length === 1 && !Object.hasOwn(properties, "arguments");
  return wraps ? inner : parsed;
}

function checkValues(given: readonly [string, unknown][], properties: JsonObject): ArgumentsResult {
  const entries: [string, unknown][] = [];
  for (const [name, value] of given) {
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
    const checked = isObject(property) ? checkValue(name, value, property) : { value };
    if ("why" in checked) return { type: "bad", why: checked.why };
    entries.push([name, checked.value]);
  }
  // From entries, so that a key named __proto__ stays a key.
  return { type: "ok", input: Object.fromEntries(entries) };
}

const SURROGATE_ESCAPE = /\\u[dD][89a-fA-F]/;

/** An escape can write half of a pair, which no provider, store or file takes. */
const wellFormed = (_key: string, value: unknown): unknown =>
  typeof value === "string" ? value.toWellFormed() : value;

function parseObject(raw: string): Record<string, unknown> | undefined {
  // Several servers send an empty text for a call without arguments.
  if (raw.trim() === "") return {};
  try {
    const value: unknown = JSON.parse(raw, SURROGATE_ESCAPE.test(raw) ? wellFormed : undefined);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

type Checked = { readonly value: unknown } | { readonly why: string };

function checkValue(name: string, given: unknown, property: JsonObject): Checked {
  const types = typesOf(property);
  const value = types.length === 0 ? given : coerce(given, types);
  if (value === undefined) return { why: `the argument "${name}" must be ${types.join(" or ")}, not ${kindOf(given)}` };
  const choices = property["enum"];
  if (Array.isArray(choices) && !choices.includes(value)) {
    return { why: `the argument "${name}" must be one of ${choices.map((c) => JSON.stringify(c)).join(", ")}` };
  }
  const why = boundTrouble(value, property);
  if (why !== undefined) return { why: `the argument "${name}" must ${why}` };
  if (Array.isArray(value)) return checkItems(name, value, property["items"]);
  return { value: isObject(value) ? castWithin(value, property) : value };
}

/** What a value must be that is too small, too large, too short or too long; undefined: it is none of these. */
function boundTrouble(value: unknown, property: JsonObject): string | undefined {
  const { minimum, maximum, minLength, maxLength, minItems, maxItems } = property;
  if (typeof value === "number") return outside(value, [minimum, maximum], (bound) => `be ${bound}`);
  if (typeof value === "string")
    return outside(lengthOf(value), [minLength, maxLength], (bound) => `have ${bound} characters`);
  return Array.isArray(value)
    ? outside(value.length, [minItems, maxItems], (bound) => `have ${bound} items`)
    : undefined;
}

function outside(
  size: number,
  [least, most]: readonly [unknown, unknown],
  tell: (bound: string) => string,
): string | undefined {
  if (typeof least === "number" && size < least) return tell(`at least ${least}`);
  return typeof most === "number" && size > most ? tell(`at most ${most}`) : undefined;
}

/** As JSON Schema counts: code points. */
const lengthOf = (text: string): number => Array.from(text).length;

function checkItems(name: string, items: readonly unknown[], schema: unknown): Checked {
  const types = isObject(schema) ? typesOf(schema) : [];
  if (types.length === 0) return { value: items };
  const values = items.map((item) => coerce(item, types));
  const wrong = values.indexOf(undefined);
  return wrong < 0
    ? { value: values.map((value) => castWithin(value, schema)) }
    : { why: `item ${wrong + 1} of the argument "${name}" must be ${types.join(" or ")}, not ${kindOf(items[wrong])}` };
}

/** What lies deeper is read as its schema says where it can be, and left to the tool where it cannot. */
function castWithin(value: unknown, schema: unknown): unknown {
  if (!isObject(schema)) return value;
  const cast = (inner: unknown, of: unknown): unknown => {
    const types = isObject(of) ? typesOf(of) : [];
    return castWithin(types.length === 0 ? inner : (coerce(inner, types) ?? inner), of);
  };
  if (Array.isArray(value)) return value.map((item) => cast(item, schema["items"]));
  const properties = schema["properties"];
  if (!isObject(value) || !isObject(properties)) return value;
  const own = (key: string): unknown => (Object.hasOwn(properties, key) ? properties[key] : undefined);
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, cast(inner, own(key))]));
}

function typesOf(property: JsonObject): string[] {
  const type = property["type"];
  if (typeof type === "string") return [type];
  return Array.isArray(type) ? type.map(String) : [];
}

const kindOf = (value: unknown): string => {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
};

const FITS: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: (value) => typeof value === "string",
  number: Number.isFinite,
  integer: (value) => Number.isSafeInteger(value),
  boolean: (value) => typeof value === "boolean",
  array: Array.isArray,
  object: isObject,
  null: (value) => value === null,
};

/** The value itself when it fits one of the types, else the first type it can be read as, else undefined. */
function coerce(value: unknown, types: readonly string[]): unknown {
  if (types.some((type) => FITS[type]?.(value) ?? true)) return value;
  for (const type of types) {
    const read = readAs(value, type);
    if (read !== undefined && FITS[type]?.(read) === true) return read;
  }
  return undefined;
}

const TRUTH: ReadonlyMap<string, boolean> = new Map([
  ["true", true],
  ["1", true],
  ["yes", true],
  ["false", false],
  ["0", false],
  ["no", false],
]);

function readAs(value: unknown, type: string): unknown {
  if (type === "string") return typeof value === "number" || typeof value === "boolean" ? String(value) : undefined;
  if (typeof value !== "string") return undefined;
  if (type === "number" || type === "integer") return value.trim() === "" ? undefined : Number(value);
  if (type === "boolean") return TRUTH.get(value.trim().toLowerCase());
  if (type !== "array" && type !== "object") return undefined;
  try {
    return JSON.parse(value);
  } catch {
    return undefined;
  }
}
