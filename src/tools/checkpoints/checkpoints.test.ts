import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { ChangePoint } from "../../protocol/checkpoint.ts";
import { english } from "../../protocol/sentence.ts";
import type { TurnFiles, UndoneFiles } from "../../protocol/turn-files.ts";
import { checkCheckpoints } from "./check.ts";
import { createCheckpoints, type OwnCheckpoints } from "./checkpoints.ts";
import { LIMITS, type Limits } from "./look.ts";
import { openTurnFiles } from "./turn-files.ts";

let base = "";
let work = "";
let folder = "";
let checkpoints: OwnCheckpoints;

const open = (limits: Limits = LIMITS): OwnCheckpoints =>
  createCheckpoints({ folder, home: join(base, "home"), own: [join(base, "own")], limits });

beforeEach(() => {
  base = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), "evander-kept-")));
  work = join(base, "home", "work");
  folder = join(base, "data", "checkpoints");
  fs.mkdirSync(work, { recursive: true });
  checkpoints = open();
});

afterEach(() => {
  checkpoints.close();
  fs.rmSync(base, { recursive: true, force: true });
});

const at = (callId: string, more: Partial<ChangePoint> = {}): ChangePoint => ({
  sessionId: "s",
  turnId: "t",
  iteration: 1,
  callId,
  ...more,
});

/** As a tool that changes something below a path. */
async function change(path: string, point: ChangePoint, work_: () => void): ReturnType<OwnCheckpoints["after"]> {
  await checkpoints.before([path], point);
  work_();
  return checkpoints.after([path], point);
}

const unkept = async (paths: readonly string[], point: ChangePoint): Promise<string> =>
  english((await checkpoints.before(paths, point)).unkept ?? "");

async function kept<T>(use: (files: TurnFiles) => Promise<T> | T): Promise<T> {
  const files = openTurnFiles({ folder, own: [] });
  if (files === undefined) throw new Error("nothing is kept");
  try {
    return await use(files);
  } finally {
    files.close();
  }
}

const undo = (turnId = "t", force = false): Promise<UndoneFiles> => kept((files) => files.undo(turnId, { force }));

/** All that can be seen of a folder but its times. */
function picture(path: string): Record<string, string> {
  const seen: Record<string, string> = {};
  const visit = (name: string): void => {
    const stats = fs.lstatSync(name, { throwIfNoEntry: false });
    if (stats === undefined) return;
    const mode = (stats.mode & 0o7777).toString(8);
    if (stats.isSymbolicLink()) seen[name] = `-> ${fs.readlinkSync(name)}`;
    else if (!stats.isDirectory()) seen[name] = `${mode} ${fs.readFileSync(name).toString("hex")}`;
    else {
      seen[name] = `${mode} folder`;
      for (const each of fs.readdirSync(name)) visit(join(name, each));
    }
  };
  visit(path);
  return seen;
}

const put = (name: string, text = name): string => {
  const path = join(work, name);
  fs.mkdirSync(join(path, ".."), { recursive: true });
  fs.writeFileSync(path, text);
  return path;
};

