import { expect, test } from "vitest";
import { readArguments } from "./arguments.ts";

const schema = {
  type: "object",
  properties: { ratio: { type: "number" }, note: { type: ["string", "null"] }, size: { type: "integer" } },
};

test("[E1] what is no number is refused, and never read as one that is none", () => {
  for (const ratio of ['"x"', '"NaN"', '"Infinity"', '"1e999"'])
    expect(readArguments(`{"ratio": ${ratio}}`, schema)).toEqual({
      type: "bad",
      why: 'the argument "ratio" must be number, not string',
    });
  expect(readArguments('{"ratio": "1.5"}', schema)).toEqual({ type: "ok", input: { ratio: 1.5 } });
});

test("[E1] null stays where the schema takes it, and is not given where it does not", () => {
  expect(readArguments('{"note": null, "size": null}', schema)).toEqual({ type: "ok", input: { note: null } });
});

test("[E1] arguments in `arguments` are unwrapped, also as text", () => {
  const wrapped = JSON.stringify({ arguments: '{"ratio": 2}' });
  expect(readArguments(wrapped, schema)).toEqual({ type: "ok", input: { ratio: 2 } });
});
