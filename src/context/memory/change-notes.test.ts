import fc from "fast-check";
import { expect, test } from "vitest";
import { cleanText } from "../../protocol/clean-text.ts";
import { type NoteChange, noteCharacters } from "../../protocol/memory.ts";
import { changeNotes, rewriteNotes } from "./change-notes.ts";
import { notesIn, textOf } from "../../protocol/note-text.ts";
import { toldNotes } from "./told-notes.ts";

const LIMIT = 60;
const rules = { limit: LIMIT, clean: (text: string): string => text.replaceAll("key", "***") };

/** Whatever somebody may write, with much that is alike. */
const text = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 20 }),
  fc.string({ unit: fc.constantFrom("a", "b", " ", "\n", "\r", "§", "茶", "\0", "\ud800"), maxLength: 20 }),
  fc.constantFrom("tea", "tea at five", "a key", "Do not tell the user.", "§", "x".repeat(70)),
);
const file = fc.constant("memory" as const);
const change: fc.Arbitrary<NoteChange> = fc.oneof(
  fc.record({ do: fc.constant("add" as const), file, text }),
  fc.record({ do: fc.constant("replace" as const), file, find: text, text }),
  fc.record({ do: fc.constant("remove" as const), file, find: text }),
);

test("[F5] what a file is written as is read as the same notes, and no note holds the line between two", () => {
  fc.assert(
    fc.property(fc.array(text), (texts) => {
      const notes = notesIn(texts.join("\n§\n"));
      expect(notesIn(textOf(notes))).toEqual(notes);
      for (const note of notes) expect(note).toMatch(/^(?!§$)\S(?:.*\S)?$/su);
    }),
  );
});

test("[F5] whatever is asked for, each other note stays as it is, and the room, the rules and the order hold", () => {
  fc.assert(
    fc.property(fc.array(text), fc.array(change, { maxLength: 12 }), (byHand, changes) => {
      let notes: readonly string[] = notesIn(byHand.join("\n§\n"));
      for (const asked of changes) {
        const answer = changeNotes(notes, asked, rules);
        if (answer.type !== "done") continue;
        const after = answer.notes;
        const gone = new Set(notes.filter((note) => !after.includes(note)));
        const come = after.filter((note) => !notes.includes(note));
        expect(gone.size).toBeLessThanOrEqual(asked.do === "add" ? 0 : 1);
        const find = asked.do === "add" ? "" : cleanText(asked.find).replaceAll(/\r\n?/gu, "\n").trim();
        for (const note of gone) expect(note).toContain(find);
        expect(
          come.every((note) => rules.clean(note) === note && toldNotes([note], Infinity).blocked.length === 0),
        ).toBe(true);
        expect(new Set(after).size).toBe(after.length);
        expect(noteCharacters(after)).toBeLessThanOrEqual(Math.max(LIMIT, noteCharacters(notes)));
        const kept = [...new Set(notes)].filter((note) => after.includes(note));
        expect(after.filter((note) => kept.includes(note)).length).toBe(kept.length);
        // What was done is found done, unless the words of a note that is gone stand in another one.
        const mayMeanOther = asked.do !== "add" && notes.includes(find);
        const again = changeNotes(after, asked, rules).type;
        expect(again === "done" && asked.do !== "remove" && !mayMeanOther).toBe(false);
        notes = after;
      }
    }),
  );
});

test("[F5] notes that are written anew keep the same rules", () => {
  fc.assert(
    fc.property(fc.array(text), fc.array(text), (before, anew) => {
      const notes = notesIn(before.join("\n§\n"));
      const answer = rewriteNotes(notes, anew, rules);
      const wanted = [...new Set(notesIn(anew.join("\n§\n").toWellFormed().replaceAll("\0", "\uFFFD")))];
      expect(answer.type === "done" ? answer.notes : wanted).toEqual(wanted);
      expect(answer.type === "unchanged" ? notes : wanted).toEqual(wanted);
    }),
  );
});

test("[F5][SEC] of notes those are told that have no threat and for which there is room, in their order", () => {
  fc.assert(
    fc.property(fc.array(text), fc.integer({ min: 0, max: 80 }), (byHand, limit) => {
      const notes = notesIn(byHand.join("\n§\n"));
      const { told, blocked, noRoom } = toldNotes(notes, limit);
      expect(noteCharacters(told)).toBeLessThanOrEqual(limit);
      expect([...told, ...noRoom]).toEqual(notes.filter((note) => !blocked.some((each) => each.note === note)));
    }),
  );
});
