import type { TurnResult } from "../protocol/result.ts";
import type { FileCourse } from "../turn/files.ts";
import type { View } from "../turn/state.ts";

/** The files that differ from what they were before the turn, by its receipts; calls beside each other end in any order. */
export const changedFiles = ({ files }: View): TurnResult["files"] =>
  [...files.byPath]
    .flatMap(([path, course]) => {
      const change = changeOf(course);
      return change === undefined ? [] : [{ path, change }];
    })
    .toSorted((one, other) => (one.path < other.path ? -1 : 1));

function changeOf({ before, after, touched }: FileCourse): string | undefined {
  if (before === after) return touched ? undefined : "mode";
  if (before === null) return "created";
  return after === null ? "deleted" : "changed";
}
