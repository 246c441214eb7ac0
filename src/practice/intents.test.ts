import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readIntents, type Intent } from "./intents.ts";
import { workMs } from "../../test/support/work.ts";

const rank = (by: "size" | "time", end: "most" | "least", count = 1, scope = {}): Intent => ({
  type: "rank",
  by,
  end,
  count,
  scope,
});
const named = (...names: string[]): { type: "named"; names: string[] } => ({ type: "named", names });
const count = (scope = {}): Intent => ({ type: "count", what: "files", scope });
const search = (text: string, where: "anywhere" | "text" | "names" = "anywhere", scope = {}): Intent => ({
  type: "search",
  text,
  where,
  scope,
});
const start = { type: "start" } as const;
const md = { kind: { label: "markdown", extensions: ["md", "markdown"] } };
const ts = { kind: { label: ".ts", extensions: ["ts"] } };

const TYPESCRIPT = { label: "typescript", extensions: ["ts", "tsx", "mts", "cts"] };

const CASES: readonly (readonly [string, ...Intent[]])[] = [
  ["I wonder which document is the bulkiest in the whole project", rank("size", "most")],
  ["Could you please tell me what the tiniest file is?", rank("size", "least")],
  ["top 3 biggest files in src/lib", rank("size", "most", 3, { folder: "src/lib" })],
  ["what was most recently modified", rank("time", "most")],
  ["Sort files by date", rank("time", "most", 10)],
  ["最旧的文件是哪个？", rank("time", "least")],
  ["How many markdown files live in the docs folder?", count({ folder: "docs", ...md })],
  ["number of *.ts files", count(ts)],
  ["docs 里有多少个文件", count({ folder: "docs" })],
  ["how many directories do I have", { type: "count", what: "folders", scope: {} }],
  ["how many lines of code are in src/a.ts", { type: "count-lines", target: named("src/a.ts") }],
  [
    "how long is the newest file",
    { type: "count-lines", target: { type: "ranked", rank: { ...rank("time", "most"), count: 1 } as never } },
  ],
  [
    "how often does teapot occur in kitchen.txt",
    { type: "count-text", text: "teapot", scope: { name: "kitchen.txt" } },
  ],
  ['count the occurrences of "two words"', { type: "count-text", text: "two words", scope: {} }],
  ["how many documents contain teapot", { type: "count-text", text: "teapot", scope: {} }],
  ["how big is logo.png", { type: "size", target: named("logo.png") }],
  ["display the file LICENSE", { type: "read", target: named("LICENSE", "the file LICENSE"), lines: start }],
  [
    "show me lines 12 to 20 of src/a.ts",
    { type: "read", target: named("src/a.ts"), lines: { type: "span", from: 12, to: 20 } },
  ],
  ["last three lines of log.txt", { type: "read", target: named("log.txt"), lines: { type: "last", count: 3 } }],
  ["what does 'my diary.md' say?", { type: "read", target: named("my diary.md"), lines: start }],
  ["Which functions are defined in tool.py?", { type: "outline", target: named("tool.py") }],
  [
    "summarise guide.md and intro.md",
    { type: "outline", target: named("guide.md") },
    { type: "outline", target: named("intro.md") },
  ],
  ["search for salt and vinegar", search("salt and vinegar")],
  ["search for fooBar and bazQux", search("fooBar"), search("bazQux")],
  ["where is the class Parser defined?", search("Parser")],
  ["which documents talk about zebras in docs", search("zebras", "text", { folder: "docs" })],
  ["do we have a file called setup.cfg?", search("setup.cfg", "names")],
  ['look for "how many files"', search("how many files")],
  ["哪里有 foo", search("foo", "text")],
  ["get all files whose name contains draft", { type: "list", scope: { name: "*draft*" } }],
  ["find *.ts in src", { type: "list", scope: { folder: "src", ...ts } }],
  ["what is in this directory", { type: "list", scope: {} }],
  ["run git log; git status", { type: "run", command: "git log; git status" }],
  ['execute `echo "a and b"` and show me the output', { type: "run", command: 'echo "a and b"' }],
  ["save 'a b' to notes/x.md", { type: "write", path: "notes/x.md", content: "a b" }],
  [
    "count the lines of x.ts and print its last two lines",
    { type: "count-lines", target: named("x.ts") },
    { type: "read", target: { type: "it" }, lines: { type: "last", count: 2 } },
  ],
  ["Please describe this project.", { type: "overview" }],
  ["what's our repo about?", { type: "overview" }],
  ["which directories are in lib?", { type: "list-folders", scope: { folder: "lib" } }],
  ["is there a TypeScript file in lib?", { type: "list", scope: { folder: "lib", kind: TYPESCRIPT } }],
  ["有 TypeScript 文件吗？", { type: "list", scope: { kind: TYPESCRIPT } }],
  ["find FIXME in all TypeScript files", search("FIXME", "text", { kind: TYPESCRIPT })],
  ["how often is teapot used in markdown documents", { type: "count-text", text: "teapot", scope: md }],
  ["count FIXME", { type: "count-text", text: "FIXME", scope: {} }],
  ["How many FIXMEs are there in lib?", { type: "count-text", text: "FIXME", scope: { folder: "lib" } }],
  ["how many teapots are there", { type: "unknown", text: "how many teapots are there" }],
  ["git log --oneline -3", { type: "run", command: "git log --oneline -3" }],
  ["how big is our whole repo?", count()],
  ["show files by size in lib", rank("size", "most", 10, { folder: "lib" })],
  ["sort my files by date, ascending", rank("time", "least", 10)],
  ["run echo longest", { type: "run", command: "echo longest" }],
  ["git is hard", { type: "unknown", text: "git is hard" }],
  [
    "which files were edited yesterday in lib?",
    { ...rank("time", "most", 10, { folder: "lib" }), period: "yesterday" } as Intent,
  ],
  ["hello", { type: "help" }],
  [
    'Replace "colour" with "color" in notes.md, then run the check.',
    { type: "edit", target: named("notes.md"), edit: { do: "replace", from: "colour", to: "color" } },
    { type: "check" },
  ],
  [
    "in a.txt change foo to bar",
    { type: "edit", target: named("a.txt"), edit: { do: "replace", from: "foo", to: "bar" } },
  ],
  [
    "把 a.txt 里的“甲”改成“乙”",
    { type: "edit", target: named("a.txt"), edit: { do: "replace", from: "甲", to: "乙" } },
  ],
  [
    'add the line "buy milk" to shop.txt',
    { type: "edit", target: named("shop.txt"), edit: { do: "append", text: "buy milk" } },
  ],
  ["append the end to shop.txt", { type: "edit", target: named("shop.txt"), edit: { do: "append", text: "the end" } }],
  [
    "rename foo to baz in a.ts",
    { type: "edit", target: named("a.ts"), edit: { do: "replace", from: "foo", to: "baz" } },
  ],
  ["run make all and show me the output", { type: "run", command: "make all" }],
  ["what's left on our todo list", { type: "todo", ask: { do: "show" } }],
  ["run all the tests", { type: "check" }],
  ["运行测试", { type: "check" }],
  ["add buy milk and bread to my todo list", { type: "todo", ask: { do: "add", content: "buy milk and bread" } }],
  ["todo: call Ann", { type: "todo", ask: { do: "add", content: "call Ann" } }],
  ["what's on my to-do list?", { type: "todo", ask: { do: "show" } }],
  ["mark 2 as done", { type: "todo", ask: { do: "finish", which: "2" } }],
  ["clear the todo list", { type: "todo", ask: { do: "clear" } }],
  ["把买牛奶加到待办", { type: "todo", ask: { do: "add", content: "买牛奶" } }],
  ["how many TODOs are there", { type: "count-text", text: "TODO", scope: {} }],
  [
    "please remember that the deadline is Friday and that Ann decides",
    { type: "remember", fact: "the deadline is Friday and that Ann decides" },
  ],
  ["What did I tell you about the deadline?", { type: "recall", about: "the deadline" }],
  ["what did I tell you?", { type: "recall" }],
  ["what is my name", { type: "recall", about: "name" }],
  ["请记住：我叫小明", { type: "remember", fact: "我叫小明" }],
  ["What is the latest version of Python?", { type: "unknown", text: "What is the latest version of Python" }],
  ["how many empty files exist?", { type: "unknown", text: "how many empty files exist" }],
  [
    "how many files are in docs and which one is the oldest?",
    count({ folder: "docs" }),
    rank("time", "least", 1, { folder: "docs" }),
  ],
  [
    "Take a look at my folder. Find the largest file, outline it and tell me its size.",
    rank("size", "most"),
    { type: "outline", target: { type: "it" } },
    { type: "size", target: { type: "it" } },
  ],
  ["Count the files. Write a limerick!", count(), { type: "unknown", text: "Write a limerick" }],
];