describe("undo", () => {
  test("[E12] puts back contents, modes, links, empty folders, what is gone and what had come", async () => {
    put("a.txt");
    put("sub/b.bin", "\0\u0001");
    put("gone/deep/c.txt");
    fs.mkdirSync(join(work, "empty"));
    fs.symlinkSync("a.txt", join(work, "link"));
    fs.symlinkSync("nowhere", join(work, "dangling"));
    fs.chmodSync(join(work, "a.txt"), 0o755);
    fs.writeFileSync(Buffer.concat([Buffer.from(`${work}/no-text-`), Buffer.from([0xff, 0xfe])]), "x");
    const before = picture(base);
    const changes = await change(work, at("c"), () => {
      put("a.txt", "other");
      fs.chmodSync(join(work, "sub/b.bin"), 0o400);
      fs.rmSync(join(work, "gone"), { recursive: true });
      put("new/deep/d.txt");
      fs.rmdirSync(join(work, "empty"));
      put("empty", "now a file");
      fs.rmSync(join(work, "link"));
      fs.symlinkSync("sub", join(work, "link"));
      fs.rmSync(join(work, "dangling"));
      fs.mkdirSync(join(work, "dangling"));
      fs.chmodSync(join(work, "sub"), 0o500);
    });
    expect(changes.map(({ path }) => path.slice(work.length + 1)).toSorted()).toEqual([
      "a.txt",
      "dangling",
      "empty",
      "gone/deep/c.txt",
      "link",
      "new/deep/d.txt",
      "sub/b.bin",
    ]);
    expect(await undo()).toMatchObject({ type: "undone", left: [] });
    fs.rmSync(join(base, "data"), { recursive: true });
    const { [join(base, "data")]: _, ...now } = picture(base);
    expect(now).toEqual(before);
  });

  test("[E12] can itself be undone, and done again", async () => {
    put("a.txt", "one");
    await change(work, at("c"), () => put("a.txt", "two"));
    const after = picture(work);
    const first = await undo();
    expect(fs.readFileSync(join(work, "a.txt"), "utf8")).toBe("one");
    expect(await undo()).toEqual({ type: "nothing" });
    const again = await undo(first.type === "undone" ? first.undoId : "");
    expect(again).toMatchObject({ type: "undone", left: [] });
    expect(picture(work)).toEqual(after);
  });

  test("[E12] leaves what somebody else has changed since, unless that is wanted", async () => {
    put("mine.txt", "one");
    put("other.txt", "one");
    await change(work, at("c"), () => [put("mine.txt", "two"), put("other.txt", "two")]);
    put("other.txt", "three");
    expect(await undo()).toMatchObject({
      type: "undone",
      paths: [{ path: join(work, "mine.txt") }],
      left: [{ path: join(work, "other.txt"), why: "changed" }],
    });
    expect(fs.readFileSync(join(work, "other.txt"), "utf8")).toBe("three");
    expect(await undo()).toMatchObject({ type: "refused", left: [{ why: "changed" }] });
    const forced = await undo("t", true);
    expect(fs.readFileSync(join(work, "other.txt"), "utf8")).toBe("one");
    await undo(forced.type === "undone" ? forced.undoId : "");
    expect(fs.readFileSync(join(work, "other.txt"), "utf8")).toBe("three");
  });

  test("[E12] does not lead through a link that was put in the way", async () => {
    const outside = join(base, "home", "outside");
    fs.mkdirSync(outside);
    fs.writeFileSync(join(outside, "a.txt"), "two");
    put("sub/a.txt", "one");
    await change(join(work, "sub/a.txt"), at("c"), () => put("sub/a.txt", "two"));
    fs.rmSync(join(work, "sub"), { recursive: true });
    fs.symlinkSync(outside, join(work, "sub"));
    expect(await undo()).toMatchObject({ type: "refused", left: [{ why: "changed" }] });
    expect(fs.readFileSync(join(outside, "a.txt"), "utf8")).toBe("two");
  });

  test("[E12] of a call that nobody saw the end of takes all that differs since", async () => {
    put("a.txt", "one");
    const before = picture(work);
    await checkpoints.before([work], at("c"));
    put("a.txt", "half");
    put("b.txt");
    checkpoints.close();
    expect(await kept((files) => files.changes("t"))).toMatchObject([
      { path: join(work, "a.txt"), lost: true },
      { path: join(work, "b.txt"), before: null, lost: true },
    ]);
    // The next turn begins, and what a person does then is no work of the turn that died.
    await change(work, at("d", { turnId: "u" }), () => put("c.txt"));
    put("b.txt", "by hand");
    expect(await undo()).toMatchObject({ left: [{ path: join(work, "b.txt"), why: "changed" }] });
    await undo("u");
    fs.rmSync(join(work, "b.txt"));
    expect(picture(work)).toEqual(before);
  });

  test("[E12] a file in folders that were made for it goes with them, two made at once each with its own", async () => {
    const before = picture(work);
    const [one, two] = [join(work, "new/deep/one"), join(work, "new/deep/two")];
    await checkpoints.before([one], at("c"));
    await checkpoints.before([two], at("d"));
    put("new/deep/one");
    put("new/deep/two");
    expect(await checkpoints.after([one], at("c"))).toMatchObject([{ path: one, before: null }]);
    expect(await checkpoints.after([two], at("d"))).toMatchObject([{ path: two, before: null }]);
    await undo();
    expect(picture(work)).toEqual(before);
  });
});

