import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import type { ToolContext } from "../../protocol/tool.ts";
import { serveCalls } from "./serve-calls.ts";

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), "evander-serve-"));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

const context = (call: NonNullable<ToolContext["call"]>): ToolContext => ({
  callId: "c1",
  sessionId: "s1",
  history: [],
  signal: new AbortController().signal,
  output: () => undefined,
  call,
});

/** All that comes back for these pieces, until the other side has closed. */
const sent = (socket: string, pieces: readonly Uint8Array[]): Promise<string> =>
  new Promise((resolve) => {
    let told = "";
    const connection = connect(socket);
    connection.setEncoding("utf8");
    connection.on("data", (text: string) => (told += text));
    // Whoever is cut off in the middle has nothing more to say.
    connection.on("error", () => undefined);
    connection.on("close", () => resolve(told));
    for (const piece of pieces) connection.write(piece);
    connection.end("\n");
  });

test("[E9] whatever is sent in whatever pieces gets one line and no call; whoever has the secret is served", async () => {
  const inside = folder();
  const made: string[] = [];
  const call: NonNullable<ToolContext["call"]> = (name) => {
    made.push(name);
    return Promise.resolve({ text: "told" });
  };
  await using serving = await serveCalls(inside, context(call));
  const parts = fc.array(fc.uint8Array({ maxLength: 200 }), { maxLength: 5 });
  const json = fc.json().map((text) => [Buffer.from(text)]);
  await fc.assert(
    fc.asyncProperty(fc.oneof(parts, json), async (pieces) => {
      const told = await sent(serving.socket, pieces);
      expect(told).toMatch(/^\{"ok":false,"text":"[^"]+"\}\n$/u);
      expect(made).toEqual([]);
    }),
    { numRuns: 60 },
  );
  expect(serving.count()).toBe(0);
  const { secret } = JSON.parse(readFileSync(join(inside, "connection.json"), "utf8")) as { readonly secret: string };
  const good = Buffer.from(JSON.stringify({ secret, tool: "read_file", input: { path: "ä" } }));
  const bytes = [...good].map((byte) => Uint8Array.of(byte));
  expect(await sent(serving.socket, bytes)).toBe('{"ok":true,"text":"told"}\n');
  expect(made).toEqual(["read_file"]);
});

test("[E9] nobody but its owner reaches the socket or the secret, and with the script both are gone", async () => {
  const inside = folder();
  const serving = await serveCalls(
    inside,
    context(() => Promise.resolve({ text: "" })),
  );
  for (const name of ["socket", "connection.json"]) expect(statSync(join(inside, name)).mode & 0o077).toBe(0);
  await serving[Symbol.asyncDispose]();
  expect(await sent(serving.socket, [])).toBe("");
});
