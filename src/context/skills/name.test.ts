import fc from "fast-check";
import { expect, test } from "vitest";
import { isSafePath, isWritablePath, nameFault } from "./name.ts";
import { skillRefs } from "./refs.ts";

test("[F6] a skill is named in small letters and digits, with single hyphens between them", () => {
  for (const name of ["a", "7", "git-helper", "a1-b2-c3", "x".repeat(64)])
    expect(nameFault(name), name).toBeUndefined();
  const faults: [string, string][] = [
    ["", "blank"],
    ["  ", "blank"],
    ["x".repeat(65), "too-long"],
    ["../../x", "path"],
    ["a/b", "path"],
    ["a\\b", "path"],
    [".hidden", "path"],
    ["..", "path"],
    ["CON", "reserved"],
    ["nul", "reserved"],
    ["com1", "reserved"],
    ["lpt9.txt", "reserved"],
    ["A", "letters"],
    ["a--b", "letters"],
    ["-a", "letters"],
    ["a-", "letters"],
    ["git_helper", "letters"],
    ["gіt", "letters"],
    ["a b", "letters"],
    ["a\n", "letters"],
  ];
  for (const [name, fault] of faults) expect(nameFault(name), JSON.stringify(name)).toBe(fault);
});

test("[F6] a path stays in the folder of its skill, and an agent writes below four folders alone", () => {
  for (const path of ["SKILL.md", "LICENSE", "references/api.md", "scripts/a/b.sh"])
    expect(isSafePath(path)).toBe(true);
  for (const path of [
    "",
    "/etc/passwd",
    "../x",
    "references/../../x",
    "references//x",
    "references\\x",
    "C:/x",
    "references/.env",
    ".git/config",
    "references/nul",
    "references/x.",
    "references/a\u0000b",
    "references/a\u202Eb",
    "a/b/c/d/e",
    `references/${"x".repeat(200)}`,
  ])
    expect(isSafePath(path), JSON.stringify(path)).toBe(false);
  expect(["references/a.md", "templates/a", "scripts/a.sh", "assets/a.svg"].every(isWritablePath)).toBe(true);
  expect(["SKILL.md", "a.md", "lib/a.md", "references", "references/"].some(isWritablePath)).toBe(false);
});

test("[F6] a message names a skill with a dollar sign, as a word of its own", () => {
  const cases: [string, string[]][] = [
    ["$weather today", ["weather"]],
    ["use $git-helper, then $weather. And $git-helper!", ["git-helper", "weather"]],
    ['($a) "$b" /$c', ["a", "b", "c"]],
    ["cost$weather $$weather a_$weather é$weather 用$weather $ $天气", []],
    ["$HOME $Weather $git_helper $git--helper $-a", ["HOME", "Weather", "git_helper", "git--helper", "-a"]],
    ["$weather整理", ["weather"]],
    ["$weather- $a-b-", ["weather-", "a-b-"]],
  ];
  for (const [text, names] of cases) expect(skillRefs(text), text).toEqual(names);
});

test("[F6] property: what a message names stands in it behind a dollar sign, whole", () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom("$", "a", "-", "B", "_", " ", "é", "9") }), (text) => {
      for (const name of skillRefs(text)) {
        expect(name).toMatch(/^[\w-]+$/u);
        expect(`${text} `).toMatch(new RegExp(`\\$${name}(?![\\w-])`, "u"));
      }
    }),
  );
});
