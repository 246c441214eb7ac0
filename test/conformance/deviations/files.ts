import { isObject, type Json } from "../case-file.ts";
import type { Deviation } from "./deviation.ts";
import { onlyReads } from "./plain-reading.ts";

const written = (value: Json | undefined): string =>
  typeof value === "string" ? value : JSON.stringify(value ?? null);

/** Rules of docs/decisions/0055-a-snapshot-before-a-change.md. */
export const FILE_DEVIATIONS: readonly Deviation[] = [
  {
    area: "destructive_command",
    applies: (input, expect) =>
      isObject(expect) && expect["destructive"] === false && isObject(input) && !onlyReads(written(input["command"])),
    ours: () => ({ destructive: true }),
    reason:
      "a snapshot stands before all that is not known to only read: what makes a file or a folder is undone as well",
    spec: "features.md E12; issue 9: undo restores a folder bit by bit",
  },
  {
    area: "file_mutation",
    applies: (input, expect) =>
      isObject(expect) &&
      expect["landed"] === false &&
      isObject(input) &&
      !/^Error executing tool|"error"\s*:\s*["{]|"success"\s*:\s*false/u.test(written(input["result"])),
    ours: () => ({ landed: true }),
    reason: "a call that came back and tells of no failure has done its work; what is on the disk is looked at besides",
    spec: "features.md E11; nanobot.md §9.1 (errors are typed)",
  },
  {
    area: "tool_failure_test",
    applies: (input, expect) =>
      isObject(expect) && expect["failed"] === true && isObject(input) && !tellsItself(input["result"]),
    ours: () => ({ failed: false }),
    reason: "a text that mentions an error is a result like any other: a tool that fails says so by itself",
    spec: "nanobot.md §9.1 (a file that begins with Error: is a success); ADR 0012",
  },
];

/** JSON that names an error, or says that there was no success. */
function tellsItself(result: Json | undefined): boolean {
  return (
    typeof result === "string" &&
    /^\s*\{.*(?:"error"\s*:\s*["{](?!")|"success"\s*:\s*false|"status"\s*:\s*"(?:failed|error)"|"exit_code"\s*:\s*-?[1-9])/su.test(
      result,
    )
  );
}
