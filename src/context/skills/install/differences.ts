import { lineChanges } from "../../../protocol/line-changes.ts";
import type { SkillDifference } from "../../../protocol/skill-install.ts";
import type { SkillFile } from "./read-folder.ts";

/** What becomes of the files of a skill, in the order of their paths. */
export function differencesOf(before: readonly SkillFile[], after: readonly SkillFile[]): SkillDifference[] {
  const [old, now] = [before, after].map((files) => new Map(files.map((file) => [file.path, file])));
  const paths = [...new Set([...(old?.keys() ?? []), ...(now?.keys() ?? [])])].toSorted();
  return paths.flatMap((path): SkillDifference[] => {
    const [was, is] = [old?.get(path), now?.get(path)];
    if (was !== undefined && is !== undefined && was.content.equals(is.content) && was.executable === is.executable)
      return [];
    const change = was === undefined ? "added" : is === undefined ? "removed" : "changed";
    return [{ path, change, lines: lineChanges(textOf(was), textOf(is)) }];
  });
}

/** Undefined: no text. */
function textOf(file: SkillFile | undefined): string | undefined {
  if (file === undefined) return "";
  const text = file.content.toString("utf8");
  return text.includes("\0") || text.includes("\uFFFD") ? undefined : text;
}
