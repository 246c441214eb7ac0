import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Author, NoteAnswer, NoteBook } from "../../protocol/memory.ts";
import { openNoteBook } from "./book.ts";
import { FILE_OPERATIONS, type FileOperations } from "../disk.ts";

/** A disk in memory where there is one: what it holds is looked at, and not how long it takes. */
const DISK = process.env["TEST_TMP"] ?? (existsSync("/dev/shm") ? "/dev/shm" : tmpdir());

let folder = "";
let base = "";
beforeEach(() => {
  base = mkdtempSync(join(DISK, "evander-notes-crash-"));
  folder = join(base, "memory");
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const at = (name: string): string => join(folder, name);

const open = (files?: FileOperations): NoteBook =>
  openNoteBook({
    folder,
    now: () => 1_000,
    alone: async (_path, work) => work(),
    clean: (text) => text,
    ...(files && { files }),
  });

const turn = (turnId: string): Author => ({ by: "turn", turnId });
const add = (book: NoteBook, text: string, author: Author = turn(text)): Promise<NoteAnswer> =>
  book.change({ do: "add", file: "memory", text }, author);

/** What can go wrong with an operation on a file: its process dies there, or the system refuses it once. */
type Fault = "dies" | "dies half-way" | "fails";

interface Faulty {
  readonly files: FileOperations;
  /** Whether there was such an operation. */
  readonly struck: () => boolean;
}

/** The operation with this number, from 0 on, goes wrong. */
function faulty(number: number, fault: Fault): Faulty {
  let count = 0;
  let isDead = false;
  const wrapped =
    <A extends unknown[], R>(work: (...given: A) => R, half?: (...given: A) => R) =>
    (...given: A): R => {
      if (isDead) throw new Error("dead");
      if (count++ !== number) return work(...given);
      if (fault === "fails") throw Object.assign(new Error("EIO: no disk any more"), { code: "EIO" });
      if (fault === "dies half-way") (half ?? work)(...given);
      isDead = true;
      throw new Error("dead");
    };
  const { writeSync } = FILE_OPERATIONS;
  const files: FileOperations = {
    openSync: wrapped(FILE_OPERATIONS.openSync),
    writeSync: wrapped(writeSync, (file, data) => writeSync(file, data.subarray(0, data.length / 2))),
    fsyncSync: wrapped(FILE_OPERATIONS.fsyncSync),
    ftruncateSync: wrapped(FILE_OPERATIONS.ftruncateSync),
    // The system closes what the dead have left open.
    closeSync: FILE_OPERATIONS.closeSync,
    renameSync: wrapped(FILE_OPERATIONS.renameSync),
    linkSync: wrapped(FILE_OPERATIONS.linkSync),
    mkdirSync: wrapped(FILE_OPERATIONS.mkdirSync),
    rmSync: wrapped(FILE_OPERATIONS.rmSync),
  };
  return { files, struck: () => count > number };
}

interface Scene {
  readonly name: string;
  readonly prepare: (book: NoteBook) => Promise<unknown>;
  readonly act: (book: NoteBook) => Promise<NoteAnswer | undefined>;
  /** Before and after the act. */
  readonly before: readonly string[];
  readonly after: readonly string[];
  /** Its file is no list of notes before. */
  readonly spoilt?: true;
}

const BY_HAND = ["one", "by hand"];

const SCENES: readonly Scene[] = [
  {
    name: "the first note",
    prepare: async () => undefined,
    act: (book) => add(book, "new"),
    before: [],
    after: ["new"],
  },
  {
    name: "one more note",
    prepare: (book) => add(book, "one"),
    act: (book) => add(book, "new"),
    before: ["one"],
    after: ["one", "new"],
  },
  {
    name: "a note behind what was written by hand",
    prepare: async (book) => {
      await add(book, "one");
      writeFileSync(at("MEMORY.md"), "one\n§\nby hand");
    },
    act: (book) => add(book, "new"),
    before: BY_HAND,
    after: [...BY_HAND, "new"],
  },
  {
    name: "a note in a journal with a torn line",
    prepare: async (book) => {
      await add(book, "one");
      appendFileSync(at("history.jsonl"), '{"version":2,"file":"mem');
    },
    act: (book) => add(book, "new"),
    before: ["one"],
    after: ["one", "new"],
  },
  {
    name: "a version over what is no list of notes",
    prepare: async (book) => {
      await add(book, "one");
      writeFileSync(at("MEMORY.md"), "a\0b");
    },
    act: (book) => book.restore(1, { by: "person" }),
    spoilt: true,
    before: [],
    after: ["one"],
  },
  {
    name: "a note behind so many versions that the oldest are left out",
    prepare: async (book) => {
      await add(book, "one");
      const line = readFileSync(at("history.jsonl"), "utf8");
      const more = Array.from({ length: 500 }, (_, number) => line.replace('"version":1', `"version":${number + 2}`));
      appendFileSync(at("history.jsonl"), more.join(""));
    },
    act: (book) => add(book, "new"),
    before: ["one"],
    after: ["one", "new"],
  },
  {
    name: "a person's yes",
    prepare: async (book) => {
      await add(book, "one");
      await book.change({ do: "add", file: "memory", text: "new" }, turn("new"), "web_search");
    },
    act: (book) => book.decide(book.proposals()[0]?.id ?? "", true),
    before: ["one"],
    after: ["one", "new"],
  },
];

const texts = (book: NoteBook): string[] => book.read("memory").notes.map(({ text }) => text);

/** Plays a scene until no operation is left that could go wrong; returns how many there were. */
async function play(
  scene: Scene,
  fault: Fault,
  judge: (answer: NoteAnswer | undefined) => Promise<void>,
): Promise<number> {
  const saved = join(base, "saved");
  const copy = (from: string, to: string): void => {
    rmSync(to, { recursive: true, force: true });
    cpSync(from, to, { recursive: true, preserveTimestamps: true });
  };
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  await scene.prepare(open());
  copy(folder, saved);
  for (let number = 0; ; number++) {
    copy(saved, folder);
    const { files, struck } = faulty(number, fault);
    const answer = await scene.act(open(files));
    if (!struck()) return number;
    await judge(answer);
  }
}

/** Nobody is said to have written what somebody else has. */
function expectTrueAuthors(book: NoteBook): void {
  for (const { text, written } of book.read("memory").notes)
    expect([text, written?.turnId ?? written?.by]).toEqual([text, text === "by hand" ? "person" : text]);
  // What a person has done by hand is told once, and nothing else is taken for it.
  const byPersons = book.versions().filter(({ written }) => written.by === "person");
  expect(byPersons.map(({ notes }) => notes)).toEqual(texts(book).includes("by hand") ? [BY_HAND] : []);
}

/** Whoever comes next writes on what is there. */
async function expectGoesOn(book: NoteBook, { before, after }: Scene): Promise<void> {
  expect((await add(book, "later")).type).toBe("done");
  expect([
    [...before, "later"],
    [...after, "later"],
  ]).toContainEqual(texts(book));
  expect(book.versions()[0]?.notes).toEqual(texts(book));
  expectTrueAuthors(book);
}

test.each(SCENES)(
  "[F5] whoever dies anywhere in $name leaves the old file or the new one",
  async (scene) => {
    for (const fault of ["dies", "dies half-way"] as const) {
      const steps = await play(scene, fault, async (answer) => {
        const next = open();
        const left = texts(next);
        expect([scene.before, scene.after]).toContainEqual(left);
        // Nothing is said to be done that is not.
        expect(answer?.type === "done" ? left : scene.after).toEqual(scene.after);
        if (scene.spoilt !== true) await expectGoesOn(next, scene);
      });
      expect(steps).toBeGreaterThan(8);
    }
  },
  60_000,
);

test.each(SCENES)(
  "[F5] a disk that refuses anything in $name changes nothing, and says so",
  async (scene) => {
    await play(scene, "fails", async (answer) => {
      const book = open();
      const isDone = answer?.type === "done";
      expect(JSON.stringify(answer).includes("EIO")).toBe(!isDone);
      expect(texts(book)).toEqual(isDone ? scene.after : scene.before);
      if (scene.spoilt !== true) await expectGoesOn(book, scene);
    });
  },
  60_000,
);
