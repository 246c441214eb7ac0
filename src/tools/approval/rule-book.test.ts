import fc from "fast-check";
import { expect, test } from "vitest";
import type { Grant, PlanPart, RuleBook } from "../../protocol/approval.ts";
import { openRuleBook, type RuleFile } from "./rule-book.ts";
import { UNUSED_MS } from "./rule.ts";

interface Desk {
  text: string | undefined;
  now: number;
  readonly contents: Map<string, string>;
}

/** Rules on a file in memory, as a process finds them. */
function open(desk: Desk, cwd = "/work"): RuleBook {
  const file: RuleFile = {
    read: () => desk.text,
    change: (how) => Promise.resolve().then(() => void (desk.text = how(desk.text))),
  };
  return openRuleBook(file, { cwd, now: () => desk.now, contentOf: (path) => desk.contents.get(path) });
}

const desk = (): Desk => ({ text: undefined, now: 1_000, contents: new Map() });
const GIT: Grant = { tool: "terminal", program: "/usr/bin/git", prefix: ["push"], folder: "/work" };
const part = (more: Partial<Grant> = {}, words: readonly string[] = ["push", "origin"]): PlanPart => ({
  why: "it changes something",
  words,
  grant: { ...GIT, ...more },
});

test("[E10] a part is covered where tool, program, folder and each word of the rule are the same, and nowhere else", async () => {
  const book = open(desk());
  const [rule] = await book.learn([GIT], "always", "s");
  expect(book.covers([part()], "t")).toEqual([rule?.id]);
  expect(book.covers([part(), part({}, ["push"])], undefined)).toEqual([rule?.id]);
  const others = [
    part({ tool: "other" }),
    part({ program: "/usr/local/bin/git" }),
    part({ folder: "/work/sub" }),
    part({ folder: "/" }),
    part({ prefix: [] }),
    part({ prefix: ["push", "origin"] }),
    part({ prefix: ["pus."] }),
    part({}, ["pushx"]),
    part({}, ["origin", "push"]),
    part({}, []),
  ];
  for (const other of others) expect([other, book.covers([other], "s")]).toEqual([other, undefined]);
  expect(book.covers([part(), part({ folder: "/other" })], "s")).toBeUndefined();
  expect(book.covers([{ why: "never", words: ["push"] }], "s")).toBeUndefined();
  expect(book.covers([], "s")).toBeUndefined();
});

test("[E10] no words but the very ones that were shown are covered, whatever patterns they hold", async () => {
  const word = fc.oneof(
    fc.constantFrom("push", "*", ".*", "p?sh", "pu", "push ", "--force", ""),
    fc.string({ maxLength: 6 }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(word, { maxLength: 3 }), fc.array(word, { maxLength: 4 }), async (prefix, words) => {
      const book = open(desk());
      await book.learn([{ ...GIT, prefix }], "always", "s");
      const begins = prefix.every((each, at) => words[at] === each);
      expect(book.covers([part({ prefix }, words)], "s") !== undefined).toBe(begins);
      const other = words.slice(0, prefix.length + 1);
      const longer = other.length > prefix.length ? book.covers([part({ prefix: other }, words)], "s") : undefined;
      expect(longer).toBeUndefined();
    }),
  );
});

test("[E10] a rule of a session covers nothing in another; the same is learnt once", async () => {
  const at = desk();
  const book = open(at);
  const [own] = await book.learn([GIT], "session", "s");
  expect(await book.learn([GIT], "session", "s")).toEqual([own]);
  expect(book.covers([part()], "s")).toEqual([own?.id]);
  for (const other of ["t", "", undefined]) expect(book.covers([part()], other)).toBeUndefined();
  await book.learn([GIT], "always", "s");
  const elsewhere = open(at);
  expect(elsewhere.covers([part()], "t")).toBeUndefined();
  await elsewhere.ready();
  expect(elsewhere.covers([part()], "t")).toHaveLength(1);
  expect(await elsewhere.list()).toHaveLength(2);
});

test("[E10] a rule holds for 90 days behind its last use", async () => {
  const at = desk();
  const book = open(at);
  const [rule] = await book.learn([GIT], "always", "s");
  at.now += UNUSED_MS - 1;
  await book.ready();
  await book.used(book.covers([part()], "s") ?? []);
  expect(await book.list()).toMatchObject([{ id: rule?.id, hits: 1, usedMs: at.now }]);
  at.now += UNUSED_MS;
  await book.ready();
  expect(book.covers([part()], "s")).toBeUndefined();
  expect(await book.list()).toEqual([]);
});

test("[E10] a program that lies in the folder is allowed as it was: with other content it is another one", async () => {
  const at = desk();
  const own = { program: "/work/build.sh", prefix: [] };
  const book = open(at);
  expect(await book.learn([{ ...GIT, ...own }], "always", "s")).toEqual([]);
  at.contents.set("/work/build.sh", "one");
  await book.learn([{ ...GIT, ...own }], "always", "s");
  expect(book.covers([part(own)], "s")).toHaveLength(1);
  at.contents.set("/work/build.sh", "two");
  await book.ready();
  expect(book.covers([part(own)], "s")).toBeUndefined();
  // What was learnt where it was no program of the folder says nothing of its content.
  const away = { program: "/srv/tool", folder: "/work/sub" };
  await open(at, "/work").learn([{ ...GIT, ...away }], "always", "s");
  const inside = open(at, "/srv");
  await inside.ready();
  expect(inside.covers([part(away)], "s")).toBeUndefined();
});

test("[E10] a file that cannot be read, or that this program has not written, allows nothing and is not written over", async () => {
  const at = desk();
  await open(at).learn([GIT], "always", "s");
  const good = at.text ?? "";
  for (const text of [
    "",
    "{",
    "[]",
    '{"version":2,"rules":[]}',
    good.replace('"push"', "1"),
    good.replace('"hits": 0', '"hits": "x"'),
  ]) {
    at.text = text;
    const book = open(at);
    await book.ready();
    expect(book.covers([part()], "s")).toBeUndefined();
    await expect(book.list()).rejects.toThrow(/JSON|no rules/u);
    await expect(book.learn([GIT], "always", "s")).rejects.toThrow(/JSON|no rules/u);
    await book.used(["x"]);
    expect(at.text).toBe(text);
  }
});

test("[E10] a rule that is forgotten is gone for whoever looks next", async () => {
  const at = desk();
  const book = open(at);
  const [rule] = await book.learn([GIT], "always", "s");
  expect(await open(at).forget("no")).toBeUndefined();
  expect(await open(at).forget(rule?.id ?? "")).toEqual(rule);
  await book.ready();
  expect(book.covers([part()], "s")).toBeUndefined();
});