describe("[X2] questions in many words", () => {
  test.each(CASES.map(([question, ...intents]) => ({ question, intents })))("$question", ({ question, intents }) => {
    expect(readIntents(question)).toEqual(intents);
  });
});

test.each([
  "which of the files has the most lines?",
  "read the shortest document",
  "哪个文件最长？",
  "which folder is the biggest one",
  "any files bigger than 3 MB?",
  "how many words has a.md?",
  "run the linter",
  "find unused directories",
  "count lines in every file",
  "how many lines of code does the whole project have?",
])("[X2] out of reach is said, and nothing else is answered instead: %s", (question) => {
  expect(readIntents(question)).toEqual([{ type: "beyond", why: expect.stringContaining("I can") }]);
});

const CHAIN: readonly (readonly [string, Intent])[] = [
  ["the heaviest file in src?", rank("size", "most", 1, { folder: "src" })],
  ["and the lightest?", rank("size", "least", 1, { folder: "src" })],
  ["what about docs?", { type: "unknown", text: "what about docs" }],
  ["how many lines does it have?", { type: "count-lines", target: { type: "it" } }],
  ["and b.md", { type: "count-lines", target: named("b.md") }],
  ["who mentions foo?", search("foo", "text")],
  ["and bar?", search("bar", "text")],
  ["continue", search("bar", "text")],
];

