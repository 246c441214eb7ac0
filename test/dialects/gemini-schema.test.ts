import fc from "fast-check";
import { expect, test } from "vitest";
import { geminiSchema } from "../../src/model/gemini/schema.ts";
import { inspectSchema } from "./gemini-schema.ts";
import { isObject } from "./shape.ts";

const types = fc.constantFrom("object", "string", "integer", "array", "number", "boolean", "null", "OBJECT");
const odd = fc.constantFrom<unknown>(true, null, "string", 7, { $ref: "#/$defs/a" }, { $ref: "#/none" }, {});

const fields = (inner: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.record(
    {
      type: fc.oneof(types, fc.array(types, { maxLength: 2 })),
      description: fc.string({ maxLength: 3 }),
      enum: fc.array(fc.constantFrom<unknown>("a", 1, null), { maxLength: 2 }),
      const: fc.constantFrom<unknown>("a", 1),
      format: fc.constantFrom("uri", "date-time", "int32", "float"),
      properties: fc.dictionary(fc.constantFrom("a", "b"), inner, { maxKeys: 2 }),
      required: fc.array(fc.constantFrom("a", "x"), { maxLength: 2 }),
      items: inner,
      anyOf: fc.array(inner, { maxLength: 2 }),
      oneOf: fc.array(inner, { maxLength: 2 }),
      allOf: fc.array(inner, { maxLength: 2 }),
      additionalProperties: inner,
      $ref: fc.constantFrom("#/$defs/a", "#/$defs/b", "elsewhere"),
      exclusiveMinimum: fc.integer(),
    },
    { requiredKeys: [] },
  );

const anySchema = fields(fc.oneof(odd, fields(fc.oneof(odd, fields(odd)))));

test("[C3] whatever schema a tool has, Gemini takes what is sent of it", () => {
  fc.assert(
    fc.property(anySchema, fc.dictionary(fc.constantFrom("a", "b"), anySchema), (schema, $defs) => {
      const root = { type: "object", properties: { it: schema }, required: ["it"], $defs };
      expect(inspectSchema(geminiSchema(root), "schema")).toEqual([]);
    }),
  );
});

test("[C3] definitions that name each other end", () => {
  const node = { type: "object", properties: { left: { $ref: "#/$defs/node" }, right: { $ref: "#/$defs/node" } } };
  const schema = geminiSchema({ type: "object", properties: { tree: { $ref: "#/$defs/node" } }, $defs: { node } });
  expect(JSON.stringify(schema).length).toBeLessThan(200_000);
  expect(isObject(schema["properties"]) && schema["properties"]["tree"]).toMatchObject({
    type: "object",
    properties: { left: { type: "object" } },
  });
});
