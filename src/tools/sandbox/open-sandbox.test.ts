import { expect, test } from "vitest";
import type { Bounds } from "./bounds.ts";
import { openSandbox, type SandboxOptions } from "./open-sandbox.ts";
import type { Opened, Reach } from "./runtime.ts";

const START = { file: "/bin/ls", args: ["-l"], cwd: "/w", env: { A: "1" } };

interface Seen {
  readonly drawn: { readonly bounds: Bounds; readonly how: Reach }[];
  closed: number;
  released: number;
}

const sandboxWith = (more: Partial<SandboxOptions>, seen: Seen = { drawn: [], closed: 0, released: 0 }) => ({
  seen,
  sandbox: openSandbox({
    mode: "auto",
    hosts: [],
    env: { PATH: "/usr/bin:/home/me/.tool/bin" },
    cwd: "/home/me/work",
    home: "/home/me",
    guarded: ["/home/me/.evander"],
    writes: ["/cache"],
    reads: [],
    open: async (): Promise<Opened> => ({
      type: "runtime",
      runtime: {
        by: "test",
        wrap: async (start, bounds, how) => {
          seen.drawn.push({ bounds, how });
          return { ...start, file: "/box", release: () => void (seen.released += 1) };
        },
        close: async () => void (seen.closed += 1),
      },
    }),
    ...more,
  }),
});

const none = async (): Promise<Opened> => ({ type: "missing", why: "there is none here" });

test("[X6] a sandbox that was named is had or nothing runs; one that was not may be missing, which is told", async () => {
  const named = openSandbox({ ...at(), mode: "workspace", open: none });
  expect(await named.state()).toMatchObject({ type: "missing", next: expect.stringContaining("bubblewrap") });
  await expect(named.confine(START)).rejects.toThrow(/^Not run: .*there is none here.*sandbox\.mode off/su);
  const auto = openSandbox({ ...at(), mode: "auto", open: none });
  expect(await auto.state()).toEqual({ type: "off", why: "there is none here" });
  expect(await auto.confine(START)).toMatchObject(START);
  const off = openSandbox({ ...at(), mode: "off" });
  expect(await off.state()).toMatchObject({ type: "off" });
});

const at = (): Omit<SandboxOptions, "mode"> => ({
  hosts: [],
  env: {},
  cwd: "/w",
  home: "/home/me",
  guarded: [],
  writes: [],
  reads: [],
});

test("[X6] what is started sees its folder and its programs, and writes the folder but for what steers other programs", async () => {
  const { sandbox, seen } = sandboxWith({});
  const confined = await sandbox.confine(START, { writes: ["/more"], sockets: ["/run/box/s.sock"] });
  expect(confined.file).toBe("/box");
  const { bounds, how } = seen.drawn[0] ?? { bounds: undefined, how: undefined };
  expect(bounds?.writable).toEqual(expect.arrayContaining(["/home/me/work", "/cache", "/more"]));
  expect(bounds?.hidden).toEqual(expect.arrayContaining(["/home/me", "/home/me/.evander", "/tmp"]));
  expect(bounds?.shown).toEqual(expect.arrayContaining(["/home/me/.tool", "/run/box"]));
  expect(bounds?.closed).toEqual(expect.arrayContaining(["/home/me/work/.git/hooks", "/more/.mcp.json"]));
  expect(how).toEqual({ sockets: true, hosts: [] });
  await confined.release();
  await sandbox.close();
  expect([seen.released, seen.closed]).toEqual([1, 1]);
});

test("[X6] in read-only, or for a server that asks for no more, the folder is not written", async () => {
  for (const [mode, needs] of [
    ["read-only", {}],
    ["workspace", { readOnly: true }],
  ] as const) {
    const { sandbox, seen } = sandboxWith({ mode });
    await sandbox.confine(START, needs);
    expect(seen.drawn[0]?.bounds.writable).not.toContain("/home/me/work");
  }
});
