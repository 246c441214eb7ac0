import { readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Agent, agent } from "../../src/index.ts";
import type { Message } from "../../src/protocol/message.ts";
import { textOf } from "../../src/protocol/message.ts";
import { INTRODUCTION, SHORT_INTRODUCTION } from "../../src/practice/answers.ts";
import { type PracticeServer, startPracticeServer } from "../../src/practice/server.ts";
import { builtInTools } from "../../src/tools/built-in.ts";
import { type Files, inFolder } from "../support/files-on-disk.ts";

let server: PracticeServer;
beforeAll(async () => {
  server = await startPracticeServer();
});
afterAll(() => server.close());

interface Talk {
  readonly cwd: string;
  readonly bot: Agent;
  readonly ask: (prompt: string) => Promise<{ answer: string; messages: readonly Message[] }>;
  readonly file: (name: string) => Promise<string>;
}

/** One session with the practice model and the real tools, in a folder with these files. */
const talking = (files: Files, use: (talk: Talk) => Promise<void>, approvals: "all" | "never" = "all"): Promise<void> =>
  inFolder(files, async (cwd) => {
    const tools = builtInTools({ cwd, home: join(cwd, "..", "nobody"), env: process.env });
    await using bot = agent({ baseUrl: server.baseUrl, model: "practice", provider: "practice", tools, approvals });
    await use({
      cwd,
      bot,
      ask: async (prompt) => {
        const { answer, messages, exit } = await bot.run(prompt, { sessionId: "s" });
        expect(exit.reason).toBe("text_response");
        return { answer: answer ?? "", messages };
      },
      file: (name) => readFile(join(cwd, name), "utf8"),
    });
  });

const assistantTexts = (messages: readonly Message[]): string[] =>
  messages.flatMap((message) => (message.role === "assistant" && textOf(message) !== "" ? [textOf(message)] : []));

test("[X2] an edit shows its diff before the file is written, and keeps every other byte", async () => {
  const notes = "# Tea\n\nOolnog is fine.\nGreen tea.\nMore Oolnog";
  await talking(new Map([["menu.md", notes]]), async ({ ask, file }) => {
    const { answer, messages } = await ask('replace "Oolnog" with "Oolong" in menu.md');
    expect(await file("menu.md")).toBe(notes.replaceAll("Oolnog", "Oolong"));
    const [before = ""] = assistantTexts(messages);
    expect(before.startsWith(INTRODUCTION)).toBe(true);
    expect(before).toContain("@@ -3 +3 @@\n-Oolnog is fine.\n+Oolong is fine.");
    expect(answer.split("\n")[0]).toBe(SHORT_INTRODUCTION);
    expect(answer).toContain("In `menu.md`, “Oolnog” becomes “Oolong” in 2 lines.");
    expect((await ask('add the line "End." to it')).answer).not.toContain("not a language model");
    expect(await file("menu.md")).toBe(`${notes.replaceAll("Oolnog", "Oolong")}\nEnd.\n`);
  });
});

test("[X2] a file that cannot be written again byte for byte is left alone", async () => {
  const files = new Map([
    ["crlf.txt", "a\r\nb\r\n"],
    ["bom.txt", "\uFEFFa\n"],
    ["long.txt", `a ${"x".repeat(5_000)}\n`],
  ]);
  await talking(files, async ({ ask, file, cwd }) => {
    await writeFile(join(cwd, "latin.txt"), Buffer.from("a caf\u00E9\n", "latin1"));
    for (const [name, text] of files) {
      expect((await ask(`replace a with b in ${name}`)).answer, name).toContain("byte for byte");
      expect(await file(name)).toBe(text);
    }
    expect((await ask("replace a with b in latin.txt")).answer).toContain("byte for byte");
    expect((await ask("replace zebra with b in crlf.txt")).answer).toContain("byte for byte");
  });
});

