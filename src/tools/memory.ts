import { english } from "../protocol/sentence.ts";
import {
  authorOf,
  NOTE_LIMITS,
  type Note,
  type NoteAnswer,
  type NoteBook,
  type NoteChange,
  type NoteFile,
  noteCharacters,
  PROPOSED,
  UNCHANGED,
} from "../protocol/memory.ts";
import type { Tool } from "../protocol/tool.ts";

const DESCRIPTION =
  "Your notes, which later conversations begin with. Save without being asked what will still be true and useful then: " +
  "preferences, corrections and habits of the user (target user), facts of the machine, the project and its tools, and " +
  "lessons of your work (target memory). Not what is only of this task, what a look at the files shows, or any secret. One " +
  "fact each, short and dated where it may change. Correct a note rather than add a second one; when the room is full, merge " +
  "or remove. What you are told of your notes at the beginning of a conversation stays as it was then: `read` shows them now.";

/** Keeps notes over sessions (row F5). The book is opened when it is used. */
export const memoryTool = (open: () => Promise<NoteBook>): Tool => ({
  name: "memory",
  toolset: "memory",
  description: DESCRIPTION,
  parameters: {
    type: "object",
    properties: {
      action: { type: "string", enum: ["add", "replace", "remove", "read"] },
      target: { type: "string", enum: ["memory", "user"], description: "memory: your work; user: the person." },
      content: { type: "string", description: "For add and replace: the whole note." },
      old_text: { type: "string", description: "For replace and remove: words that stand in that note alone." },
    },
    required: ["action", "target"],
  },
  // Words that meant one note may mean another when it is gone: nothing is done twice.
  effect: "effect",
  concurrency: "exclusive",
  trusted: true,
  outlives: ({ action }) => action !== "read",
  async run(input, context) {
    const file = targetIn(input["target"]);
    const book = await open();
    if (input["action"] === "read") return shown(file, book.read(file).notes);
    const change = changeIn(input, file);
    const answer = await book.change(change, authorOf(context), context.tainted);
    return answered(file, answer, book);
  },
});

type Input = Parameters<Tool["run"]>[0];

function targetIn(given: unknown): NoteFile {
  if (given === "memory" || given === "user") return given;
  throw new Error('Say which notes you mean: target "memory" or "user".');
}

function changeIn({ action, content, old_text: old }: Input, file: NoteFile): NoteChange {
  const text = typeof content === "string" ? content : "";
  const find = typeof old === "string" ? old : "";
  if (action === "add") return { do: "add", file, text };
  if (action === "replace") return { do: "replace", file, find, text };
  if (action === "remove") return { do: "remove", file, find };
  throw new Error('Say what to do: action "add", "replace", "remove" or "read".');
}

function answered(file: NoteFile, answer: NoteAnswer, book: NoteBook): string {
  switch (answer.type) {
    case "done":
      return `Done. ${shown(file, answer.notes)}`;
    case "unchanged":
      return `${UNCHANGED} ${shown(file, book.read(file).notes)}`;
    case "proposed":
      return (
        `${PROPOSED} others' words were read in this conversation, so it waits for the user, who is shown it by ` +
        "`evander memory review`. Tell them so if it matters, and do not try again in another way."
      );
    case "refused":
      throw new Error(whyNot(answer));
  }
}

function whyNot(answer: Extract<NoteAnswer, { type: "refused" }>): string {
  switch (answer.why) {
    case "blank":
      return "Nothing was written: `content` is the note (add, replace), and `old_text` words of the note that is meant (replace, remove).";
    case "not-found":
      return "Nothing was written: no note holds these words. `read` shows all notes.";
    case "ambiguous":
      return `Nothing was written: several notes hold these words, so give more of the one you mean.\n${listed(answer.notes)}`;
    case "no-room":
      return (
        `Nothing was written: the notes would have ${counted(answer.characters)} characters, and ${counted(answer.limit)} ` +
        `fit. Shorten, merge or remove some first.\n${listed(answer.notes)}`
      );
    case "threat":
      return `Nothing was written: a note must not hold such words (${answer.threats.join(", ")}).`;
    case "secret":
      return "Nothing was written: it holds a key or a password. Note where it is kept instead.";
    case "unreadable":
      return english(answer.sentence);
  }
}

/** All notes, and how full their file is. */
function shown(file: NoteFile, notes: readonly Note[]): string {
  const texts = notes.map(({ text }) => text);
  const fullness = `${counted(noteCharacters(texts))} of ${counted(NOTE_LIMITS[file])} characters`;
  return `${TITLES[file]}: ${texts.length === 1 ? "1 note" : `${texts.length} notes`}, ${fullness}.\n${listed(texts)}`.trim();
}

const TITLES: Readonly<Record<NoteFile, string>> = { memory: "Notes on your work", user: "Notes on the user" };

const listed = (notes: readonly string[]): string =>
  notes.map((note) => `- ${note.replaceAll("\n", "\n  ")}`).join("\n");

const counted = (count: number): string => count.toLocaleString("en-US");
