import { fuzzyReplace } from "../../../src/tools/files/patch/fuzzy-replace.ts";
import { edited } from "../../../src/tools/files/text/lines.ts";
import type { Json } from "../case-file.ts";
import { objectOf, textOf } from "../input.ts";

/** `{content, old, new, replace_all}`: one text put in the place of another. */
export function fuzzyPatchCase(input: Json): unknown {
  const { content: given, old, new: now, replace_all: all } = objectOf(input, "input");
  const content = textOf(given, "content");
  const found = fuzzyReplace(content, { old: textOf(old, "old"), now: textOf(now, "new"), all: all === true });
  return found.type === "found"
    ? { content: edited(content, found.edits), count: found.edits.length, strategy: found.strategy, error: false }
    : { content, count: 0, strategy: null, error: true };
}
