import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { racePaths } from "../../../test/properties/path-races.ts";
import { pathRounds } from "../../../test/properties/path-trees.ts";
import { openRegularFile } from "../files/open-file.ts";
import { whyAskToRead, whyAskToWrite, whyDeny, whyPrivate, type Place } from "../paths.ts";
import { whyNoPath } from "./path-text.ts";

test("[R19] in random folders with links, hard links and twins, what the system says leads out is never read or written", async () => {
  const { read, written, escapes, refusals } = await pathRounds(40, 1);
  expect({ escapes, refusals }).toEqual({ escapes: [], refusals: [] });
  expect(Math.min(read, written)).toBeGreaterThan(20);
});

test("[R19][path-083] while a second process swaps a folder and a file for links all the time, nothing outside is read or written", async () => {
  const { attempts, escapes } = await racePaths(300);
  expect({ attempts, escapes }).toEqual({ attempts: 300, escapes: 0 });
});

describe("what is asked about and what is refused", () => {
  const place: Place = {
    cwd: "/w/app",
    home: "/home/u",
    guarded: ["/home/u/.config/evander", "/data/write/own"],
    readable: ["/home/u/.config/evander/skills"],
    roots: [
      { path: "/data/read", access: "read" },
      { path: "/data/write", access: "write" },
    ],
  };

  test("[E9] folders that the owner lists are worked in as in the working folder, one to be read not written", () => {
    expect(whyAskToRead("/data/read/a", place)).toBeUndefined();
    expect(whyAskToRead("/data/read-twin/a", place)).toContain("outside the working folder");
    expect(whyAskToWrite("/data/read/a", place)).toContain("listed to be read alone");
    expect(whyAskToWrite("/data/write/a", place)).toBeUndefined();
    expect(whyAskToWrite("/data/write/.git/config", place)).toContain("changes what other programs run");
    expect(whyAskToRead("/data/read/.env", place)).toContain("usually holds secrets");
  });

  test("[E10][security 3.4] our own state, config and keys are refused in every mode, and so is this process", () => {
    for (const path of [
      "/home/u/.config/evander/config.yaml",
      "/data/write/own/x",
      `/proc/${process.pid}/environ`,
      "/proc/self/mem",
    ])
      for (const mode of ["reads", "writes"] as const) expect(whyDeny(path, place, mode)).toContain("out of reach");
    const skill = "/home/u/.config/evander/skills/x/SKILL.md";
    expect([whyDeny(skill, place, "reads"), whyAskToRead(skill, place)]).toEqual([undefined, undefined]);
    expect(whyDeny(skill, place, "writes")).toContain("out of reach");
    expect(whyDeny("/w/app/a", place, "writes")).toBeUndefined();
  });

  test.each([
    "/home/u/.SSH/id_x",
    "/home/u/.aws/credentials",
    "/home/u/.config/gcloud/x.json",
    "/home/u/.Claude/.credentials.json",
    "/home/u/.mozilla/firefox/p/logins.json",
    "/etc/shadow",
    "/etc/sudoers.d/x",
    "/proc/1/environ",
    "/proc/77/task/78/fd/3",
    "/run/docker.sock",
    "/w/app/ｃerts/server.ＫEY",
    "/w/app/service-account-1.json",
  ])("[E10][security 3.4] %s is told as what it gives away", (path) => {
    expect(whyPrivate(path, place)).toMatch(
      /usually holds secrets|the inside of a running process|control of this whole machine/,
    );
  });

  test.each([
    ["", "linux", "is empty"],
    ["a\0b", "linux", "NUL"],
    ["~root/x", "linux", "home folders of others"],
    ["C:\\x", "linux", "no drive letters"],
    ["\\\\host\\share", "linux", "Network and device paths"],
    ["\\\\?\\C:\\x", "win32", "Network and device paths"],
    ["a/aux.txt", "win32", "names a device"],
    [".git::$INDEX_ALLOCATION/x", "win32", "colon"],
    ["a./b", "win32", "dot or space"],
    ["\uD800", "linux", "half a character"],
  ] as const)("[FILE-03][security 3.4] %j on %s is no path: %s", (path, platform, why) => {
    expect(whyNoPath(path, platform)).toContain(why);
  });

  test("[E4] an ordinary path is one, also with odd names", () => {
    for (const path of ["~/x", "~", "a~b", "aux.txt", "..c", "a...b", "x y", "\u00E9", "-n", "C:x"])
      expect(whyNoPath(path, "linux")).toBeUndefined();
    expect(whyNoPath("C:\\work\\a.txt", "win32")).toBeUndefined();
    for (const path of ["a:b", "C:a", "a|b", "a. ", "a*"]) expect(whyNoPath(path, "win32")).toBeDefined();
  });

  test("[R19] another name of a file that is out of reach is not read", async () => {
    const base = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), "evander-guard-")));
    try {
      for (const folder of ["ws", "own", "home/.ssh"]) fs.mkdirSync(join(base, folder), { recursive: true });
      for (const path of ["own/keys", "home/.ssh/known", "plain"]) fs.writeFileSync(join(base, path), "CANARY");
      const names = { keys: "own/keys", known: "home/.ssh/known", plain: "plain" };
      for (const [name, path] of Object.entries(names)) fs.linkSync(join(base, path), join(base, "ws", name));
      const own = { home: join(base, "home"), guarded: [join(base, "own")] };
      for (const name of ["keys", "known"])
        await expect(openRegularFile(join(base, "ws", name), name, own)).rejects.toThrow("another name of a file");
      const { file } = await openRegularFile(join(base, "ws", "plain"), "plain", own);
      await file.close();
    } finally {
      fs.rmSync(base, { recursive: true, force: true });
    }
  });
});
