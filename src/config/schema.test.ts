import { expect, test } from "vitest";
import { isObject } from "../protocol/json.ts";
import { KEYS } from "./keys.ts";
import { configSchema } from "./schema.ts";

/** What the schema says of a key, found as an editor finds it. */
function schemaOf(name: string): unknown {
  let at: unknown = configSchema();
  for (const part of name.split(".")) {
    if (!isObject(at)) return undefined;
    at = part === "*" ? at["additionalProperties"] : isObject(at["properties"]) ? at["properties"][part] : undefined;
  }
  return at;
}

test("[X8] the JSON Schema knows every key, closes every group, and says what is usual", () => {
  for (const { name, meaning, usual } of KEYS) {
    const found = schemaOf(name);
    expect(found, name).toMatchObject({ description: expect.stringContaining(meaning) });
    expect(isObject(found) ? found["default"] : "", name).toBe(usual);
  }
  expect(schemaOf("store.sync")).toMatchObject({ enum: ["four", "full"] });
  expect(schemaOf("maxTimeMs")).toMatchObject({ type: "integer", minimum: 1, maximum: 2 ** 31 - 1 });
  for (const group of ["stream", "retry", "guardrails", "store", "providers.*", "models.*", "models.*.prices"])
    expect(schemaOf(group), group).toMatchObject({ type: ["object", "null"], additionalProperties: false });
  expect(configSchema()).toMatchObject({ additionalProperties: false });
});
