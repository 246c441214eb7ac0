import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Sandbox } from "../../src/protocol/sandbox.ts";
import { systemClock } from "../../src/session/system-clock.ts";
import { connectOnce } from "../../src/tools/mcp/connect-once.ts";
import { goesSoon } from "../support/gone.ts";
import { callIn, contextOf, McpPlace, programServer, published, toolIn } from "../support/mcp.ts";

const names = (tools: readonly { readonly name: string }[]): string[] => tools.map(({ name }) => name);

test("[I5] [E9] three published servers are used at once: their tools by name, files, a graph, pictures, progress", async () => {
  await using place = new McpPlace();
  const files = join(place.folder, "files");
  mkdirSync(files);
  writeFileSync(join(files, "a.txt"), "Ada was here.");
  const desk = place.desk([
    programServer("fs", [published("filesystem"), files]),
    programServer("everything", [published("everything"), "stdio"]),
    programServer("memory", [published("memory")], {
      reach: {
        type: "stdio",
        command: process.execPath,
        args: [published("memory")],
        cwd: place.folder,
        env: () => Promise.resolve({ PATH: process.env["PATH"] ?? "", MEMORY_FILE_PATH: join(place.folder, "graph") }),
        needs: {},
      },
    }),
  ]);
  const tools = await desk.tools();
  expect(place.told).toEqual([]);
  expect(names(tools)).toEqual(names(tools).toSorted());
  expect(new Set(names(tools).map((name) => name.split("__")[1]))).toEqual(new Set(["everything", "fs", "memory"]));
  expect(await desk.tools()).toEqual(tools);
  expect(await callIn(tools, "mcp__fs__read_text_file", { path: join(files, "a.txt") })).toContain("Ada was here.");
  await expect(callIn(tools, "mcp__fs__read_text_file", { path: "/etc/passwd" })).rejects.toThrow(/denied|outside/u);
  const entities = [{ name: "Ada", entityType: "person", observations: ["writes programs"] }];
  await callIn(tools, "mcp__memory__create_entities", { entities });
  expect(await callIn(tools, "mcp__memory__search_nodes", { query: "Ada" })).toContain("writes programs");
  expect(await callIn(tools, "mcp__everything__echo", { message: "hi" })).toBe("Echo: hi");
  const picture = await callIn(tools, "mcp__everything__get-tiny-image");
  expect(picture).toContainEqual({ type: "image", url: expect.stringMatching(/^data:image\/png;base64,/u) });
  const shown: string[] = [];
  const long = toolIn(tools, "mcp__everything__trigger-long-running-operation");
  const context = contextOf(new AbortController().signal, (text) => shown.push(text));
  expect(await long.run({ duration: 0.3, steps: 3 }, context)).toContain("completed");
  // The last one may be told no more: its answer ends the call, and may be read together with it.
  expect(shown.join("")).toMatch(/^1 of 3\n2 of 3\n/u);
}, 60_000);

test("[I5] a server is connected for once: what it lists, and nothing of it is left", async () => {
  await using place = new McpPlace();
  const options = { folder: place.folder, clock: systemClock };
  const once = await connectOnce(place.faulty("none"), options, new AbortController().signal);
  expect(once.listing).toMatchObject({ instructions: "Be kind.", tools: [{ name: "echo" }, { name: "reads" }] });
  expect(once.serverInfo).toMatchObject({ name: "fixture" });
  expect(
    await callIn(
      once.tools.map(({ tool }) => tool),
      "mcp__none__echo",
      { a: 1 },
    ),
  ).toBe('echo {"a":1}');
  await once.close();
  for (const pid of place.pids("none")) expect(await goesSoon(pid)).toBe(true);
}, 30_000);

test("[I5] [X6] a program that is a server is started as its sandbox says, and may write where it was declared alone", async () => {
  await using place = new McpPlace();
  const server = place.faulty("none");
  if (server.reach.type !== "stdio") throw new Error("it is a program");
  const needs = { writes: [place.folder], hosts: ["example.com"] };
  const asked: unknown[] = [];
  let released = 0;
  const sandbox: Sandbox = {
    state: () => Promise.resolve({ type: "on", mode: "workspace", by: "a test" }),
    close: () => Promise.resolve(),
    confine: (start, given) => {
      asked.push(given);
      const release = (): Promise<void> => Promise.resolve(void released++);
      return Promise.resolve({ ...start, args: [...start.args, "confined"], release });
    },
  };
  const desk = place.desk([{ ...server, reach: { ...server.reach, needs } }], { sandbox });
  expect(await callIn(await desk.tools(), "mcp__none__echo")).toBe("echo {}");
  expect(asked).toMatchObject([{ ...needs, readOnly: true }]);
  await desk.close();
  expect(released).toBe(1);
}, 30_000);
