import { NOTE_FILES, NOTE_LIMITS, noteCharacters, type NoteBook } from "../../protocol/memory.ts";
import { printable } from "../../session/plain-text.ts";
import { wordsIn } from "../../words/language.ts";
import { fileHead, MEMORY_WORDS, writtenBy } from "../../words/memory.ts";
import { changesWait, reviewStep } from "../../words/proposals.ts";
import { nextSteps } from "../../words/steps.ts";
import type { Asked } from "../context.ts";
import { say, sayJson } from "../io.ts";
import { stepLine } from "../next-steps.ts";
import { indented, minuteOf, noteFile, type Numbered, numberedNotes } from "./notes.ts";

/** `evander memory list`: both files, how full they are, and what waits or is wrong. */
export function listNotes(book: NoteBook, asked: Asked): void {
  const { io, json, language } = asked;
  const notes = numberedNotes(book);
  const waiting = book.proposals().length;
  const files = NOTE_FILES.map((file) => {
    const own = notes.filter((note) => note.file === file);
    const characters = noteCharacters(own.map(({ text }) => text));
    return { file, path: noteFile(file, io), characters, limit: NOTE_LIMITS[file], notes: own };
  });
  const troubles = NOTE_FILES.flatMap((file) => book.read(file).troubles.map((sentence) => ({ file, sentence })));
  if (json)
    return sayJson(io, {
      files: files.map(({ notes: own, ...file }) => ({
        ...file,
        notes: own.map(asRecord),
        troubles: troubles.flatMap((it) => (it.file === file.file ? [wordsIn(it.sentence, language)] : [])),
      })),
      waiting,
    });
  for (const { file, characters, notes: own } of files) {
    if (own.length === 0) continue;
    say(io.stdout, fileHead(file, own.length, characters)[language]);
    for (const note of own) for (const line of noteLines(note, asked)) say(io.stdout, line);
  }
  for (const { sentence } of troubles) say(io.stderr, printable(wordsIn(sentence, language)));
  if (notes.length === 0 && troubles.length === 0) say(io.stderr, MEMORY_WORDS.none[language]);
  tellWaiting(waiting, asked);
}

export const asRecord = ({ number, file, text, written }: Numbered): object => ({
  number,
  file,
  text,
  written: written ?? null,
});

function noteLines({ number, text, written }: Numbered, { language }: Asked): string[] {
  const head = `  ${String(number).padStart(2)}  `;
  const when = written === undefined ? "" : `${minuteOf(written.atMs)} `;
  const below = " ".repeat(head.length);
  return [`${head}${indented(text, below)}`, `${below}${when}${writtenBy(written)[language]}`];
}

function tellWaiting(count: number, { io, language }: Asked): void {
  if (count === 0) return;
  const text = changesWait(count);
  for (const step of nextSteps([{ ...reviewStep("memory"), text }], undefined, language))
    say(io.stderr, stepLine(step, io.env));
}
