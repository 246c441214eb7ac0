import { describe } from "../../../src/context/skills/describe.ts";
import { skillRefs } from "../../../src/context/skills/refs.ts";
import { isObject, type Json } from "../case-file.ts";
import { objectOf, textOf } from "../input.ts";

/** `{text}`: the skills that a message names. */
export const skillRefsCase = (input: Json): unknown => ({
  names: skillRefs(textOf(objectOf(input, "input")["text"], "text")),
});

/** `{frontmatter, folder}`: whether this header, or none, makes a skill of its folder. */
export function skillValidCase(input: Json): unknown {
  const { frontmatter, folder } = objectOf(input, "input");
  const fields = Object.entries(objectOf(frontmatter ?? {}, "frontmatter")).map(
    ([key, value]) => [key, whole(value)] as const,
  );
  return { valid: !("fault" in describe(Object.fromEntries(fields), textOf(whole(folder), "folder"))) };
}

/** A long text is recorded as `{repeat, count}`. */
function whole(value: Json | undefined): Json {
  if (value === undefined || !isObject(value)) return value ?? null;
  const { repeat, count } = value;
  return typeof repeat === "string" && typeof count === "number" ? repeat.repeat(count) : value;
}
