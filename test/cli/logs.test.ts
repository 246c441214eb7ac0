import { mkdir, readdir, readFile, stat, symlink, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { fakeProvider } from "../support/fake-provider.ts";
import { ProgramWorld } from "../support/program.ts";
import { echo } from "../support/tools.ts";
import { callTools, refuse, say } from "../support/wire-script.ts";
import { unmarked } from "../support/marks.ts";

type Line = Readonly<Record<string, unknown>>;

const FOLDER = "state/state/logs";

async function lines(world: ProgramWorld, name = "evander.jsonl"): Promise<Line[]> {
  const text = await readFile(join(world.folder, FOLDER, name), "utf8");
  return text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Line);
}

const look = callTools([{ id: "c1", name: "echo", arguments: { text: "a plan" } }]);

test("[J2] a turn leaves one line, with its ids and the exit reason, and nothing of what was said", async () => {
  await using provider = await fakeProvider([look, say("The plan is to rest.")]);
  await using world = await ProgramWorld.onServer(provider.baseUrl, [echo]);
  const { turnId, sessionId } = await world.ask("what is the plan?");
  const [line, ...more] = await lines(world);
  expect(more).toEqual([]);
  expect(line).toMatchObject({ level: "info", event: "turn-end", session: sessionId, turn: turnId, code: 0 });
  expect(line).toMatchObject({ reason: "text_response", model: "fake-1", calls: 2, tool_turns: 1, budget: "2/500" });
  expect(JSON.stringify(line)).not.toContain("plan");
  const { mode } = await stat(join(world.folder, FOLDER, "evander.jsonl"));
  expect((mode & 0o777).toString(8)).toBe("600");
});

test("[J2] EVANDER_LOG=debug keeps each step with iteration, attempt and tool call; off keeps nothing", async () => {
  await using provider = await fakeProvider([
    refuse(500, { error: { message: "overloaded" } }),
    look,
    say("Rest."),
    say("Again."),
    say("Unkept."),
  ]);
  await using world = await ProgramWorld.onServer(provider.baseUrl, [echo]);
  const flags = ["--config", "retry.baseMs=1"];
  await world.run(["-p", "what?", ...flags], "", { env: { EVANDER_LOG: "debug" } });
  const told = await lines(world);
  expect(told.find(({ event }) => event === "model-failure")).toMatchObject({
    level: "debug",
    iteration: 1,
    status: 500,
  });
  const receipt = told.find(({ event }) => event === "receipt");
  expect(receipt).toMatchObject({ iteration: 1, tool_call: "c1", status: "ok" });
  // That of the session's prompt comes before the turn.
  expect(told.filter(({ turn }) => typeof turn !== "string").map(({ event }) => event)).toEqual(["prompt"]);
  expect(told.every(({ session }) => typeof session === "string")).toBe(true);
  expect(JSON.stringify(told)).not.toContain("a plan");
  await world.run(["-p", "again", "--config", "log.level=off"]);
  await world.run(["-p", "unkept", "--no-save"]);
  expect(await lines(world)).toEqual(told);
});

test("[X8] no secret reaches the log: known values, and whatever looks like one", async () => {
  const echoed = "key hunter2-hunter2, sk-abcdefghijklmnop, Bearer abc.def, https://me:pass@host/";
  await using provider = await fakeProvider([refuse(400, { error: { message: echoed } })]);
  await using world = await ProgramWorld.onServer(provider.baseUrl);
  const env = { EVANDER_LOG: "debug", MY_API_KEY: "hunter2-hunter2" };
  await world.run(["-p", "hi"], "", { env });
  const failure = (await lines(world)).find(({ event }) => event === "model-failure");
  expect(unmarked(String(failure?.["message"]))).toContain("key ***, ***, Bearer ***, https://me:***@host/");
});

test("[J2] a log that cannot be written costs no turn, and --verbose says so once", async () => {
  await using provider = await fakeProvider([say("Hi."), say("Hi.")]);
  await using world = await ProgramWorld.onServer(provider.baseUrl);
  await mkdir(join(world.folder, "state"), { recursive: true });
  await writeFile(join(world.folder, "state/state"), "no folder");
  expect(await world.run(["-p", "hi"])).toEqual({ code: 0, stdout: "Hi.\n", stderr: "" });
  const { code, stderr } = await world.run(["-p", "hi", "--verbose"], "", { env: { EVANDER_LOG: "debug" } });
  expect(code).toBe(0);
  expect(stderr.split("The log cannot be written (")).toHaveLength(2);
});

test("[J2] each turn of a conversation leaves its line", async () => {
  await using provider = await fakeProvider([say("One."), say("Two.")]);
  await using world = await ProgramWorld.onServer(provider.baseUrl);
  await world.run([], "first\nsecond\n");
  const told = await lines(world);
  expect(told.map(({ event, reason }) => [event, reason])).toEqual([
    ["turn-end", "text_response"],
    ["turn-end", "text_response"],
  ]);
  expect(new Set(told.map(({ session }) => session)).size).toBe(1);
  expect(new Set(told.map(({ turn }) => turn)).size).toBe(2);
});

