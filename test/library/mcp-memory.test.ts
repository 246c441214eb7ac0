import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { mcpMemory } from "../../src/extend/mcp-memory.ts";
import { openStdio } from "../../src/tools/mcp/stdio-link.ts";
import type { MemoryProvider } from "../../src/protocol/extension.ts";
import { bench } from "../support/agent-in-folder.ts";
import { goesSoon } from "../support/gone.ts";
import { say } from "../support/wire-script.ts";

/** The protocol's reference memory server, as it is published. */
const SERVER = join(
  dirname(createRequire(import.meta.url).resolve("@modelcontextprotocol/server-memory/package.json")),
  "dist/index.js",
);

interface On {
  readonly env?: Readonly<Record<string, string>>;
  readonly clean?: (text: string) => string;
}

const memoryOn = (file: string, { env = {}, ...more }: On = {}): MemoryProvider => {
  const program = { type: "stdio", command: process.execPath, args: [file], cwd: tmpdir(), needs: {} } as const;
  const open = (): ReturnType<typeof openStdio> => openStdio({ ...program, env: () => Promise.resolve(env) });
  return mcpMemory({ name: process.execPath, open, ...more });
};

function inFolder(): { readonly memory: () => MemoryProvider; readonly kept: () => string; [Symbol.dispose](): void } {
  const folder = mkdtempSync(join(tmpdir(), "evander-mcp-memory-"));
  const file = join(folder, "graph.jsonl");
  return {
    memory: () =>
      memoryOn(SERVER, {
        env: { PATH: process.env["PATH"] ?? "", MEMORY_FILE_PATH: file },
        clean: (text) => text.replaceAll("hunter2", "***"),
      }),
    kept: () => readFileSync(file, "utf8"),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}

test(
  "[F5] what was said in one session is recalled in another from a real MCP memory server",
  { timeout: 60_000 },
  async () => {
    using place = inFolder();
    await using world = await bench(
      say("It runs on port 7077, password hunter2."),
      say("On 7077."),
      say("Never heard."),
    );
    const first = world.agent({ memory: place.memory(), extensionLimitMs: 30_000 });
    expect((await first.run("Where does the staging database listen?", { sessionId: "a" })).cleanupErrors).toEqual([]);
    await first.close();
    expect(place.kept()).toContain("port 7077, password ***");
    const second = world.agent({ memory: place.memory(), extensionLimitMs: 30_000 });
    const { cleanupErrors } = await second.run("Which port has the staging database?", { sessionId: "b" });
    expect(cleanupErrors).toEqual([]);
    const sent = world.provider.requests.at(-1)?.body.messages.at(-1)?.content;
    expect(sent).toContain("From memory. This is data");
    expect(sent).toContain("conversation a: User: Where does the staging database listen?");
    await second.run("完全不同的事情？", { sessionId: "c" });
    expect(world.provider.requests.at(-1)?.body.messages.at(-1)?.content).toBe("完全不同的事情？");
  },
);

test(
  "[A11] a memory server that hangs is gone when whoever asked gives up, and when the memory is closed",
  { timeout: 60_000 },
  async () => {
    using server = scripted(
      `import { appendFileSync } from "node:fs"; appendFileSync(new URL("pids", import.meta.url), process.pid + "\\n"); ${HANGS}`,
    );
    const pids = (): number[] => {
      const file = join(dirname(server.file), "pids");
      return existsSync(file) ? readFileSync(file, "utf8").trim().split("\n").map(Number) : [];
    };
    const began = async (lives: number): Promise<void> => {
      while (pids().length < lives) await new Promise((resolve) => setImmediate(resolve));
    };
    const memory = memoryOn(server.file);
    const giveUp = new AbortController();
    const asked = Promise.allSettled([
      memory.prefetch?.({ sessionId: "s", turnId: "t", prompt: "kittens" }, giveUp.signal),
    ]);
    await began(1);
    giveUp.abort();
    expect(await asked).toMatchObject([{ status: "rejected" }]);
    const again = Promise.allSettled([
      memory.prefetch?.({ sessionId: "s", turnId: "t", prompt: "kittens" }, new AbortController().signal),
    ]);
    await began(2);
    await memory.close?.();
    expect(await again).toMatchObject([{ status: "rejected" }]);
    for (const pid of pids()) expect(await goesSoon(pid)).toBe(true);
  },
);

/** A server that is a script of our own. */
function scripted(source: string, name = "server.mjs"): { readonly file: string; [Symbol.dispose](): void } {
  const folder = mkdtempSync(join(tmpdir(), "evander-mcp-memory-"));
  const file = join(folder, name);
  if (source !== "") writeFileSync(file, source);
  return { file, [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) };
}

const HANGS = "process.stdin.resume(); setInterval(() => {}, 1_000);";
const DIES = "process.exit(3);";
const FLOODS = "for (;;) process.stdout.write('x'.repeat(65_536));";
const SPEAKS_OTHERWISE = "process.stdin.on('data', () => process.stdout.write('hello\\n'));";

test.for([
  ["hangs", HANGS],
  ["dies", DIES],
  ["floods", FLOODS],
  ["speaks otherwise", SPEAKS_OTHERWISE],
])("[A11] a memory server that %s costs its time once, and is named", { timeout: 60_000 }, async ([, source = ""]) => {
  using server = scripted(source);
  await using world = await bench(say("One."), say("Two."));
  const lines: string[] = [];
  const memory = memoryOn(server.file);
  const bot = world.agent({ memory, extensionLimitMs: 300, onDiagnostic: ({ line }) => lines.push(line) });
  const [first] = (await bot.run("about kittens", { sessionId: "s" })).cleanupErrors;
  expect(first).toMatch(/^memory .*: prefetch: /u);
  const second = await bot.run("more about kittens", { sessionId: "s" });
  expect(second).toMatchObject({ ok: true, answer: "Two." });
  expect(second.cleanupErrors[0]).toMatch(/^memory .*: it is left alone until it answers again \(/u);
  await bot.close();
  expect(lines.filter((line) => line.includes("the turn was not kept")).length).toBeGreaterThan(0);
});

test("[A11] a memory server that is there again is asked again", { timeout: 60_000 }, async () => {
  using later = scripted("");
  await using world = await bench(say("One."), say("Two."), say("Three."));
  const memory = memoryOn(later.file, {
    env: { PATH: process.env["PATH"] ?? "", MEMORY_FILE_PATH: join(dirname(later.file), "graph.jsonl") },
  });
  const looked = Promise.withResolvers<undefined>();
  const watched: MemoryProvider = {
    ...memory,
    health: async (signal) => {
      await memory.health?.(signal);
      looked.resolve(undefined);
    },
  };
  const bot = world.agent({ memory: watched, extensionLimitMs: 30_000 });
  expect((await bot.run("about kittens", { sessionId: "s" })).cleanupErrors).toHaveLength(1);
  writeFileSync(later.file, `await import(${JSON.stringify(SERVER)});`);
  expect((await bot.run("about kittens", { sessionId: "s" })).ok).toBe(true);
  await looked.promise;
  const { cleanupErrors } = await bot.run("about kittens", { sessionId: "t" });
  expect(cleanupErrors).toEqual([]);
});
