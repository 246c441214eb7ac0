import type { ContextPart } from "../../protocol/message.ts";
import type { SkillShelf } from "../../protocol/skill.ts";
import { skillText, unreadText } from "../../protocol/skill-text.ts";
import { clip } from "../prompt/clip.ts";
import { skillRefs } from "./refs.ts";

/** So many are told with a message, in so many characters of all of them. */
const MOST_NAMED = 5;
const MAX_CHARS = 32_000;

/** The skills that a message names with `$`, for the turn that answers it; a name that no skill has is a word like others. */
export async function namedSkills(shelf: SkillShelf, text: string): Promise<ContextPart[]> {
  const parts: ContextPart[] = [];
  let room = MAX_CHARS;
  for (const name of skillRefs(text)) {
    const view = parts.length < MOST_NAMED ? await shelf.view(name) : undefined;
    if (view === undefined) continue;
    const source = `skill ${name}`;
    if ("sentence" in view) {
      parts.push({ type: "context", source, text: unreadText(name, view), skill: view.root });
      continue;
    }
    const told = clip({ type: "text", head: view.text, bytes: Buffer.byteLength(view.text) }, room).text;
    room = Math.max(0, room - told.length);
    parts.push({ type: "context", source, text: skillText({ ...view, text: told }), skill: view.skill.root });
  }
  return parts;
}
