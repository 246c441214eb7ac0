import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { fakeProvider } from "../support/fake-provider.ts";
import { say } from "../support/wire-script.ts";
import { PATIENT, Place, resultOf } from "./program.ts";

const PACKAGE = createRequire(import.meta.url).resolve("@modelcontextprotocol/server-memory/package.json");
const SERVER = join(dirname(PACKAGE), "dist/index.js");

test("[F5][A11] a memory server that the config names is told what was said, also by a run that ends at once", async () => {
  await using provider = await fakeProvider([say("On port 7077."), say("7077."), say("Again.")]);
  const place = new Place();
  try {
    const graph = join(place.home, "graph.jsonl");
    const remember = (server: string): void =>
      place.configure({ mine: provider }, [
        `memory: {server: [env, "MEMORY_FILE_PATH=${graph}", "${process.execPath}", "${server}"]}`,
      ]);
    remember(SERVER);
    const ask = (prompt: string) => place.run(undefined, ["-p", prompt, "--output", "json"], { env: PATIENT });
    expect(resultOf(await ask("Where does the staging database listen?"))).toMatchObject({ cleanupErrors: [] });
    expect(readFileSync(graph, "utf8")).toContain("Answer: On port 7077.");
    expect(resultOf(await ask("Which port has the staging database?"))).toMatchObject({ cleanupErrors: [] });
    expect(provider.requests[1]?.text).toContain("Where does the staging database listen?");
    remember("/nowhere/server.js");
    expect(resultOf(await ask("Which port has the staging database?"))).toMatchObject({
      ok: true,
      cleanupErrors: [expect.stringMatching(/^memory env: prefetch: /u)],
    });
  } finally {
    place.remove();
  }
});

test("[F5][A11] what a memory server says went wrong is told in few words, and commands no terminal", async () => {
  await using provider = await fakeProvider([say("Hello.")]);
  const place = new Place();
  try {
    const server = join(place.work, "server.mjs");
    const message = `\u001B]0;taken\u0007\u001B[2J${"no ".repeat(9_000)}`;
    const answer = `{ jsonrpc: "2.0", id: JSON.parse(line).id, error: { code: 1, message: ${JSON.stringify(message)} } }`;
    writeFileSync(
      server,
      `import { createInterface } from "node:readline";
       for await (const line of createInterface({ input: process.stdin })) console.log(JSON.stringify(${answer}));`,
    );
    place.configure({ mine: provider }, [`memory: {server: ["${process.execPath}", "${server}"]}`]);
    const { stdout, stderr } = await place.run(undefined, ["-p", "Hello?"], { env: PATIENT });
    expect(stdout).toBe("Hello.\n");
    expect(stderr).toContain("]0;taken");
    expect(stderr).not.toMatch(/[^\P{Cc}\n]/u);
    expect(stderr.length).toBeLessThan(2_000);
  } finally {
    place.remove();
  }
});
