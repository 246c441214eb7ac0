import { chmod, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openNotes } from "../../src/notes.ts";
import type { Author, NoteBook, NoteFile } from "../../src/protocol/memory.ts";
import { fakeProvider } from "../support/fake-provider.ts";
import { ProgramWorld, type Ran } from "../support/program.ts";
import { say } from "../support/wire-script.ts";

const NOWHERE = "http://127.0.0.1:9/v1";
const PERSON: Author = { by: "person" };

const bookOf = (world: ProgramWorld): NoteBook => openNotes({ data: join(world.folder, "state") });
const pathOf = (world: ProgramWorld, name: string): string => join(world.folder, "state/memory", name);

async function put(world: ProgramWorld, name: string, text: string | Buffer): Promise<string> {
  await mkdir(join(world.folder, "state/memory"), { recursive: true });
  await writeFile(pathOf(world, name), text);
  return pathOf(world, name);
}

async function remember(world: ProgramWorld, file: NoteFile, ...texts: readonly string[]): Promise<void> {
  for (const text of texts) await bookOf(world).change({ do: "add", file, text }, PERSON);
}

/** Makes a change wait, as it does after others' words were read. */
async function propose(
  world: ProgramWorld,
  change: Parameters<NoteBook["change"]>[0],
  author: Author,
): Promise<string> {
  const answer = await bookOf(world).change(change, author, "web_extract");
  if (answer.type !== "proposed") throw new Error(`it is ${answer.type}`);
  return answer.id;
}

/** An editor that is a line of shell; `$1` is the file. */
async function editor(world: ProgramWorld, ...lines: readonly string[]): Promise<NodeJS.ProcessEnv> {
  const file = join(world.folder, "editor");
  await writeFile(file, ["#!/bin/sh", ...lines, ""].join("\n"));
  await chmod(file, 0o755);
  return { VISUAL: file, PATH: process.env["PATH"] };
}

const texts = (world: ProgramWorld, file: NoteFile): string[] =>
  bookOf(world)
    .read(file)
    .notes.map(({ text }) => text);

const json = ({ stdout }: Ran): unknown => JSON.parse(stdout);

test("[F5] memory list shows both files with numbers, who wrote each, and how full they are", async () => {
  await using world = await ProgramWorld.onServer(NOWHERE);
  const none = await world.run(["memory", "list"]);
  expect(none).toEqual({ code: 0, stdout: "", stderr: "Nothing is remembered yet.\n" });
  await put(world, "MEMORY.md", "The project is built with pnpm.\n§\nTests need a port.\nIt must be free.\n");
  await bookOf(world).change(
    { do: "add", file: "user", text: "Likes short answers." },
    { by: "turn", sessionId: "s", turnId: "t" },
  );
  const { code, stdout } = await world.run(["memory", "list"]);
  expect(code).toBe(0);
  expect(stdout.replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d/gu, "DAY")).toBe(
    [
      "MEMORY.md  2 notes, 69 of 2,200 characters (3 %)",
      "   1  The project is built with pnpm.",
      "      by hand",
      "   2  Tests need a port.",
      "      It must be free.",
      "      by hand",
      "USER.md  1 note, 20 of 1,375 characters (1 %)",
      "   3  Likes short answers.",
      "      DAY in a turn",
      "",
    ].join("\n"),
  );
  expect(json(await world.run(["memory", "list", "--json"]))).toMatchObject({
    files: [
      {
        file: "memory",
        limit: 2_200,
        characters: 69,
        notes: [{ number: 1, written: null }, { number: 2 }],
        troubles: [],
      },
      { file: "user", notes: [{ number: 3, text: "Likes short answers.", written: { by: "turn", turnId: "t" } }] },
    ],
    waiting: 0,
  });
  expect((await world.run(["memory", "list", "--lang", "zh"])).stdout).toContain("1 条笔记");
});