test("[X2] a message that goes on with the one before is read in its light", () => {
  let previous: Intent[] = [];
  for (const [question, intent] of CHAIN) {
    const read = readIntents(question, previous);
    expect({ question, read }).toEqual({ question, read: [intent] });
    previous = read;
  }
});

test("[X2] no text is too strange to be read, and none takes long", () => {
  const word = fc.constantFrom(
    "in ",
    "the ",
    "how many ",
    "files ",
    '"',
    "`",
    "'a ",
    "?",
    ". ",
    "的",
    "文件",
    "\n",
    "  ",
    "and ",
    "write ",
    " to ",
    "a.b ",
    "*",
    "\uE000",
    "\uD800",
    "lines 1 ",
  );
  const text = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.array(word, { maxLength: 60 }).map((words) => words.join("")),
    fc.tuple(word, word).map(([a, b]) => a + b.repeat(4_000)),
  );
  fc.assert(
    fc.property(text, text, (before, question) => {
      const took = workMs(() => expect(readIntents(question, readIntents(before)).length).toBeGreaterThan(0));
      // Ordinary messages take less than a millisecond; this only catches patterns whose time explodes.
      expect(took).toBeLessThan(5_000);
    }),
    { numRuns: 200 },
  );
});

test("[X2] what asks for thought is not taken for a line to be added", () => {
  for (const wish of ["add error handling to a.ts", "add tests to the file b.ts"])
    expect(readIntents(wish).map(({ type }) => type)).not.toContain("edit");
});
