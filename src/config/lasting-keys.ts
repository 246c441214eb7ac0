import type { Key } from "./keys.ts";

const counted = (name: string, of: string, usual: number, meaning: string): Key => ({
  name: `review.${name}`,
  takes: { type: "count", of },
  meaning,
  usual,
  project: "nothing",
});

const asked = (name: string, usually: string, meaning: string): Key => ({
  name,
  takes: { type: "text" },
  meaning: `PROVIDER/MODEL that ${meaning}; not asked when offline`,
  usually,
  project: "nothing",
});

/** What decides what outlives a session: notes, skills, titles (rows F5, F6, A6, J6). */
export const LASTING_KEYS: readonly Key[] = [
  {
    name: "memory.notes",
    takes: { type: "switch" },
    meaning: "the model keeps notes, and later sessions are told them",
    usual: true,
    project: "nothing",
  },
  {
    name: "memory.server",
    takes: { type: "words" },
    meaning:
      "the program of an MCP memory server, and its arguments: it is asked what it recalls, and told what was said",
    usually: "none",
    project: "nothing",
  },
  {
    name: "review.when",
    takes: { type: "choice", of: ["counted", "never"] },
    meaning:
      "when a conversation is looked through for what is worth keeping, after an answer: as often as is counted below",
    usual: "counted",
    project: "nothing",
  },
  asked("review.model", "the model of the conversation", "looks through a conversation"),
  counted("turns", "messages", 10, "messages of yours without a note between two reviews for notes"),
  counted(
    "iterations",
    "model calls",
    10,
    "model calls with tools without a skill written between two reviews for skills",
  ),
  counted(
    "leastTurns",
    "messages",
    6,
    "messages of yours in a conversation that is reviewed before it is left or summed up",
  ),
  {
    name: "dream.when",
    takes: { type: "choice", of: ["daily", "asked"] },
    meaning: "when all notes are tidied: once a day in a chat, or only by evander memory dream",
    usual: "daily",
    project: "nothing",
  },
  asked("dream.model", "the model of the conversation", "tidies the notes"),
  asked(
    "title.model",
    "none: a session is called by its first words",
    "gives conversations their titles, after the first answer",
  ),
  {
    name: "skills.off",
    takes: { type: "words" },
    meaning: "skills that are not offered",
    usually: "none",
    project: "nothing",
  },
];
