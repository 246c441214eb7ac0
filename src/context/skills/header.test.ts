import fc from "fast-check";
import { expect, test } from "vitest";
import * as yaml from "yaml";
import { type Fields, plainFields, readHeader, splitSkill, yamlFields } from "./header.ts";

const header = (block: string): ReturnType<typeof readHeader> => readHeader(block);

test("[F6] a header stands between two lines of dashes at the very beginning", () => {
  expect(splitSkill("---\na: b\n---\n# Steps\n---\n")).toEqual({ block: "a: b\n", body: "# Steps\n---\n" });
  expect(splitSkill("--- \n---")).toEqual({ block: "", body: "" });
  expect(splitSkill("# Steps")).toEqual({ fault: { why: "absent" } });
  expect(splitSkill("\n---\na: b\n---\n")).toEqual({ fault: { why: "absent" } });
  expect(splitSkill("---\na: b\n --- \n")).toEqual({ fault: { why: "open" } });
  expect(splitSkill(`---\n${"# x\n".repeat(6_000)}---\n`)).toEqual({ fault: { why: "too-long" } });
});

test("[F6] a header is data: lines, nested groups, quoted and folded texts", async () => {
  const nested = 'name: a\nmetadata:\n  evander:\n    requires: { bins: [git, "jq"] }\n';
  expect(await header(nested)).toEqual({
    fields: { name: "a", metadata: { evander: { requires: { bins: ["git", "jq"] } } } },
  });
  expect(await header("name: a\ndescription: >\n  Puts it\n  in order\n")).toEqual({
    fields: { name: "a", description: "Puts it in order\n" },
  });
  expect(await header("description: \"It's fine\"\nname: 'b'\nalways: true\n")).toEqual({
    fields: { description: "It's fine", name: "b", always: true },
  });
  expect(await header("version: 1.0\nname: a\n")).toEqual({ fields: { version: 1, name: "a" } });
});

test.each([
  ["a: !!js/function 'function () {}'\n", { why: "tag", tag: "tag:yaml.org,2002:js/function" }],
  ["a: !ruby/object:Gem {}\n", { why: "tag" }],
  ["a: !!str 1\n", { why: "tag" }],
  ["a: &x [1]\nb: *x\n", { why: "alias" }],
  ["a: &a [x]\nb: &b [*a, *a]\nc: [*b, *b]\n", { why: "alias" }],
  ["a: 1\na: 2\n", { why: "yaml", detail: "Map keys must be unique" }],
  ["a: [1\n", { why: "yaml" }],
  ["- a\n- b\n", { why: "no-fields" }],
  ["just words\n", { why: "no-fields" }],
  ["", { why: "no-fields" }],
])("[F6] no header: %j", async (block, fault) => {
  expect(await header(block)).toMatchObject({ fault });
});

test("[F6] a header that nests without end is refused, and nothing is thrown", () => {
  for (const block of ["[".repeat(16_000), "{a: ".repeat(4_000), "- ".repeat(8_000), "? ".repeat(8_000)])
    expect(yamlFields(yaml, block)).toHaveProperty("fault");
  expect(yamlFields(yaml, `name: ${"[".repeat(8_000)}`)).toEqual({ fault: { why: "too-deep" } });
});

const piece = fc.constantFrom(
  ..."abz AZ09-_:#'\"\\|>&*!%@`{}[],?~.=".split(""),
  ..."name of words that are plain".split(" "),
  ": ",
  " #",
  "true",
  "null",
  "é",
  "技",
  "\u00A0",
  "\u2028",
  "\t",
);
const text = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(""));
const value = fc.oneof(
  text,
  fc.constantFrom("", "[git]", "[a, b,c ]", "[]", "[a b]", "[null]", "[a,]", '["a"]', '"1.0"'),
);
const indent = fc.constantFrom("", "", "", "  ", "    ", " ");
const key = fc.constantFrom("name", "description", "x-y", "metadata", "requires", "bins");
const line = fc.oneof(
  { weight: 6, arbitrary: fc.tuple(indent, key, value).map(([by, name, given]) => `${by}${name}: ${given}`) },
  { weight: 3, arbitrary: fc.tuple(indent, key).map(([by, name]) => `${by}${name}:`) },
  { weight: 1, arbitrary: text },
);

test("[F6] property: a header that is read without YAML is read as YAML reads it", () => {
  const usual = 'name: a\nmetadata:\n  version: "1.0"\n  requires:\n    bins: [git, jq]\nalways: true\n';
  expect(plainFields(usual)).toEqual({
    name: "a",
    metadata: { version: "1.0", requires: { bins: ["git", "jq"] } },
    always: true,
  });
  let plain = 0;
  fc.assert(
    fc.property(fc.array(line, { minLength: 1, maxLength: 6 }), (lines) => {
      const block = `${lines.join("\n")}\n`;
      const fields: Fields | undefined = plainFields(block);
      if (fields === undefined) return;
      plain += 1;
      expect(yamlFields(yaml, block)).toEqual({ fields });
    }),
    { numRuns: 2_000 },
  );
  expect(plain).toBeGreaterThan(0);
});

test("[F6] property: whatever a header holds, nothing is thrown", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(line, { maxLength: 8 }), async (lines) => {
      expect(await readHeader(lines.join("\n"))).toBeTypeOf("object");
    }),
    { numRuns: 500 },
  );
});