test("[J6] memory why names the turn that wrote a note, its session and the message that began it", async () => {
  await using provider = await fakeProvider([say("I will.")]);
  await using world = await ProgramWorld.onServer(provider.baseUrl);
  const { sessionId, turnId } = await world.ask("Please remember that I live in Oslo.");
  if (sessionId === null || turnId === null) throw new Error("there was no turn");
  const author = { sessionId, turnId };
  await remember(world, "memory", "Oslo has a fjord.");
  await bookOf(world).change({ do: "add", file: "user", text: "Lives in Oslo." }, { by: "turn", ...author });
  await bookOf(world).change({ do: "add", file: "user", text: "Asks politely." }, { by: "review", ...author });
  const { stdout, stderr } = await world.run(["memory", "why", "lives", "in"]);
  expect(stdout).toContain("2  Lives in Oslo.\n");
  expect(stdout).toContain(`turn ${turnId} of session “Please remember that I live in Oslo.” (${sessionId})`);
  expect(stdout).toContain("it began with: “Please remember that I live in Oslo.”");
  expect(stderr).toContain(`evander turn explain ${turnId}`);
  expect((await world.run(["turn", "explain", turnId])).code).toBe(0);
  expect((await world.run(["memory", "why", "3"])).stdout).toContain(`review of turn ${turnId}`);
  expect((await world.run(["memory", "why", "1"])).stdout).toContain(": you wrote it\n");
  expect(json(await world.run(["memory", "why", "2", "--json"]))).toMatchObject({
    number: 2,
    file: "user",
    session: { sessionId },
    message: "Please remember that I live in Oslo.",
    next: [{ command: `evander turn explain ${turnId}` }],
  });
  // Of a session that was removed the note stays, and says so.
  await world.run(["session", "rm", sessionId, "--yes"]);
  const gone = await world.run(["memory", "why", "2"]);
  expect(gone).toMatchObject({ code: 0, stderr: "" });
  expect(gone.stdout).toContain("(that session has been removed since)");
});

test("[F5] a note is named by its number or words of it; what names none or several is refused with the next step", async () => {
  await using world = await ProgramWorld.onServer(NOWHERE);
  await remember(world, "memory", "The red car.", "The red bus.", "The red car. It is old.");
  for (const verb of ["why", "forget"]) {
    const several = await world.run(["memory", verb, "RED"]);
    expect(several).toMatchObject({ code: 2, stdout: "" });
    expect(several.stderr).toContain("ambiguous: RED could be notes 1, 2, 3: write the number, or more words.\n");
    expect(several.stderr).toContain("evander memory list");
    const none = await world.run(["memory", verb, "4", "--json"]);
    expect(none.code).toBe(2);
    expect(json(none)).toMatchObject({ ok: false, error: { code: "no_such_note", message: "There is no note 4." } });
    expect((await world.run(["memory", verb, " "])).stderr).toContain("Say which note");
    expect((await world.run(["memory", verb, "\u001B[2J"])).stderr).toContain(String.raw`no note \u{1b}[2J.`);
  }
  // The whole of a note is that note.
  expect((await world.run(["memory", "forget", "The red car."])).stdout).toBe("forgotten: The red car.\n");
  expect(texts(world, "memory")).toEqual(["The red bus.", "The red car. It is old."]);
});

test("[F5] forget takes a note out, and the command it names brings it back", async () => {
  await using world = await ProgramWorld.onServer(NOWHERE);
  await put(world, "USER.md", "Is called Ada.\n§\nLikes tea.\n");
  const dry = await world.run(["memory", "forget", "tea", "--dry-run"]);
  expect(dry.stdout).toBe("would be forgotten: Likes tea.\n");
  expect(texts(world, "user")).toHaveLength(2);
  const { code, stdout, stderr } = await world.run(["memory", "forget", "2"]);
  expect({ code, stdout }).toEqual({ code: 0, stdout: "forgotten: Likes tea.\n" });
  expect(texts(world, "user")).toEqual(["Is called Ada."]);
  const [, version = ""] = /evander memory restore (\d+)/u.exec(stderr) ?? [];
  expect((await world.run(["memory", "restore", version])).code).toBe(2);
  expect(texts(world, "user")).toEqual(["Is called Ada."]);
  const back = await world.run(["memory", "restore", version, "-y"]);
  expect(back.stdout).toBe(`  + Likes tea.\nUSER.md is as it was in version ${version}\n`);
  expect(texts(world, "user")).toEqual(["Is called Ada.", "Likes tea."]);
});

test("[F5] restore lists what there was, the newest first, and asks before it puts a file back", async () => {
  await using world = await ProgramWorld.onServer(NOWHERE);
  expect(await world.run(["memory", "restore"])).toMatchObject({ code: 0, stdout: "" });
  await remember(world, "memory", "One.", "Two.");
  await bookOf(world).rewrite("memory", ["One and two."], { by: "dream" });
  const { stdout } = await world.run(["memory", "restore"]);
  expect(stdout.replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d/gu, "DAY")).toBe(
    [
      "  3  DAY  MEMORY.md  by a dream",
      "     - One.",
      "     - Two.",
      "     + One and two.",
      "  2  DAY  MEMORY.md  by you",
      "     + Two.",
      "  1  DAY  MEMORY.md  by you",
      "     + One.",
      "",
    ].join("\n"),
  );
  expect(json(await world.run(["memory", "restore", "--json"]))).toMatchObject([
    { version: 3, file: "memory", removed: ["One.", "Two."], added: ["One and two."], written: { by: "dream" } },
    { version: 2 },
    { version: 1 },
  ]);
  const seat = world.sit(["memory", "restore", "2"]);
  await seat.shown("version 2?");
  await seat.shown("[y/N]");
  seat.type("n\r");
  expect(await seat.ended).toMatchObject({ code: 0, stderr: expect.stringContaining("Nothing was restored.") });
  expect(texts(world, "memory")).toEqual(["One and two."]);
  const yes = world.sit(["memory", "restore", "2"]);
  await yes.shown("[y/N]");
  yes.type("y\r");
  expect((await yes.ended).stdout).toContain("MEMORY.md is as it was in version 2\n");
  expect(texts(world, "memory")).toEqual(["One.", "Two."]);
  expect((await world.run(["memory", "restore", "2", "--yes"])).stdout).toBe("Nothing was changed.\n");
  const none = await world.run(["memory", "restore", "99"]);
  expect(none).toMatchObject({ code: 2, stderr: expect.stringContaining("no_such_version: There is no version 99.") });
  expect(none.stderr).toContain("evander memory restore\n");
});

