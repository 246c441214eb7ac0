import { expect, test } from "vitest";
import { dice } from "../support/dice.ts";
import { type Disk, type DiskOp, FailingDisk } from "./power-loss.ts";

const write = (path: string, at: number, text: string): DiskOp => ({
  type: "write",
  path,
  at,
  bytes: Buffer.from(text),
});
const create = (path: string): DiskOp => ({ type: "create", path });

/** All that can be found when the power goes behind these operations, as text. */
function outcomes(ops: readonly DiskOp[], path: string): Set<string | undefined> {
  const found = new Set<string | undefined>();
  for (let seed = 0; seed < 200; seed++) {
    const disk = new FailingDisk();
    for (const op of ops) disk.do(op);
    found.add(disk.lose(dice(seed)).get(path)?.toString());
  }
  return found;
}

const SYNCED: readonly DiskOp[] = [
  create("/d/a"),
  write("/d/a", 0, "one"),
  { type: "sync", path: "/d/a", since: 2 },
  { type: "sync", path: "/d", since: 3 },
];

test("[R4] what was synced, with its folder, is always found", () => {
  expect(outcomes(SYNCED, "/d/a")).toEqual(new Set(["one"]));
});

test("[R4] what was not synced may be there, lost or zeros, also where what came behind it is there", () => {
  const found = outcomes([...SYNCED, write("/d/a", 3, "two"), write("/d/a", 6, "six")], "/d/a");
  for (const text of ["one", "onetwo", "onetwosix", "one\0\0\0six", "one\0\0\0"]) expect(found).toContain(text);
});

test("[R4] a write is torn at its sectors", () => {
  const found = outcomes([...SYNCED, write("/d/a", 0, "x".repeat(1_024))], "/d/a");
  expect(found).toContain(`one${"\0".repeat(509)}${"x".repeat(512)}`);
  expect(found).toContain("x".repeat(512));
});

test("[R4] a sync does not vouch for what was written while it ran", () => {
  const ops: readonly DiskOp[] = [...SYNCED, write("/d/a", 3, "two"), { type: "sync", path: "/d/a", since: 4 }];
  expect(outcomes(ops, "/d/a")).toContain("one");
});

test("[R4] an entry is certain when its folder was synced: a file can be missing, and one that was removed be there", () => {
  expect(outcomes(SYNCED.slice(0, 3), "/d/a")).toEqual(new Set([undefined, "one"]));
  expect(outcomes([...SYNCED, { type: "unlink", path: "/d/a" }], "/d/a")).toEqual(new Set([undefined, "one"]));
  const renamed: readonly DiskOp[] = [...SYNCED, { type: "rename", path: "/d/a", to: "/d/b" }];
  expect(outcomes(renamed, "/d/b")).toEqual(new Set([undefined, "one"]));
  expect(outcomes([...renamed, { type: "sync", path: "/d", since: 5 }], "/d/b")).toEqual(new Set(["one"]));
});

test("[R4] where only the process dies everything is there", () => {
  const before: Disk = new Map([["/d/a", Buffer.from("old text")]]);
  const disk = new FailingDisk(before);
  disk.do(write("/d/a", 0, "new"));
  disk.do({ type: "truncate", path: "/d/a", size: 5 });
  expect(disk.keep().get("/d/a")?.toString()).toBe("new t");
});
