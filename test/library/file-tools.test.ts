import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Agent } from "../../src/index.ts";
import { builtInTools } from "../../src/tools/built-in.ts";
import { bench, type Bench } from "../support/agent-in-folder.ts";
import { callTools, say, type ScriptedCall } from "../support/wire-script.ts";

const workIn = (on: Bench): string => {
  const cwd = join(on.folder, "work");
  mkdirSync(cwd, { recursive: true });
  return cwd;
};

/** Another process on the same store: nothing is kept between two of them but what is recorded. */
const botIn = (on: Bench, cwd: string): Agent =>
  on.agent({ tools: builtInTools({ cwd, home: on.folder, env: {} }), approvals: "all" });

const calls = (name: string, inputs: readonly object[]): ScriptedCall[] =>
  inputs.map((input, n) => ({ id: `${name}-${n}`, name, arguments: JSON.stringify(input) }));

const receipts = (on: Bench): string[] =>
  (on.provider.requests.at(-1)?.body.messages ?? [])
    .filter(({ role }) => role === "tool")
    .map(({ content }) => String(content));

test("[PAR-01] edits of one file wait for each other in one reply, and those of several files run side by side", async () => {
  await using on = await bench();
  const cwd = workIn(on);
  const letters = "abcdefghijklmnopqrstuvwxyz".replaceAll(/./gu, "$&\n");
  for (const name of ["t.txt", "u.txt"]) writeFileSync(join(cwd, name), letters);
  const edit = (path: string, old: string): object => ({
    path,
    old_string: `${old}\n`,
    new_string: `${old.repeat(3)}\n`,
  });
  const edits = [edit("t.txt", "c"), edit("u.txt", "c"), edit(join(cwd, "./t.txt"), "x"), edit("../work/t.txt", "d")];
  on.provider.script(callTools(calls("patch", edits)), say("Done."));
  await botIn(on, cwd).run("go", { sessionId: "s" });
  const changed = letters.replace(/[cdx]/gu, "$&$&$&");
  expect(readFileSync(join(cwd, "t.txt"), "utf8")).toBe(changed);
  expect(readFileSync(join(cwd, "u.txt"), "utf8")).toBe(letters.replace("c", "ccc"));
  const batches = on.facts().flatMap((fact) => (fact.type === "segment-start" ? [fact.callIds.length] : []));
  expect(batches).toEqual([2, 1, 1]);
});

test("[PAR-02] what a session has read holds in the next process, and a change by anybody else is seen there", async () => {
  await using on = await bench();
  const cwd = workIn(on);
  const path = join(cwd, "f.txt");
  writeFileSync(path, "v1\n");
  on.provider.script(callTools(calls("read_file", [{ path: "f.txt" }])), say("Read."));
  const first = botIn(on, cwd);
  await first.run("read", { sessionId: "s" });
  await first.close();

  on.provider.script(callTools(calls("write_file", [{ path: "f.txt", content: "v2\n" }])), say("Written."));
  const second = botIn(on, cwd);
  await second.run("write", { sessionId: "s" });
  expect(receipts(on).at(-1)).toContain("Replaced f.txt");
  await second.close();

  writeFileSync(path, "by somebody else\n");
  on.provider.script(callTools(calls("write_file", [{ path: "f.txt", content: "v3\n" }])), say("Refused."));
  await botIn(on, cwd).run("write again", { sessionId: "s" });
  expect(receipts(on).at(-1)).toContain("f.txt changed since you read it, so nothing was written");
  expect(readFileSync(path, "utf8")).toBe("by somebody else\n");

  on.provider.script(callTools(calls("write_file", [{ path: "f.txt", content: "v4\n" }])), say("Refused."));
  await botIn(on, cwd).run("a new session", { sessionId: "other" });
  expect(receipts(on).at(-1)).toContain("was not read in this session");
  // What is kept for this is never sent.
  expect(JSON.stringify(on.provider.requests.map(({ body }) => body))).not.toContain('"version"');
});
