import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { parseQuery, sanitiseQuery, signsMatch, wordsMatch } from "./search-query.ts";

test.each([
  ["hello world", "hello world"],
  ['"exact phrase" OR chat-send', '"exact phrase" OR "chat-send"'],
  ['un"balanced', "un balanced"],
  ['"one" two" three', '"one" two  three'],
  ["my_app-config.test.ts", '"my_app-config.test.ts"'],
  ["__init__", '"__init__"'],
  ["a- -b c.", "a- -b c."],
  ["***x***", "x*"],
  ["* *x y *", "x y"],
  ["(a) {b} ^c +d e:f", "a   b   c  d e f"],
  ["hello AND", "hello"],
  ["and hello or", "hello"],
  ["NOT NOT x", "NOT x"],
  ["AND", ""],
  ["ORacle android notes", "ORacle android notes"],
  ["a AND b OR c NOT d", "a AND b OR c NOT d"],
  ['NOT "not x" AND', '"not x"'],
  ['"a AND" b', '"a AND" b'],
  ["你好-世界 错误", '"你好-世界" 错误'],
  ["naïve.parser ქართული", '"naïve.parser" ქართული'],
  ['""', '""'],
  ["\0Q0\0", "Q0"],
])("[G1] %j is searched as %j", (query, sanitised) => {
  expect(sanitiseQuery(query)).toBe(sanitised);
});

const matchOf = (query: string): unknown[] => parseQuery(query).map((each) => [wordsMatch(each), signsMatch(each)]);

test.each([
  ["a b", [['("a" AND "b")', undefined]]],
  [
    "a OR b c",
    [
      ['("a")', undefined],
      ['("b" AND "c")', undefined],
    ],
  ],
  ["a NOT b c AND d*", [['("a" AND "d" *) NOT ("b" AND "c")', undefined]]],
  [
    "a AND OR b NOT",
    [
      ['("a")', undefined],
      ['("b")', undefined],
    ],
  ],
  ["错误信息", [[undefined, '"错误" AND "误信" AND "信息"']]],
  ["错 config", [['("config")', '"错"']]],
  ["it's 100%", [['("it s" AND "100")', undefined]]],
  ["🎉", [[undefined, '"🎉"']]],
  ["OR", []],
  ["", []],
])("[G1] %j is asked of the indexes as %j", (query, asked) => {
  expect(matchOf(query)).toEqual(asked);
});

test("[G1] whatever is typed, FTS5 reads what is asked of it", () => {
  const db = new DatabaseSync(":memory:");
  onTestFinished(() => db.close());
  db.exec("create virtual table t using fts5(text, tokenize='unicode61'); insert into t values('and or not')");
  const find = db.prepare("select rowid from t where t match ?");
  const pieces = fc.constantFrom(
    ..."\" * ** ( ) : ^ - + { } . _ ' , ; \\ \0 % # @ AND OR NOT NEAR( NEAR(a,2) text: text:a a b1 中 中文字 错 é ñ 🎉 👩‍👩‍👧 and not".split(
      " ",
    ),
    " ",
    "\t",
    "\uD800",
    "\u200b",
  );
  const query = fc.oneof(
    fc.array(pieces, { maxLength: 10 }).map((parts) => parts.join("")),
    fc.array(pieces, { maxLength: 8 }).map((parts) => parts.join(" ")),
    fc.string({ unit: "binary", maxLength: 40 }),
  );
  fc.assert(
    fc.property(query, (text) => {
      for (const alternative of parseQuery(text))
        for (const match of [wordsMatch(alternative), signsMatch(alternative)])
          expect(match === undefined ? [] : find.all(match)).toBeInstanceOf(Array);
    }),
    { numRuns: 10_000 },
  );
});
