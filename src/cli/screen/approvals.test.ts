import { expect, test } from "vitest";
import { callLines } from "./approvals.ts";

const lines = (input: object): string[] =>
  callLines({ approvalId: "a", callId: "c", name: "patch", input: JSON.stringify(input), why: "It asks." }, "en").slice(
    1,
  );

test("[E9] [E10] a patch is shown as what goes and what comes, and nothing of it is left out", () => {
  expect(lines({ path: ".git/config", old_string: "a\nb", new_string: "c", replace_all: true })).toEqual([
    "  path: .git/config",
    "  -a",
    "  -b",
    "  +c",
    "  replace_all: true",
  ]);
  expect(lines({ mode: "patch", path: "decoy", patch: "*** Delete File: x\n" })).toEqual([
    "  *** Delete File: x",
    "  ",
    '  path: "decoy"',
    '  mode: "patch"',
  ]);
  expect(lines({ path: "a" })).toEqual(['  {"path":"a"}']);
});