test("[J2] a full disk costs the line, and no turn", async () => {
  await using provider = await fakeProvider([say("Hi.")]);
  await using world = await ProgramWorld.onServer(provider.baseUrl);
  await mkdir(join(world.folder, FOLDER), { recursive: true });
  // Takes no byte, as a disk without room.
  await symlink("/dev/full", join(world.folder, FOLDER, "evander.jsonl"));
  const { code, stdout, stderr } = await world.run(["-p", "hi", "--verbose"]);
  expect({ code, stdout }).toEqual({ code: 0, stdout: "Hi.\n" });
  expect(stderr).toContain("ENOSPC");
});

test("[J2] a defect keeps its stack in the log, and shows none", async () => {
  await using world = await ProgramWorld.open({ type: "practice" });
  const { code, stderr } = await world.run(["-p", "hi"]);
  expect(code).toBe(70);
  expect(stderr).not.toContain(".ts:");
  const [line] = await lines(world);
  expect(line).toMatchObject({ level: "error", event: "defect", message: "this world has no practice model" });
  expect(line?.["stack"]).toContain(".ts:");
});

/** Lines as they would stand in a log. */
const written = (...records: readonly Line[]): string =>
  records.map((record) => `${JSON.stringify({ ts: "2026-01-02T03:04:05.678Z", level: "info", ...record })}\n`).join("");

async function put(world: ProgramWorld, name: string, text: string): Promise<string> {
  const path = join(world.folder, FOLDER, name);
  await mkdir(join(world.folder, FOLDER), { recursive: true });
  await writeFile(path, text);
  return path;
}

test("[J2] logs shows the newest lines over all files, for people and as JSON, of one turn, by level", async () => {
  await using world = await ProgramWorld.open({ type: "practice" });
  const nothing = await world.run(["logs"]);
  expect(nothing).toEqual({ code: 0, stdout: "", stderr: "There is nothing in the log yet.\n" });
  await put(world, "evander-20260101T000000000Z-1.jsonl", written({ event: "turn-end", turn: "t1", session: "s1" }));
  const torn = `{"ts":"2026-01\n`;
  const two = written({ event: "turn-end", turn: "t2", level: "warn" }, { event: "extension", text: "a b" });
  await put(world, "evander.jsonl", `${torn}${two}`);
  const all = await world.run(["logs"]);
  expect(all.stdout).toBe(
    [
      "2026-01-02 03:04:05 info  turn-end turn=t1 session=s1",
      "2026-01-02 03:04:05 warn  turn-end turn=t2",
      '2026-01-02 03:04:05 info  extension text="a b"',
      "",
    ].join("\n"),
  );
  const last = await world.run(["logs", "--turn", "last", "--json"]);
  expect(JSON.parse(last.stdout)).toMatchObject({ turn: "t2" });
  expect((await world.run(["logs", "--level", "warn"])).stdout).toContain("turn=t2\n");
  expect((await world.run(["logs", "-n", "1"])).stdout.split("\n")).toHaveLength(2);
  const none = await world.run(["logs", "--session", "s9"]);
  expect(none.stderr).toContain("The log holds nothing like that (--session s9)");
});

test("[J2] logs -f prints what is written from then on, also into a new file, until Ctrl-C", async () => {
  await using provider = await fakeProvider([say("One."), say("Two.")]);
  await using world = await ProgramWorld.onServer(provider.baseUrl);
  await using other = world.again();
  const following = other.run(["logs", "-f"]);
  await other.shown("Waiting for new lines; Ctrl-C leaves.");
  await world.ask("one");
  await other.shown("session=session-1", 1);
  const path = join(world.folder, FOLDER, "evander.jsonl");
  await writeFile(path, `${" ".repeat(5 * 1024 * 1024)}\n`, { flag: "a" });
  await world.ask("two");
  await other.shown("session=session-2", 1);
  expect(await readdir(join(world.folder, FOLDER))).toHaveLength(2);
  other.signal("SIGINT");
  const { code, stdout } = await following;
  expect(code).toBe(130);
  expect(stdout.split("turn-end")).toHaveLength(3);
});

test("[J2] logs -f says that nothing is there of what it was asked for, and waits for it", async () => {
  await using provider = await fakeProvider([say("One.")]);
  await using world = await ProgramWorld.onServer(provider.baseUrl);
  await world.ask("one");
  await using other = world.again();
  const following = other.run(["logs", "-f", "--turn", "NOPE"]);
  await other.shown("Waiting for new lines; Ctrl-C leaves.");
  other.signal("SIGINT");
  const { code, stdout, stderr } = await following;
  expect({ code, stdout }).toEqual({ code: 130, stdout: "" });
  expect(stderr).toContain("The log holds nothing like that (--turn NOPE)");
});

test("[J2] a full or old file is put aside; five of them are kept, a month long", async () => {
  await using provider = await fakeProvider([say("Hi.")]);
  await using world = await ProgramWorld.onServer(provider.baseUrl);
  const old = [1, 2, 3, 4, 5, 6].map((day) => `evander-2026010${day}T000000000Z-1.jsonl`);
  for (const name of old) await put(world, name, "");
  const dated = join(world.folder, FOLDER, old[5] ?? "");
  await utimes(dated, 0, 0);
  await put(world, "evander.jsonl", written({ event: "turn-end" }));
  await world.ask("hi");
  const names = (await readdir(join(world.folder, FOLDER))).toSorted();
  expect(names.slice(0, 3)).toEqual(old.slice(2, 5));
  expect(names).toHaveLength(5);
  expect(await lines(world)).toHaveLength(1);
});
