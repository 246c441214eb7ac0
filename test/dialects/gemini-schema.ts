import {
  brokenRules,
  anything,
  boolean,
  filled,
  list,
  number,
  object,
  oneOf,
  type Shape,
  string,
  textOf,
  isObject,
  type Json,
} from "./shape.ts";

const COUNT: Shape = (value, at) =>
  /^\d+$/.test(String(value)) ? [] : [`${at}: must be a count, it is ${JSON.stringify(value)}`];

/** Twice, because types may be written in either case. */
const TYPES = ["STRING", "NUMBER", "INTEGER", "BOOLEAN", "ARRAY", "OBJECT", "NULL"].flatMap((type) => [
  type,
  type.toLowerCase(),
]);

const FIELDS: Readonly<Record<string, Shape>> = {
  type: oneOf(...TYPES),
  format: filled,
  title: string,
  description: string,
  nullable: boolean,
  enum: list(string, { min: 1 }),
  default: anything,
  example: anything,
  items: inspectSchema,
  minItems: COUNT,
  maxItems: COUNT,
  properties: (value, at) =>
    isObject(value)
      ? Object.entries(value).flatMap(([name, schema]) => inspectSchema(schema, `${at}.${name}`))
      : [`${at}: must be an object`],
  required: list(filled),
  propertyOrdering: list(filled),
  minProperties: COUNT,
  maxProperties: COUNT,
  minLength: COUNT,
  maxLength: COUNT,
  pattern: string,
  minimum: number(),
  maximum: number(),
  anyOf: list(inspectSchema, { min: 1 }),
};

/** The part of OpenAPI's schema that Gemini reads: everything else is refused as an unknown name. */
export function inspectSchema(value: unknown, at: string): readonly string[] {
  const found = object({}, FIELDS)(value, at);
  return isObject(value) ? [...found, ...typeTroubles(value, at)] : found;
}

function typeTroubles(schema: Json, at: string): readonly string[] {
  const type = textOf(schema["type"]).toUpperCase();
  const properties = isObject(schema["properties"]) ? Object.keys(schema["properties"]) : [];
  const required = Array.isArray(schema["required"]) ? schema["required"].map(String) : [];
  const formats = ["", "enum", "date-time"];
  return brokenRules(
    [type === "" && schema["anyOf"] === undefined, "type: is required"],
    [type === "OBJECT" && properties.length === 0, "properties: must not be empty for an object"],
    [type === "ARRAY" && schema["items"] === undefined, "items: is required for an array"],
    [schema["enum"] !== undefined && type !== "STRING", "enum: is for texts alone"],
    [type === "STRING" && !formats.includes(textOf(schema["format"])), "format: only enum and date-time are for texts"],
    [required.some((name) => !properties.includes(name)), "required: names a property that is not defined"],
  ).map((what) => `${at}.${what}`);
}