test("[X2] what is not there to be replaced changes nothing", async () => {
  await talking(new Map([["a.txt", "one\n"]]), async ({ ask, file }) => {
    expect((await ask("replace two with three in a.txt")).answer).toContain("No line of `a.txt` holds `two`");
    expect((await ask("replace one with three in b.txt")).answer).toContain("no file named `b.txt`");
    expect(await file("a.txt")).toBe("one\n");
  });
});

test("[X2] [E10] the project's own check runs once somebody has allowed it, and what it says is told", async () => {
  const files = new Map([
    ["check.sh", "grep -q good a.txt && echo fine\n"],
    ["a.txt", "bad\n"],
  ]);
  await talking(files, async ({ ask }) => {
    expect((await ask("run the check")).answer).toContain("The check did not pass (`sh check.sh`)");
    const both = await ask("replace bad with good in a.txt, then run the check");
    expect(both.answer).toContain("The check passed (`sh check.sh`):");
    expect(both.answer).toContain("fine");
  });
  await talking(
    files,
    async ({ ask }) =>
      expect((await ask("run the check")).answer).toMatch(/The check did not run.*needs a person's approval/su),
    "never",
  );
  const npm = new Map([["package.json", '{"scripts":{"test":"node --test"}}']]);
  await talking(npm, async ({ ask }) => expect((await ask("run the tests")).answer).toContain("`npm test`"), "never");
  await talking(new Map(), async ({ ask }) => expect((await ask("run the tests")).answer).toContain("no check here"));
});

test("[X2] what is asked behind a change is looked up anew", async () => {
  await talking(new Map([["a.txt", "x\nx\n"]]), async ({ ask }) => {
    const { answer } = await ask('how often does "x" appear? replace x with y in a.txt. how often does "y" appear?');
    expect(answer).toContain("`x` appears 2 times");
    expect(answer).toContain("`y` appears 2 times");
  });
});

test("[X2] [A6] the todo list is kept by the real tool, item by item", async () => {
  await talking(new Map(), async ({ ask }) => {
    expect((await ask("add buy milk to my todo list")).answer).toContain("Todo, 0 of 1 done:\n- [ ] 1. buy milk");
    expect((await ask("todo: call Ann. todo: sleep")).answer).toContain("- [ ] 3. sleep");
    expect((await ask("mark call ann as done")).answer).toContain("- [x] 2. call Ann");
    expect((await ask("mark 1 as done")).answer).toContain("Todo, 2 of 3 done");
    expect((await ask("what's on my todo list?")).answer).toContain("- [ ] 3. sleep");
    expect((await ask("mark 9 as done")).answer).toContain("no todo like “9”");
    expect((await ask("clear the todo list")).answer).toContain("The todo list is empty.");
  });
});

test("[X2] a fact is remembered as long as the session lasts, and no longer", async () => {
  await talking(new Map(), async ({ ask, bot }) => {
    expect((await ask("what did I tell you?")).answer).toContain("asked me to remember nothing");
    expect((await ask("remember that the deadline is Friday")).answer).toContain("the deadline is Friday");
    await ask("请记住：我叫小明");
    for (let at = 0; at < 10; at++) await ask("how many files are there?");
    const { answer } = await ask("what did I tell you?");
    expect(answer).toContain("- the deadline is Friday\n- 我叫小明");
    expect((await ask("what did I tell you about the deadline?")).answer).not.toContain("小明");
    const other = await bot.run("what did I tell you?", { sessionId: "another" });
    expect(other.answer).toContain("remember nothing");
  });
});

test("[X2] a change that the tool refuses is told in its own words", async () => {
  await inFolder(new Map([["out.txt", "one\n"]]), (outside) =>
    talking(new Map(), async ({ ask, cwd }) => {
      await symlink(join(outside, "out.txt"), join(cwd, "link.txt"));
      const { answer } = await ask("replace one with two in link.txt");
      expect(answer).toContain("I could not read `link.txt`.");
      expect(answer).toContain("The tool says: link.txt leads through a link");
      expect(await readFile(join(outside, "out.txt"), "utf8")).toBe("one\n");
    }),
  );
});
