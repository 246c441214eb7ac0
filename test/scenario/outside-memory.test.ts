import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
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
    mkdirSync(place.home);
    const graph = join(place.home, "graph.jsonl");
    const config = [
      "model: m",
      "provider: mine",
      "providers:",
      `  mine: {baseUrl: "${provider.baseUrl}"}`,
      "memory:",
      `  server: [env, "MEMORY_FILE_PATH=${graph}", "${process.execPath}", "${SERVER}"]`,
    ];
    writeFileSync(join(place.home, "config.yaml"), config.join("\n"));
    const ask = (prompt: string) => place.run(undefined, ["-p", prompt, "--output", "json"], { env: PATIENT });
    expect(resultOf(await ask("Where does the staging database listen?"))).toMatchObject({ cleanupErrors: [] });
    expect(readFileSync(graph, "utf8")).toContain("Answer: On port 7077.");
    expect(resultOf(await ask("Which port has the staging database?"))).toMatchObject({ cleanupErrors: [] });
    expect(provider.requests[1]?.text).toContain("Where does the staging database listen?");
    writeFileSync(join(place.home, "config.yaml"), config.join("\n").replace(SERVER, "/nowhere/server.js"));
    expect(resultOf(await ask("Which port has the staging database?"))).toMatchObject({
      ok: true,
      cleanupErrors: [expect.stringMatching(/^memory env: prefetch: /u)],
    });
  } finally {
    place.remove();
  }
});
