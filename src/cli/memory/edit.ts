import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { readText } from "../../config/config-file.ts";
import type { NoteAnswer, NoteBook, NoteFile } from "../../protocol/memory.ts";
import { notesIn, textOf } from "../../protocol/note-text.ts";
import { faultSentence } from "../../words/config.ts";
import { printable } from "../../session/plain-text.ts";
import { type Text, wordsIn } from "../../words/language.ts";
import {
  draftKept,
  draftUnusable,
  DRAFT_GONE,
  editHint,
  FILE_NAMES,
  MEMORY_WORDS,
  NO_TEXT,
  NOTE_STEPS,
  noteEditorNeeds,
  noteRefusal,
  OTHERS_CHANGED,
  written,
} from "../../words/memory.ts";
import { ownFolders } from "../config/own-folders.ts";
import { confirm } from "../confirm.ts";
import type { Asked } from "../context.ts";
import { type Io, say, sayJson } from "../io.ts";
import { openInEditor } from "../own-editor.ts";
import { RefusalError, usageRefusal } from "../refusal.ts";
import { noteFile } from "./notes.ts";

/** `evander memory edit [FILE]`: a copy in a person's own editor; what does not fit is not lost. */
export async function editNotes(book: NoteBook, file: NoteFile, asked: Asked): Promise<void> {
  const { io, json, language } = asked;
  if (io.stdin.isTTY !== true) throw usageRefusal(noteEditorNeeds(noteFile(file, io)), { steps: [NOTE_STEPS.list] });
  const { notes, troubles } = book.read(file);
  for (const trouble of troubles) say(io.stderr, printable(wordsIn(trouble, language)));
  const edit: Edit = { book, file, base: notes.map(({ text }) => text), draft: newDraft(file, io) };
  writeFileSync(edit.draft, textOf(edit.base), { mode: 0o600 });
  say(io.stderr, editHint(file)[language]);
  const round = await lastRound(edit, asked);
  rmSync(dirname(edit.draft), { recursive: true, force: true });
  if (json) return sayJson(io, { file, path: noteFile(file, io), changed: round.changed });
  for (const text of round.says) say(io.stderr, text[language]);
}

interface Edit {
  readonly book: NoteBook;
  readonly file: NoteFile;
  /** The notes when the editor was opened. */
  readonly base: readonly string[];
  readonly draft: string;
}

/** What came of one time in the editor; `again`: it cannot be kept as it is. */
type Round =
  | { readonly type: "over"; readonly changed: boolean; readonly says: readonly Text[] }
  /** `isFault`: the draft is right, and cannot be written. */
  | { readonly type: "again"; readonly why: Text; readonly isFault?: boolean };

/** In a folder of its own, where only its owner reads: two people may edit at once. */
function newDraft(file: NoteFile, io: Io): string {
  const { state } = ownFolders(io);
  mkdirSync(state, { recursive: true, mode: 0o700 });
  return join(mkdtempSync(join(state, "notes-")), FILE_NAMES[file]);
}

async function lastRound(edit: Edit, { io, language }: Asked): Promise<Extract<Round, { type: "over" }>> {
  const round = await oneRound(edit, io, (text) => confirm(io, text[language]));
  if (round.type === "over") return round;
  say(io.stderr, round.why[language]);
  if (await confirm(io, MEMORY_WORDS.openAgain[language])) return lastRound(edit, { io, language, json: false });
  const message = draftKept(round.why, edit.draft);
  throw new RefusalError({ reason: round.isFault === true ? "store_unavailable" : "usage_error", message, steps: [] });
}

async function oneRound(edit: Edit, io: Io, agrees: (question: Text) => Promise<boolean>): Promise<Round> {
  const { book, file, base, draft } = edit;
  await openDraft(edit, io);
  const read = readText(draft);
  if (read.type === "absent") return { type: "over", changed: false, says: [DRAFT_GONE] };
  if (read.type === "unreadable") return { type: "again", why: faultSentence(read.fault, read.place) };
  if (read.text.includes("\0")) return { type: "again", why: draftUnusable(NO_TEXT) };
  const mine = notesIn(read.text);
  if (mine.length === 0 && base.length > 0 && !(await agrees(MEMORY_WORDS.draftEmpty))) return UNCHANGED;
  return roundOf(await book.rewrite(file, mine, { by: "person" }, base), { file, mine });
}

const UNCHANGED: Round = { type: "over", changed: false, says: [MEMORY_WORDS.unchanged] };

function roundOf(answer: NoteAnswer, { file, mine }: { file: NoteFile; mine: readonly string[] }): Round {
  switch (answer.type) {
    case "refused":
      return { type: "again", why: noteRefusal(answer), isFault: answer.why === "unreadable" };
    case "done": {
      const merged = answer.notes.length !== mine.length || answer.notes.some(({ text }) => !mine.includes(text));
      return { type: "over", changed: true, says: [written(file), ...(merged ? [OTHERS_CHANGED] : [])] };
    }
    case "unchanged":
    case "proposed":
      return UNCHANGED;
  }
}

/** An editor that ends badly leaves what was written in it. */
async function openDraft({ draft, base }: Edit, io: Io): Promise<void> {
  try {
    await openInEditor(draft, io);
  } catch (error) {
    const read = readText(draft);
    const isChanged = read.type === "unreadable" || (read.type === "text" && read.text !== textOf(base));
    if (!(error instanceof RefusalError)) throw error;
    const { message } = error.refusal;
    if (isChanged && typeof message !== "string") throw usageRefusal(draftKept(message, draft));
    rmSync(dirname(draft), { recursive: true, force: true });
    throw error;
  }
}