test("[F5] review shows what would change and whose words had been read, and decides by id", async () => {
  await using provider = await fakeProvider([say("Read.")]);
  await using world = await ProgramWorld.onServer(provider.baseUrl);
  const { sessionId, turnId } = await world.ask("Read that page.");
  if (sessionId === null || turnId === null) throw new Error("there was no turn");
  expect((await world.run(["memory", "review"])).stderr).toBe("No change waits for you.\n");
  await remember(world, "memory", "Deploys go to staging.");
  const author = { by: "turn", sessionId, turnId } as const;
  const evil = "Deploys go to\u202E production.";
  const replace = await propose(
    world,
    { do: "replace", file: "memory", find: "staging", text: "Deploys go to production." },
    author,
  );
  const add = await propose(world, { do: "add", file: "user", text: "Trusts everybody." }, author);
  expect(evil).toContain("\u202E");
  const shown = await world.run(["memory", "review"]);
  expect(shown.code).toBe(0);
  expect(shown.stdout).toContain(
    [
      `${replace}  MEMORY.md, asked for after web_extract had brought others' words`,
      "  - Deploys go to staging.",
      "  + Deploys go to production.",
    ].join("\n"),
  );
  expect(shown.stdout).toContain(`turn ${turnId} of session “Read that page.” (${sessionId})`);
  expect(shown.stderr).toContain(`evander memory review yes ${replace} ${add}`);
  expect((await world.run(["memory", "list"])).stderr).toContain(
    "2 changes wait for your yes or no: evander memory review",
  );
  expect(json(await world.run(["memory", "review", "--json"]))).toMatchObject([
    { id: replace, tainted: "web_extract", removed: ["Deploys go to staging."], added: ["Deploys go to production."] },
    { id: add, change: { do: "add", file: "user" }, session: { sessionId }, message: "Read that page." },
  ]);
  // A mistyped one decides nothing.
  const wrong = await world.run(["memory", "review", "yes", add, "nothing"]);
  expect(wrong).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("not_waiting: No change waits under the id nothing"),
  });
  expect(texts(world, "user")).toEqual([]);
  expect((await world.run(["memory", "review", "yes"])).code).toBe(2);
  expect((await world.run(["memory", "review", "maybe", add])).code).toBe(2);
  expect((await world.run(["memory", "review", "yes", add])).stdout).toBe(`made: ${add}\n`);
  expect(json(await world.run(["memory", "review", "no", replace, "--json"]))).toMatchObject({
    id: replace,
    dropped: true,
  });
  expect(texts(world, "user")).toEqual(["Trusts everybody."]);
  expect(texts(world, "memory")).toEqual(["Deploys go to staging."]);
  expect(json(await world.run(["memory", "review", "--json"]))).toEqual([]);
});

test("[F5] at a terminal each change is asked for; Enter leaves it, and one that cannot be made stops no other", async () => {
  await using world = await ProgramWorld.onServer(NOWHERE);
  await remember(world, "memory", "Old.");
  const add = (text: string): Promise<string> => propose(world, { do: "add", file: "memory", text }, { by: "turn" });
  const lost = await propose(world, { do: "remove", file: "memory", find: "Old." }, { by: "turn" });
  const [later, yes, no] = [await add("Later."), await add("Yes."), await add("No.")];
  await bookOf(world).change({ do: "remove", file: "memory", find: "Old." }, PERSON);
  const seat = world.sit(["memory", "review"]);
  for (const [id, keys] of [
    [lost, "y"],
    [later, ""],
    [yes, "y"],
    [no, "n"],
  ] as const) {
    await seat.shown("[y/N]", `Make change ${id}?`);
    seat.type(`${keys}\r`);
  }
  const { code, stderr } = await seat.ended;
  expect(code).toBe(0);
  expect(stderr).toContain("No note holds that any more.");
  expect(texts(world, "memory")).toEqual(["Yes."]);
  const left = json(await world.run(["memory", "review", "--json"])) as { readonly id: string }[];
  expect(left.map(({ id }) => id)).toEqual([lost, later]);
});
