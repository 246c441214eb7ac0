import assert from "node:assert/strict";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { expect, test } from "vitest";
import { HandleFiles, markerOf } from "../../src/tools/processes/handle.ts";
import { EndlessProvider } from "../support/endless-provider.ts";
import type { ReceivedRequest } from "../support/fake-provider.ts";
import { callTools, say, type Step } from "../support/wire-script.ts";
import { Place, resultOf } from "./program.ts";

/** Said, printed, written, planned, delegated: in each session under another name. */
const CANARY = "canary-7f3k9q";

const call = (name: string, args: object): { name: string; args: object } => ({ name, args });

const CALLS = [
  call("todo", { todos: [{ id: "1", content: `feed ${CANARY}`, status: "in_progress" }] }),
  call("write_file", { path: "notes.txt", content: `first ${CANARY}\n` }),
  call("write_file", { path: "notes.txt", content: "second\n" }),
  call("long", {}),
  call("terminal", { command: `echo ${CANARY}; sleep 0.2`, background: true }),
  call("terminal", { command: `echo ${CANARY} >> more.txt; seq -f '${CANARY} %g' 20000` }),
  call("delegate_task", { tasks: [{ goal: `look after ${CANARY}` }] }),
];

/** Each call once, then an answer; a child has a long result of its own. */
function model({ body }: ReceivedRequest): Step {
  const behind = body.messages.slice(body.messages.findLastIndex(({ role }) => role === "user"));
  const done = behind.filter(({ role }) => role === "tool").length;
  const isChild = String(body.messages[0]?.content).startsWith("You are a child agent");
  const calls = isChild ? [call("long", {})] : JSON.stringify(behind[0]).includes("again") ? [] : CALLS;
  const next = calls[done];
  if (next === undefined) return say([`all about ${CANARY} done`]);
  return callTools([{ id: `c${done}-${isChild}`, name: next.name, arguments: next.args }]);
}

const LONG = `export default { name: "long", description: "Long.", parameters: { type: "object" }, effect: "pure",
  run: () => Array.from({ length: 20_000 }, (_, line) => "${CANARY} line " + line).join("\\n") };`;

/** Files below a folder that hold a text, also where SQLite has let go of it, by their bytes. */
function holding(folder: string, text: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => readFileSync(path).includes(text))
    .map((path) => relative(folder, path))
    .toSorted();
}

/** As a program that was killed leaves a process that has ended meanwhile. */
function leaveProcess({ home, work }: Place, sessionId: string): void {
  const files = new HandleFiles(join(home, "processes"));
  const call = { sessionId, callId: "c4" };
  const handle = { ...call, id: "p1", marker: markerOf(call), command: `echo ${CANARY}`, cwd: work };
  files.write({ ...handle, startedMs: 1, owner: { pid: 1 } });
  writeFileSync(files.logPath({ ...handle, startedMs: 1, owner: { pid: 1 } }), CANARY);
}

test("[G1][R25] what is removed with a session and its forks is nowhere any more, in no file of the program", async () => {
  const place = new Place();
  const provider = new EndlessProvider(model);
  await provider.server.listen();
  try {
    place.configure({ mine: provider.server });
    mkdirSync(join(place.home, "tools"), { recursive: true });
    const own = join(place.home, "tools", "long.mjs");
    writeFileSync(own, LONG);
    writeFileSync(join(place.work, "notes.txt"), `before ${CANARY}\n`);
    const told = ["--approve", "all", "--output", "json"];
    const first = resultOf(await place.run(undefined, ["-p", `tell me of ${CANARY}`, ...told]));
    assert.equal(first.ok, true, JSON.stringify(first));
    const id = first.sessionId ?? "";
    const fork = await place.run(undefined, ["session", "fork", id, "--json"]);
    assert.equal(fork.code, 0, fork.stderr);
    const again = await place.run(undefined, ["-p", `again ${CANARY}`, "--resume", "last", ...told]);
    assert.equal(again.code, 0, again.stderr);
    leaveProcess(place, id);
    const before = holding(place.home, CANARY);
    for (const part of ["evander.db", "results/", "checkpoints/", "processes/"])
      expect(before.some((path) => path.startsWith(part))).toBe(true);

    const copy = join(place.home, "evander.db.format-13");
    copyFileSync(join(place.home, "evander.db"), copy);
    const removed = await place.run(undefined, ["session", "rm", id, "--forks", "--yes"]);
    assert.equal(removed.code, 0, removed.stderr);
    expect(removed.stderr).toContain(copy);
    rmSync(copy);
    expect((await place.run(undefined, ["session", "list"])).stdout).toBe("");
    expect(holding(place.folder, CANARY).filter((path) => path.startsWith("work"))).not.toEqual([]);
    expect(holding(place.home, CANARY)).toEqual([relative(place.home, own)]);
  } finally {
    await provider.close();
    place.remove();
  }
});
