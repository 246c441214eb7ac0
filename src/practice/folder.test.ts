import { plural } from "../protocol/plural.ts";
import fc from "fast-check";
import { readdir, readFile, rm, utimes } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Files, inFolder, onDisk } from "../../test/support/files-on-disk.ts";
import type { ToolCallPart } from "../protocol/message.ts";
import type { ToolPort } from "../protocol/ports.ts";
import { readFileTool } from "../tools/files/read-file.ts";
import { searchFilesTool } from "../tools/files/search-files.ts";
import { createToolbox, type Toolbox } from "../tools/toolbox.ts";
import { writeFileTool } from "../tools/files/write-file.ts";
import { INTRODUCTION } from "./answers.ts";
import { startPracticeServer, type PracticeServer } from "./server.ts";

let server: PracticeServer;
beforeAll(async () => {
  server = await startPracticeServer();
});
afterAll(() => server.close());

interface WireCall {
  readonly id: string;
  readonly function: { readonly name: string; readonly arguments: string };
}
interface WireMessage {
  readonly role: string;
  readonly content: string | null;
  readonly tool_calls?: readonly WireCall[];
  readonly tool_call_id?: string;
}

const post = (body: unknown): Promise<Response> =>
  fetch(`${server.baseUrl}/chat/completions`, {
    method: "POST",
    body: typeof body === "string" ? body : JSON.stringify(body),
  });

const toolsOf = (box: Toolbox): object[] => box.specs.map((spec) => ({ type: "function", function: spec }));

async function runCall(port: ToolPort, wire: WireCall): Promise<string> {
  const call: ToolCallPart = {
    type: "tool-call",
    callId: wire.id,
    name: wire.function.name,
    input: wire.function.arguments,
  };
  await port.ready?.();
  const inspection = port.inspect(call);
  if (inspection.refuse !== undefined) return inspection.refuse;
  try {
    const { text } = await port.run(call, {
      callId: wire.id,
      sessionId: "s",
      history: [],
      signal: new AbortController().signal,
      output: () => {},
    });
    return text;
  } catch (error) {
    return (error as Error).message;
  }
}

class Talk {
  readonly messages: WireMessage[] = [];
  readonly batches: number[] = [];
  readonly #box: Toolbox;

  constructor(cwd: string) {
    const place = { cwd, home: join(cwd, "..", "nobody"), guarded: [] };
    this.#box = createToolbox([readFileTool(place), searchFilesTool(place), writeFileTool(place)]);
  }

