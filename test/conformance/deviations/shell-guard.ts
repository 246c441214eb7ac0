import { isObject } from "../case-file.ts";
import type { Deviation } from "./deviation.ts";

/** Rules of docs/decisions/0054-paths-are-opened-part-by-part.md. */
const SEGMENTS: readonly (readonly [string, readonly (readonly string[])[]])[] = [
  ['echo "a;b" | cat', [["echo", "a;b"], ["cat"]]],
  ["x=$(a|b) ; y", [["a"], ["b"], ["y"]]],
];

export const SHELL_GUARD_DEVIATIONS: readonly Deviation[] = [
  ...SEGMENTS.map(([command, programs]): Deviation => ({
    area: "shell_segments",
    applies: (input) => isObject(input) && input["command"] === command,
    ours: () => ({ programs }),
    reason: "a command is judged by what each of its programs gets, not by pieces of its text",
    spec: "security.md §3.1 C1",
  })),
  {
    area: "shell_allow",
    applies: (input) => isObject(input) && input["command"] === "echo a\necho b",
    ours: () => ({ unasked: true, refused: false }),
    reason: "there are no lists of patterns: what only reads runs, and what people allow is matched word by word",
    spec: "security.md §3.2",
  },
];
