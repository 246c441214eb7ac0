import { isObject } from "../case-file.ts";
import type { Deviation } from "./deviation.ts";

/** Rules of docs/decisions/0055-a-snapshot-before-a-change.md. */
export const FILE_DEVIATIONS: readonly Deviation[] = [
  {
    area: "destructive_command",
    applies: (input, expect) =>
      isObject(expect) &&
      expect["destructive"] === false &&
      isObject(input) &&
      /\b(?:tee|mkdir)\b/u.test(JSON.stringify(input["command"] ?? "")),
    ours: () => ({ destructive: true }),
    reason:
      "a snapshot stands before all that is not known to only read: what makes a file or a folder is undone as well",
    spec: "features.md E12; issue 9: undo restores a folder bit by bit",
  },
];
