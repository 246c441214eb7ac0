import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { edited } from "../text/lines.ts";
import { fuzzyReplace, type Replacement } from "./fuzzy-replace.ts";
import { replaceText } from "./replace-text.ts";

/** The text as it is then and how it was found, or why it was not. */
function replaced(content: string, old: string, now: string, all = false): { strategy: string; text: string } {
  const found = replaceText(content, { old, now, all });
  return found.type === "found"
    ? { strategy: found.strategy, text: edited(content, found.edits) }
    : { strategy: found.type, text: content };
}

describe("[E9] fuzzy replace", () => {
  test.each<[string, string, [string, string], string]>([
    ["exact", "a b c", ["b", "x"], "a x c"],
    ["line_trimmed", "if x:\n    a()  \n    b()\n", ["a()\nb()", "c()"], "if x:\n    c()\n"],
    ["whitespace_normalized", "let  a =\t1;", ["let a = 1;", "let a = 2;"], "let a = 2;"],
    ["escape_normalized", "one\ntwo\nend", ["one\\ntwo", "1\\n2"], "1\n2\nend"],
    ["unicode_normalized", "say “hi” — now…", ['say "hi" -- now...', "bye"], "bye"],
    [
      "block_anchor",
      "f() {\n  const total = sum(list);\n}\n",
      ["f() {\n  const total = add(list);\n}", "g() {}"],
      "g() {}\n",
    ],
    ["context_aware", "alpha = 1\nbeta = 2\n", ["alpha = 1\ngamma delta", "x"], "x\n"],
  ])("%s", (strategy, content, [old, now], text) => {
    expect(replaced(content, old, now)).toEqual({ strategy, text });
  });

  test("the first strategy that finds anything decides: two places are an error, not another try", () => {
    expect(replaced("  a\n    a\n", "a ", "b").strategy).toBe("several");
    expect(replaced("a b a", "a", "c", true)).toEqual({ strategy: "exact", text: "c b c" });
    expect(replaced("aaa", "aa", "b", true)).toEqual({ strategy: "exact", text: "ba" });
  });

  test("nothing, the same, blank lines and what is not there change nothing", () => {
    expect(replaced("a", "", "b").strategy).toBe("empty");
    expect(replaced("a", "a", "a").strategy).toBe("same");
    expect(replaced("a\nb", "  \n ", "c").strategy).toBe("absent");
    expect(replaced("", "a", "b").strategy).toBe("absent");
  });

  test("quotes that were escaped once too often are refused", () => {
    expect(replaced("  x = 'a'\n  y = 1\n", "  x = \\'a\\'\n  y = 1", "  x = \\'b\\'\n  y = 1").strategy).toBe("drift");
  });

  test("what comes takes the indentation of the place, also further left than it began", () => {
    expect(replaced("\t\tif a:\n\t\t\tb\n", "    if a:\n    \tb", "    if a:\n    \tc\n  d\n\n    e").text).toBe(
      "\t\tif a:\n\t\t\tc\nd\n\n\t\te\n",
    );
  });

  test("an escape beside the character it stands for is meant as it is", () => {
    expect(replaced('\tprint("a")\n', '\tprint("a")', '\tprint("a\\tb")').text).toBe('\tprint("a\\tb")\n');
  });

  test("a file without a last line break gets none, and a text looked for with one takes one along", () => {
    expect(replaced("a\n  b", "a\nb\n", "c\n")).toEqual({ strategy: "line_trimmed", text: "c" });
    expect(replaced("  a\n  b\nc\n", "a\nb\n", "d\n")).toEqual({ strategy: "line_trimmed", text: "  d\nc\n" });
  });

  test("[FILE-06] a text with line breaks of one kind is found among those of another, and only the place changes", () => {
    expect(replaced("a\r\nb\nc\r\n", "a\nb", "x").text).toBe("x\nc\r\n");
    expect(replaced("a\r\nb\r\nc", "b", "x\ny").text).toBe("a\r\nx\r\ny\r\nc");
    expect(replaced("a\nb\r\nc\nd", "a\nb\nc", "A\nB\nC").text).toBe("A\nB\r\nC\nd");
    expect(replaced("a\r\nb\r\n", "a\r\n", "a\n").text).toBe("a\nb\r\n");
    expect(replaced("a\r\n  b\r\nc", "b", "").text).toBe("a\r\n  \r\nc");
  });

  const piece = fc.constantFrom("a", "bb", " ", "\t", "\n", "\r\n", "\r", "é", "“", "—", "\\n", "(", "😀");
  const some = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(""));

  test("[FILE-06] whatever is replaced, nothing outside of the place changes, and back again gives the file as it was", () => {
    fc.assert(
      fc.property(some, some, some, fc.constantFrom("NEW", "NEW\nNEW", ""), (head, old, tail, now) => {
        fc.pre(old.trim() !== "" && !(head + tail).includes("NEW"));
        expect(faultOf(head + old + tail, old, now)).toBeUndefined();
      }),
      { numRuns: 2_000 },
    );
  });

  test("no text takes long or ends in anything but an answer", () => {
    const any = fc.record({ old: fc.string(), now: fc.string(), all: fc.boolean() });
    fc.assert(
      fc.property(fc.string({ maxLength: 200 }), any, (content, replacement: Replacement) => {
        expect(fuzzyReplace(content, replacement).type).toMatch(/^(?:found|empty|same|absent|several|drift)$/u);
      }),
    );
    const many = `${"x".repeat(60)}\n`.repeat(3_000);
    expect(fuzzyReplace(many, { old: `${"y".repeat(60)}\n`.repeat(40), now: "", all: false }).type).toBe("absent");
  });
});

function faultOf(content: string, old: string, now: string): string | undefined {
  const found = replaceText(content, { old, now, all: false });
  if (found.type !== "found") return undefined;
  const [{ from, until, text } = { from: 0, until: 0, text: "" }] = found.edits;
  const after = edited(content, found.edits);
  if (!after.startsWith(content.slice(0, from)) || !after.endsWith(content.slice(until))) return "outside";
  const region = content.slice(from, until);
  // A line break that is gone cannot be told from the usual one of the file.
  if (now !== "NEW" || (content.includes("\r\n") && region.includes("\n"))) return undefined;
  return replaced(after, text, region).text === content ? undefined : "back";
}

test("[E9] a text that is like a thousand places of a file, and the same as none, is told so without minutes of comparing", () => {
  const lines = (count: number, line: (n: number) => string): string =>
    Array.from({ length: count }, (_, n) => line(n)).join("\n");
  const anchors = replaced("}\n".repeat(5_000), `}\n${lines(200, (n) => `line ${n} of it`)}\n}`, "x");
  expect(anchors.strategy).toBe("absent");
  const alike = replaced(
    lines(2_000, (n) => `${n} ${"abcdefgh ".repeat(20)}`),
    lines(200, (n) => `${n}x ${"hgfedcba ".repeat(20)}`),
    "x",
  );
  expect(alike.strategy).toBe("absent");
});
