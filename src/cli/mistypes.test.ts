import { expect, test } from "vitest";
import { isPlanned, meantCommand } from "./mistypes.ts";

const COMMANDS = new Map([
  ["session", ["list", "show", "search", "resume"]],
  ["turn", ["show", "explain"]],
  ["version", []],
  ["help", []],
]);
const meant = (line: string): string | undefined => meantCommand(line.split(" "), COMMANDS);

test("[J7] a word near a command is refused with it; other words and sentences are messages", () => {
  expect(["sessions", "sesion", "trun", "turns", "hlep", "verison", "list", "explain"].map(meant)).toEqual([
    "session",
    "session",
    "turn",
    "turn",
    "help",
    "version",
    "session list",
    "turn explain",
  ]);
  expect(["bogus", "hello", "hi", "summarise", ""].map(meant)).toEqual(Array.from({ length: 5 }));
  expect(["sesion list", "trun explain last"].map(meant)).toEqual(["session list", "turn explain last"]);
  expect(["help me fix this", "sesion notes please", "burn the list", "show returns"].map(meant)).toEqual(
    Array.from({ length: 4 }),
  );
  expect(meantCommand(["sesion list"], COMMANDS)).toBeUndefined();
});

test("[J7] a command that is still to come is told from a message", () => {
  const planned = (line: string): boolean => isPlanned(line.split(" "));
  expect(["serve", "gateway run", "gateway", "cron list", "mcp serve x"].map(planned)).toEqual(
    Array.from({ length: 5 }, () => true),
  );
  expect(["serve dinner", "update the readme", "memory leaks?", "session list", ""].map(planned)).toEqual(
    Array.from({ length: 5 }, () => false),
  );
});