describe("snapshots", () => {
  test("[E12] one for each folder and iteration, and an unchanged file is not read again", async () => {
    put("a.txt");
    const past = new Date(Date.now() - 60_000);
    fs.utimesSync(join(work, "a.txt"), past, past);
    await change(work, at("c"), () => put("b.txt", "1"));
    await change(work, at("d"), () => put("b.txt", "2"));
    await change(work, at("e", { iteration: 2 }), () => put("b.txt", "3"));
    expect(await kept((files) => files.changes("t"))).toMatchObject([{ path: join(work, "b.txt"), before: null }]);
    await undo();
    expect(fs.existsSync(join(work, "b.txt"))).toBe(false);
  });

  test("[E12] the home folder, what lies above it, and the root are refused in a sentence; the call goes on", async () => {
    for (const path of ["/", base, join(base, "home")])
      expect(await unkept([path], at("c"))).toContain("is too much to keep");
    expect(await checkpoints.after([base], at("c"))).toEqual([]);
    expect(await unkept([join(base, "own", "state")], at("d"))).toBe("");
  });

  test("[E12] what is too large, too many or no file is told, and the rest is kept", async () => {
    checkpoints = open({ fileBytes: 100, treeBytes: 150, files: 6 });
    put("big.bin", "x".repeat(101));
    put("one.txt", "x".repeat(60));
    put("two.txt", "x".repeat(99));
    const told = await unkept([work], at("c"));
    expect(told).toContain("big.bin (larger than 10 MB)");
    expect(told).toContain("two.txt (more than 200 MB together)");
    put("one.txt", "changed");
    fs.rmSync(join(work, "big.bin"));
    expect(await checkpoints.after([work], at("c"))).toHaveLength(2);
    expect(await undo()).toMatchObject({ type: "undone", left: [{ path: join(work, "big.bin"), why: "unkept" }] });
    for (let n = 0; n < 7; n++) put(`node_modules/${n}`);
    expect(await unkept([work], at("d", { iteration: 2 }))).toContain("node_modules (too many");
    for (let n = 0; n < 7; n++) put(`src/${n}`);
    expect(await unkept([work], at("e", { iteration: 3 }))).toContain("holds more files");
  });

  test("[E11] what has changed between two looks of a turn, by none of its calls, is told", async () => {
    put("a.txt", "one");
    await change(work, at("c"), () => put("a.txt", "two"));
    await change(join(work, "b.txt"), at("d"), () => put("b.txt", "by a call"));
    put("c.txt", "by hand");
    const { foreign } = await checkpoints.before([work], at("e", { iteration: 2 }));
    expect(foreign).toEqual([join(work, "c.txt")]);
    expect((await checkpoints.before([work], at("f", { turnId: "u" }))).foreign).toEqual([]);
  });

  test("[E12] a folder that cannot keep anything blocks no call", async () => {
    fs.mkdirSync(join(base, "data"));
    fs.writeFileSync(folder, "a file stands where the folder should be");
    expect(await unkept([work], at("c"))).toContain("cannot be undone");
    expect(await checkpoints.after([work], at("c"))).toEqual([]);
  });

  test("[G13] a look at them says how many turns there are, or that they are damaged", async () => {
    expect(checkCheckpoints(folder)).toEqual({ type: "absent" });
    await change(work, at("c"), () => put("a.txt"));
    expect(checkCheckpoints(folder)).toMatchObject({ type: "sound", turns: 1 });
    checkpoints.close();
    fs.writeFileSync(join(folder, "checkpoints.db"), "no database, but long enough to be taken for one".repeat(99));
    expect(checkCheckpoints(folder)).toMatchObject({ type: "faulty" });
    expect(await unkept([work], at("d"))).toContain("cannot be undone");
  });

  test("[G13] what is kept goes with its session", async () => {
    put("a.txt", "SECRET-CONTENT");
    await change(work, at("c"), () => put("a.txt", "two"));
    await undo();
    checkpoints.close();
    await kept((files) => files.forget(["s"]));
    expect(await kept((files) => files.changes("t"))).toBeUndefined();
    expect(fs.readdirSync(join(folder, "notes"))).toEqual([]);
    const files = fs.readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile());
    const holding = files.filter(({ name }) => fs.readFileSync(join(folder, name)).includes("SECRET-CONTENT"));
    expect(holding).toEqual([]);
  });
});

test("[E12][SEC-13] what is kept of files is its owner's alone, whatever the files and the mask allow", async () => {
  const mask = process.umask(0);
  try {
    fs.writeFileSync(join(work, "a.txt"), "secret", { mode: 0o666 });
    await change("a.txt", at("c"), () => fs.writeFileSync(join(work, "a.txt"), "another"));
    const modeOf = (path: string): string => (fs.statSync(path).mode & 0o777).toString(8);
    const all = fs.readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => join(folder, name));
    expect(all.length).toBeGreaterThan(0);
    for (const path of [folder, ...all]) expect(modeOf(path)).toBe(fs.statSync(path).isDirectory() ? "700" : "600");
  } finally {
    process.umask(mask);
  }
});
