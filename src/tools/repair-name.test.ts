import fc from "fast-check";
import { expect, test } from "vitest";
import { matchName, nearestName } from "./repair-name.ts";

const NAMES = ["browser_click", "execute_code", "patch", "read_file", "terminal", "todo", "web_search", "write_file"];
const match = (written: string): string | undefined => matchName(written, (name) => NAMES.includes(name));

test.each([
  ["READ_FILE", "read_file"],
  ["read-file", "read_file"],
  ["Read File", "read_file"],
  ["readFile", "read_file"],
  ["WriteFileTool", "write_file"],
  ["TodoTool_tool", "todo"],
  ["BrowserClick-tool", "browser_click"],
  ["functions.read_file", "read_file"],
  ["default_api:read_file", "read_file"],
  ["tool:terminal", "terminal"],
  ["read_file<|channel|>commentary", "read_file"],
  ['execute_code" parameter="code', "execute_code"],
  [" read_file ", "read_file"],
])("[C11] %j is surely meant to be %s", (written, name) => {
  expect(match(written)).toBe(name);
});

test.each(["", " ", '"', "tool", "tool_tool", "no_such_tool", "read", "file", "constructor", "readfil"])(
  "[C11] %j is surely meant to be no tool",
  (written) => {
    expect(match(written)).toBeUndefined();
  },
);

test("[C11] a name that a tool has is never read as another, however like they are", () => {
  expect(matchName("Read_File", (name) => name === "Read_File" || name === "read_file")).toBe("Read_File");
});

test("[C11] the nearest name is a guess only when it is clearly nearest", () => {
  expect(nearestName("terminall", NAMES)).toBe("terminal");
  expect(nearestName("web_serach", NAMES)).toBe("web_search");
  expect(nearestName("rite_file", ["read_file", "write_file"])).toBe("write_file");
  expect(nearestName("get_stats", ["get_state", "get_status"])).toBeUndefined();
  expect(nearestName("frobnicate", NAMES)).toBeUndefined();
  expect(nearestName("x", [])).toBeUndefined();
});

test("[C11] whatever a model writes, a repaired name is one of the tools", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 200 }), (written) => {
      const found = match(written) ?? nearestName(written, NAMES);
      expect(found === undefined || NAMES.includes(found)).toBe(true);
    }),
  );
});
