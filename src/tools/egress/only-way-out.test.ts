import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const SRC = join(import.meta.dirname, "../..");
const SENDS =
  /(?:from |import\(|require\(|getBuiltinModule\()\s*["'](?:node:)?(?:https?|http2|net|tls|dgram|dns(?:\/promises)?|undici|ws)["']|(?<![.\w])(?:globalThis\.)?(?:fetch|WebSocket|EventSource)\(/u;
const TYPES_ONLY = /^import type [^;]*;$/gmu;

/** Where tools live, and what runs on behalf of one. */
const sources = globSync(["tools/**/*.ts", "extend/**/*.ts", "context/**/*.ts"], { cwd: SRC }).filter(
  (file) => !file.endsWith(".test.ts") && !file.startsWith(join("tools", "egress")),
);

/** What stays on this machine, or takes its `fetch` from whoever calls it; a name here is a decision. */
const STAYS: ReadonlyMap<string, string> = new Map([
  [join("tools", "scripts", "clients.ts"), "the text of a script's own socket to its tools"],
  [join("tools", "scripts", "serve-calls.ts"), "listens to scripts on a socket that is a file"],
  [join("tools", "mcp", "redirect.ts"), "listens on loopback for the end of a login"],
  [join("tools", "mcp", "log-in.ts"), "the fetch of its options, which is that of the way out"],
]);

test("[security 76] nothing that tools do opens a connection but the one way out", () => {
  expect(sources.length).toBeGreaterThan(100);
  const found = sources.filter((file) => SENDS.test(readFileSync(join(SRC, file), "utf8").replace(TYPES_ONLY, "")));
  expect(found.toSorted()).toEqual([...STAYS.keys()].toSorted());
});

test("[security 76] each way to send by itself would be seen", () => {
  for (const line of [
    'import { request } from "node:http";',
    'const { get } = await import("node:https");',
    'process.getBuiltinModule("node:net")',
    "await fetch(url)",
    "globalThis.fetch(url)",
    'import { lookup } from "dns/promises";',
  ])
    expect([line, SENDS.test(line)]).toEqual([line, true]);
  for (const line of ["egress.fetch(url)", "prefetch(url)", 'import { a } from "./http.ts";'])
    expect([line, SENDS.test(line)]).toEqual([line, false]);
});
