import { isObject } from "../case-file.ts";
import type { Deviation } from "./deviation.ts";

/** The rule of docs/decisions/0054-paths-are-opened-part-by-part.md on hard links. */
export const PATH_DEVIATIONS: readonly Deviation[] = [
  {
    area: "path",
    applies: (input) => isObject(input) && input["op"] === "read" && input["path"] === "hardlink-out",
    ours: () => ({ allowed: true }),
    reason:
      "a file with several names is read unless one of them is out of reach; package managers and clones make such files by the thousand, and none is written",
    spec: "security.md §3.4",
  },
  {
    area: "path",
    applies: (input, expect) =>
      isObject(input) && input["op"] === "delete" && isObject(expect) && expect["allowed"] === true,
    ours: () => ({ held: true }),
    reason: "the file tools work with files alone: a link is taken away with rm, which shows what it does",
    spec: "security.md §3.4",
  },
];
