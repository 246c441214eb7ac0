import fc from "fast-check";
import { expect, test } from "vitest";
import { Draft } from "./draft.ts";

function draft(text: string): Draft {
  const made = new Draft();
  made.insert(text);
  return made;
}

test("[J7] an accent, a family and a flag are one character each: one key takes one away", () => {
  const text = draft("a👨‍👩‍👧é🇨🇳");
  text.insert("e");
  text.insert("\u0301");
  expect(text.shown).toHaveLength(5);
  text.backspace();
  text.backspace();
  expect(text.text).toBe("a👨‍👩‍👧é");
  text.left();
  text.left();
  text.backspace();
  expect(text.text).toBe("👨‍👩‍👧é");
});

test("[J7] lines are moved in, cut and put back as in a shell", () => {
  const text = draft("first line\nsecond\nthird");
  expect(text.moveLine(1)).toBe(false);
  expect(text.moveLine(-1)).toBe(true);
  expect(text.moveLine(-1)).toBe(true);
  expect(text.moveLine(-1)).toBe(false);
  text.end();
  text.cutWord();
  expect(text.text).toBe("first \nsecond\nthird");
  text.home();
  text.cutToEnd();
  text.cutToEnd();
  expect(text.text).toBe("second\nthird");
  text.end();
  text.cutToStart();
  text.putBack();
  text.putBack();
  expect(text.text).toBe("secondsecond\nthird");
  text.wordLeft();
  text.delete();
  expect(text.text).toBe("econdsecond\nthird");
});

test("[J7] a large paste is shown as its size, and one key takes it away; what is sent is the text", () => {
  const lines = Array.from({ length: 42 }, (_, at) => `line ${at}`).join("\r\n");
  const text = draft("see ");
  text.paste(lines);
  text.insert(" end");
  expect(text.shown).toContainEqual(expect.objectContaining({ label: "[paste 42 lines]" }));
  expect(text.text).toBe(`see ${lines.replaceAll("\r\n", "\n")} end`);
  for (let key = 0; key < 5; key++) text.backspace();
  expect(text.text).toBe("see ");
});

test("[J7] no control character is ever part of a message, and what was typed is kept otherwise", () => {
  const pieces = fc.array(fc.string({ unit: "binary", maxLength: 20 }), { maxLength: 10 });
  const kept = (texts: readonly string[]): void => {
    const text = new Draft();
    for (const piece of texts) text.insert(piece);
    expect(text.text).toBe(texts.join("").replaceAll(/[^\P{Cc}\n\t]/gu, ""));
    text.wordLeft();
    text.wordRight();
    while (!text.empty) {
      text.backspace();
      text.delete();
    }
    expect(text.caret).toBe(0);
  };
  expect(() => fc.assert(fc.property(pieces, kept))).not.toThrow();
});