  async ask(content: string): Promise<string> {
    this.messages.push({ role: "user", content });
    for (let rounds = 0; rounds < 30; rounds += 1) {
      const response = await post({ model: "practice", messages: this.messages, tools: toolsOf(this.#box) });
      if (response.status !== 200) throw new Error(await response.text());
      const { choices } = (await response.json()) as { choices: [{ message: WireMessage }] };
      const [{ message }] = choices;
      this.messages.push(message);
      if (message.tool_calls === undefined) return message.content ?? "";
      this.batches.push(message.tool_calls.length);
      for (const call of message.tool_calls) {
        this.messages.push({ role: "tool", tool_call_id: call.id, content: await runCall(this.#box.port, call) });
      }
    }
    throw new Error("no answer after 30 rounds");
  }
}

const shown = (path: string): string => (path.includes("`") ? `"${path}"` : `\`${path}\``);

const name = fc
  .stringMatching(/^[a-zA-Z0-9_ äß日本語.$&+,;=@~{}[\]()'!^#-]{1,14}$/u)
  .filter(
    (text) =>
      text.trim() === text &&
      !/^\.+$/u.test(text) &&
      !/^(?:node_modules|\.git)$/iu.test(text) &&
      !/\.(?:pem|key)$/iu.test(text),
  );
const ending = fc.constantFrom(".md", ".ts", ".txt", ".json", "", ".tar.gz");
const path = fc
  .tuple(fc.array(name, { maxLength: 5 }), name, ending)
  .map(([folders, base, end]) => [...folders.map((folder) => `${folder}.d`), base + end].join("/"));
const folder = fc.uniqueArray(fc.tuple(path, fc.integer({ min: 0, max: 60 })), {
  maxLength: 25,
  selector: ([key]) => key.toLowerCase(),
});

const filesOf = (entries: readonly (readonly [string, number])[]): Files =>
  new Map(entries.map(([key, size]) => [key, "x\n".repeat(size)]));

const LARGEST = [
  "Which of these files takes the most space?",
  "biggest file in the folder please",
  "Could you tell me which document is the heaviest?",
  "这里最大的文件是哪个？",
];
const HOW_MANY = [
  "Can you tell me how many files we have here?",
  "number of files in this project",
  "please count all files",
  "这里一共有多少个文件？",
];

test("[X2] the largest file and the number of files are what the file system says, in any folder and any words", async () => {
  await fc.assert(
    fc.asyncProperty(
      folder,
      fc.constantFrom(...LARGEST),
      fc.constantFrom(...HOW_MANY),
      async (entries, largest, howMany) => {
        await inFolder(filesOf(entries), async (cwd) => {
          const files = await onDisk(cwd);
          const most = Math.max(...files.map(({ size }) => size));
          const talk = new Talk(cwd);
          const answer = await talk.ask(largest);
          expect(answer).toContain(files.length === 0 ? "no files" : `${most} byte`);
          for (const file of files) expect.soft(answer.includes(shown(file.path)), file.path).toBe(file.size === most);
          const count = await talk.ask(howMany);
          expect(count).toMatch(
            files.length === 0 ? /There are no files/u : new RegExp(`There (?:is|are) ${files.length} files?\\b`, "u"),
          );
        });
      },
    ),
    { numRuns: 40 },
  );
});

test("[X2] many files, deep folders and more than a megabyte change nothing", async () => {
  const files = new Map<string, string>();
  for (let at = 0; at < 620; at += 1)
    files.set(`part ${at % 7}/n${at}.${at % 3 === 0 ? "md" : "ts"}`, "a".repeat(at + 1));
  files.set(`${"deep/".repeat(30)}bottom.log`, `${"word ".repeat(300_000)}\nneedle-in-depth\n`);
  await inFolder(files, async (cwd) => {
    const talk = new Talk(cwd);
    expect(await talk.ask("Largest file?")).toContain(`${shown(`${"deep/".repeat(30)}bottom.log`)} (1500017 bytes)`);
    expect(await talk.ask("Number of files?")).toContain("There are 621 files");
    expect(await talk.ask("And the smallest one?")).toContain(`${shown("part 0/n0.md")} (1 byte)`);
    expect(await talk.ask("How many markdown documents exist?")).toContain("There are 207 markdown files");
    expect(await talk.ask('How many .ts files are there in "part 1"?')).toContain("There are 60 .ts files");
    expect(await talk.ask("locate needle-in-depth")).toContain(`bottom.log:2`);
    expect(await talk.ask("How many lines are there in bottom.log?")).toContain("has 2 lines");
  });
});

test("[X2] equal sizes are all named", async () => {
  const files = new Map<string, string>(Array.from({ length: 45 }, (_, at) => [`same${at}.txt`, "12345"]));
  await inFolder(files.set("less.txt", "1"), async (cwd) => {
    const answer = await new Talk(cwd).ask("Name the biggest file");
    expect(answer).toContain("45 files");
    for (let at = 0; at < 45; at += 1) expect(answer).toContain(`\`same${at}.txt\``);
    expect(answer).not.toContain("less.txt");
  });
});

const WHERE = [
  "Where is @?",
  "search for @",
  "Who mentions @?",
  "find @ please",
  "Which files contain @?",
  "Where's @ used in the code?",
  "哪里有 @",
];

test("[X2] a search names every file and line that holds the text", async () => {
  const word = fc.stringMatching(/^[a-z]{3}[A-Z][a-z0-9_]{4,9}$/u).map((text) => `q${text}`);
  const noise = fc.array(fc.constantFrom("alpha", "beta gamma", "", "  delta", "it's"), { maxLength: 12 });
  const texts = fc.uniqueArray(fc.tuple(path, noise, fc.boolean()), {
    minLength: 1,
    maxLength: 12,
    selector: ([key]) => key.toLowerCase(),
  });
  await fc.assert(
    fc.asyncProperty(word, texts, fc.constantFrom(...WHERE), async (needle, entries, question) => {
      const files = new Map(
        entries.map(([key, lines, has]) => [key, [...lines, has ? `a ${needle}(b)` : "", "end"].join("\n")]),
      );
      await inFolder(files, async (cwd) => {
        const answer = await new Talk(cwd).ask(question.replace("@", needle));
        for (const { path: file } of await onDisk(cwd)) {
          const line =
            (await readFile(join(cwd, file), "utf8")).split("\n").findIndex((text) => text.includes(needle)) + 1;
          expect.soft(answer.includes(shown(`${file}:${line}`)), `${file}:${line}`).toBe(line > 0);
        }
      });
    }),
    { numRuns: 40 },
  );
});

const OUTLINE = [
  "Outline @",
  "show me the headings of @",
  "what sections are in @?",
  "give me the structure of @",
  "@ 的大纲",
];

test("[X2] an outline names the headings that are there, with their lines", async () => {
  const title = fc.stringMatching(/^[A-Z][a-z]{2,8}( [a-z]{2,6})?$/u);
  const section = fc.tuple(
    fc.integer({ min: 1, max: 6 }),
    title,
    fc.array(fc.constantFrom("text", "", "#no heading", "```\n# code\n```"), { maxLength: 4 }),
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(section, { minLength: 1, maxLength: 8 }),
      name,
      fc.constantFrom(...OUTLINE),
      async (sections, base, question) => {
        const text = sections
          .map(([depth, words, body]) => [`${"#".repeat(depth)} ${words}`, ...body].join("\n"))
          .join("\n");
        await inFolder(
          new Map([
            [`notes/${base}.md`, text],
            ["other.txt", "x"],
          ]),
          async (cwd) => {
            const answer = await new Talk(cwd).ask(question.replace("@", () => `"${base}.md"`));
            let line = 1;
            for (const [, words, body] of sections) {
              expect.soft(answer).toContain(`- ${words} (line ${line})`);
              line += 1 + body.join("\n").split("\n").length - (body.length === 0 ? 1 : 0);
            }
            expect(answer).toContain(`, ${plural(sections.length, "heading")}:`);
            expect(answer).not.toContain("code (line");
          },
        );
      },
    ),
    { numRuns: 30 },
  );
});

test("[X2] several questions in one message are looked up together and all answered", async () => {
  await inFolder(
    new Map([
      ["a.py", "import os\n\ndef first():\n    pass\n\nclass Second:\n    def third(self): ...\n"],
      ["b.json", '{"k":[1,2],"z":{}}'],
    ]),
    async (cwd) => {
      const talk = new Talk(cwd);
      const answer = await talk.ask(
        "How many files are here, which is the biggest, and what is in b.json? Also outline a.py.",
      );
      expect(talk.batches[0]).toBeGreaterThan(2);
      for (const part of [
        "There are 2 files",
        "largest file is `a.py`",
        '{"k":[1,2]',
        "def first (line 3)",
        "class Second (line 6)",
      ])
        expect(answer).toContain(part);
      expect(await talk.ask("and b.json?")).toContain("k: list of 2");
      expect(await talk.ask("Find the smallest file and count its lines")).toContain("`b.json`");
      expect(await talk.ask("how many lines does it have?")).toContain("`b.json` has 1 line");
    },
  );
});

test("[X2] newest and oldest follow the clock of the file system", async () => {
  await inFolder(
    new Map([
      ["one", "1"],
      ["two words", "22"],
      ["three.md", "333"],
    ]),
    async (cwd) => {
      await utimes(join(cwd, "two words"), 2_000_000_000, 2_000_000_000);
      await utimes(join(cwd, "one"), 1_000_000_000, 1_000_000_000);
      const talk = new Talk(cwd);
      expect(await talk.ask("What changed most recently? I mean: which is the newest file?")).toContain(
        "newest file is `two words`",
      );
      expect(await talk.ask("and the oldest?")).toContain("oldest file is `one`");
    },
  );
});

test("[X2] folders, kinds, an overview, and what was not looked into only where there is such a folder", async () => {
  const files = new Map([
    ["README.md", "# Title\n\n## Part\n"],
    ["lib/deep/a.py", "# FIXME\n"],
    ["lib/b.ts", "// FIXME FIXME\n"],
    [".git/config", ""],
  ]);
  await inFolder(files, async (cwd) => {
    const talk = new Talk(cwd);
    const folders = await talk.ask("Which directories do we have?");
    expect(folders).toContain("There are 3 folders; these hold files:\n- `lib`\n- `lib/deep`\n");
    expect(folders).toContain("not looked into: .git.");
    expect(await talk.ask("what subfolders are in lib?")).toContain("- `lib/deep`");
    expect(await talk.ask("is there any python script?")).toContain("`lib/deep/a.py`");
    const found = await talk.ask("search for FIXME in python files");
    expect(found).toContain("`lib/deep/a.py:1`");
    expect(found).not.toContain("b.ts");
    expect(await talk.ask("count every FIXME")).toContain("appears 3 times");
    const overview = await talk.ask("Give me an overview of this project");
    for (const part of ["3 files", "1 .py", "1 .ts", "Outline of `README.md`", "Part (line 3)"])
      expect(overview).toContain(part);
    await rm(join(cwd, ".git"), { recursive: true });
    expect(await talk.ask("how many files are there now?")).not.toContain("looked into");
  });
});

test("[X2] it says first what it is, and only once", async () => {
  await inFolder(new Map(), async (cwd) => {
    const talk = new Talk(cwd);
    const [first] = (await talk.ask("compose a sonnet about rivers")).split("\n");
    expect(first).toBe(INTRODUCTION.split("\n")[0]);
    expect(first).toMatch(/not a language model/u);
    expect(talk.messages.at(-1)?.content).toContain("I did not understand `compose a sonnet about rivers`");
    expect(await talk.ask("hello again, list everything as files")).not.toContain(INTRODUCTION);
  });
});

test("[X2] a missing file, a denied command and a missing tool are said plainly", async () => {
  await inFolder(new Map([["a.txt", "one\n"]]), async (cwd) => {
    const talk = new Talk(cwd);
    expect(await talk.ask("read nothing-like-it.txt")).toContain("no file named `nothing-like-it.txt`");
    expect(await talk.ask("read a.txt lines 7-9")).toMatch(/only 1 line/u);
    expect(await talk.ask("how many files are in the folder absent?")).toContain("could not list the files");
    expect(await talk.ask("run uptime")).toContain("tool terminal");
    expect(await talk.ask('write "two words" to new/b.txt')).toContain("new/b.txt");
    expect(await readFile(join(cwd, "new/b.txt"), "utf8")).toBe("two words");
  });
});

test("[X2] no message that a test or the README uses stands in the source", async () => {
  const here = import.meta.dirname;
  const names = await readdir(here);
  const read = (file: string): Promise<string> => readFile(join(here, file), "utf8");
  const source = (await Promise.all(names.filter((file) => /(?<!\.test)\.ts$/u.test(file)).map(read)))
    .join("\n")
    .toLowerCase();
  const tests = (await Promise.all(names.filter((file) => file.endsWith(".test.ts")).map(read))).join("\n");
  const readme = await readFile(join(here, "../../README.md"), "utf8").catch(() => "");
  const prompts = [
    ...[...tests.matchAll(/(?:ask|intents?Of)\(\s*"((?:[^"\\]|\\.)*)"/gu)].map((match) => match[1] ?? ""),
    ...[...tests.matchAll(/^\s*\[?["']((?:[^"'\\]|\\.){12,})["'],/gmu)].map((match) => match[1] ?? ""),
    ...[...readme.matchAll(/-p\s+(?:"([^"]+)"|'([^']+)')/gu)].map((match) => match[1] ?? match[2] ?? ""),
    ...LARGEST,
    ...HOW_MANY,
    ...[...WHERE, ...OUTLINE].filter((question) => question.length > 12).map((question) => question.replace("@", "")),
  ];
  expect(prompts.length).toBeGreaterThan(70);
  const found = prompts
    .map((prompt) => prompt.toLowerCase().trim())
    .filter((prompt) => prompt.length > 3 && source.includes(prompt));
  expect(found).toEqual([]);
});
