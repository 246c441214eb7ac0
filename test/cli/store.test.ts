import {
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { openSqliteStore } from "../../src/store/sqlite/store.ts";
import { fakeProvider } from "../support/fake-provider.ts";
import { ProgramWorld } from "../support/program.ts";
import { assertSound } from "../support/sound.ts";
import { reply, save, turnEnd, turnStart } from "../support/store-world.ts";
import { say } from "../support/wire-script.ts";

const answers = (count: number) => Array.from({ length: count }, (_, at) => say(`answer ${at}`));

async function talked(world: ProgramWorld, count: number): Promise<void> {
  for (let at = 0; at < count; at++) await world.ask(`question ${at}`);
}

const storeOf = (world: ProgramWorld): string => join(world.folder, "state", "evander.db");

test("[R7][G1] a damaged store says what helps, and that recovers what can be read and keeps the original", async () => {
  await using provider = await fakeProvider(answers(12));
  await using world = await ProgramWorld.onServer(provider.baseUrl);
  await talked(world, 12);
  expect(await world.run(["store", "recover"])).toMatchObject({
    code: 0,
    stderr: "The store is undamaged: nothing was changed.\n",
  });
  const path = storeOf(world);
  const bytes = readFileSync(path);
  const body = bytes.indexOf('"text":"question 3"');
  bytes.write("QUESTION", body + '"text":"'.length);
  writeFileSync(path, bytes);
  const refused = await world.run(["session", "show", "session-4"]);
  expect(refused.code).toBe(73);
  expect(refused.stderr).toContain("evander store recover");
  const looked = await world.run(["store", "recover", "--dry-run", "--json"]);
  expect(JSON.parse(looked.stdout)).toMatchObject({ state: "damaged", original: null });
  expect(readFileSync(path).equals(bytes)).toBe(true);
  expect(await world.run(["store", "recover"])).toMatchObject({ code: 2 }); // nobody can be asked
  const done = await world.run(["store", "recover", "--yes"]);
  expect(done.stdout).toContain("session-4  question 3: 2 messages, 1 turn; 1 message may not read as before\n");
  expect(done.stderr).toContain("The damaged store is kept as ");
  const kept = readdirSync(join(world.folder, "state")).find((name) => name.startsWith("evander.db.damaged-")) ?? "";
  expect(readFileSync(join(world.folder, "state", kept)).equals(bytes)).toBe(true);
  expect((await world.run(["session", "list", "--json"])).stdout.match(/sessionId/gu)).toHaveLength(12);
  assertSound(path);
});

test("[R25][G1] a backup that is made while others write holds all that was saved before it, and is put back", async () => {
  await using provider = await fakeProvider(answers(2));
  await using world = await ProgramWorld.onServer(provider.baseUrl);
  await talked(world, 2);
  const results = join(world.folder, "state", "results", "session-1");
  mkdirSync(results, { recursive: true });
  writeFileSync(join(results, "long.txt"), "a long result");
  const path = storeOf(world);
  const busy = openSqliteStore({ path });
  const writer = (await busy.open("busy")).writer(() => undefined);
  await save(writer, turnStart("t", 0, "all the time"));
  let goes = true;
  let seq = 1;
  const writing = (async () => {
    for (; goes; seq++) await save(writer, reply(seq, `word ${seq}`));
    await save(writer, turnEnd(`word ${seq - 1}`));
  })();
  const file = join(world.folder, "kept.db");
  const before = seq;
  const made = await world.run(["store", "backup", file, "--json"]);
  goes = false;
  await writing;
  busy.close();
  expect(JSON.parse(made.stdout)).toMatchObject({ made: true, sessions: 3, files: 1 });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect((JSON.parse(made.stdout) as { messages: number }).messages).toBeGreaterThanOrEqual(4 + before);
  expect(await world.run(["store", "backup", file])).toMatchObject({ code: 2 });
  await world.run(["session", "rm", "session-1", "session-2", "--yes"]);
  rmSync(results, { recursive: true });
  expect((await world.run(["store", "restore", file, "--dry-run"])).stdout).toContain("It holds 3 sessions");
  expect(await world.run(["store", "restore", file])).toMatchObject({ code: 2 });
  const back = await world.run(["store", "restore", file, "--yes"]);
  expect(back).toMatchObject({ code: 0 });
  expect(back.stderr).toContain("What stood there before is kept as ");
  expect((await world.run(["session", "show", "session-1"])).stdout).toContain("question 0");
  expect(readFileSync(join(results, "long.txt"), "utf8")).toBe("a long result");
  assertSound(path);
  expect((await world.run(["session", "search", "question"])).stdout).toContain("session-1");
});

test("[R25] a backup that is damaged, or none, is not put back, and nothing changes", async () => {
  await using provider = await fakeProvider(answers(2));
  await using world = await ProgramWorld.onServer(provider.baseUrl);
  await talked(world, 2);
  const file = join(world.folder, "kept.db");
  await world.run(["store", "backup", file]);
  const before = readFileSync(storeOf(world));
  const bytes = readFileSync(file);
  bytes.fill(0x55, 4096, 8192);
  writeFileSync(file, bytes);
  const refused = await world.run(["store", "restore", file, "--yes"]);
  expect(refused.code).toBe(73);
  expect(refused.stderr).toContain("is damaged or is no backup of Evander, and the store is as it was: name another");
  expect(refused.stderr).not.toContain("store recover");
  expect(await world.run(["store", "restore", "none.db", "--yes"])).toMatchObject({ code: 2 });
  expect(readFileSync(storeOf(world)).equals(before)).toBe(true);
});

test("[R25] a backup into a folder that is not there names it, and is no defect of ours", async () => {
  await using provider = await fakeProvider(answers(1));
  await using world = await ProgramWorld.onServer(provider.baseUrl);
  await talked(world, 1);
  const refused = await world.run(["store", "backup", "nowhere/kept.db"]);
  expect(refused).toMatchObject({ code: 2 });
  expect(refused.stderr).toContain(`There is no folder ${join(world.folder, "nowhere")}`);
});

test("[R7][X2] what requests begin with is damaged: recover mends what doctor --check sends there", async () => {
  await using provider = await fakeProvider(answers(2));
  await using world = await ProgramWorld.onServer(provider.baseUrl);
  await talked(world, 2);
  const path = storeOf(world);
  const db = new DatabaseSync(path);
  db.exec("update opening set body = x'00'");
  db.close();
  const checked = await world.run(["doctor", "--check"]);
  expect(checked.stdout).toContain("evander store recover");
  const done = await world.run(["store", "recover", "--yes", "--json"]);
  expect(JSON.parse(done.stdout)).toMatchObject({ state: "recovered", breaches: 0 });
  expect((await world.run(["doctor", "--check"])).stdout).not.toContain("invariants.I9");
  expect((await world.run(["session", "list", "--json"])).stdout.match(/sessionId/gu)).toHaveLength(2);
  assertSound(path);
});

test("[R7] a database of another program is not recovered over, also with --yes", async () => {
  await using provider = await fakeProvider(answers(0));
  await using world = await ProgramWorld.onServer(provider.baseUrl);
  const path = storeOf(world);
  mkdirSync(join(world.folder, "state"), { recursive: true });
  const db = new DatabaseSync(path);
  db.exec("create table theirs(x); insert into theirs values('kept')");
  db.close();
  const before = readFileSync(path);
  const refused = await world.run(["store", "recover", "--yes"]);
  expect(refused).toMatchObject({ code: 73, stdout: "" });
  expect(refused.stderr).toContain("a database of another program");
  expect(readFileSync(path).equals(before)).toBe(true);
  expect(readdirSync(join(world.folder, "state")).filter((name) => name.startsWith("evander.db"))).toEqual([
    "evander.db",
  ]);
  renameSync(path, `${path}.theirs`);
});

test("[G1] while a process works with the store it is neither replaced nor recovered", async () => {
  await using provider = await fakeProvider(answers(1));
  await using world = await ProgramWorld.onServer(provider.baseUrl);
  await talked(world, 1);
  const file = join(world.folder, "kept.db");
  await world.run(["store", "backup", file]);
  const store = openSqliteStore({ path: storeOf(world) });
  await store.open("mine");
  const refused = await world.run(["store", "restore", file, "--yes"]);
  expect(refused.code).toBe(75);
  expect(refused.stderr).toContain(`Process ${process.pid} works with the store`);
  store.close();
});

test("[G4] a search index that is broken fails nothing but the search, and is built anew", async () => {
  await using provider = await fakeProvider(answers(3));
  await using world = await ProgramWorld.onServer(provider.baseUrl);
  await talked(world, 2);
  await world.run(["session", "search", "question"]);
  const { DatabaseSync } = await import("node:sqlite");
  const db = new DatabaseSync(storeOf(world), { defensive: false });
  db.exec("update words_data set block = zeroblob(8)");
  db.close();
  expect((await world.ask("question 2")).ok).toBe(true);
  const rebuilt = await world.run(["store", "rebuild", "--json"]);
  expect(JSON.parse(rebuilt.stdout)).toEqual({ rebuilt: true, messages: 6 });
  expect((await world.run(["session", "search", "question", "--json"])).stdout).toContain("session-3");
  assertSound(storeOf(world));
});

test("[R25] a restore that fails in its middle leaves the store as it was, and nothing to be finished", async () => {
  await using provider = await fakeProvider(answers(2));
  await using world = await ProgramWorld.onServer(provider.baseUrl);
  await talked(world, 1);
  const state = join(world.folder, "state");
  mkdirSync(join(state, "results", "session-1"), { recursive: true });
  writeFileSync(join(state, "results", "session-1", "long.txt"), "a long result");
  const file = join(world.folder, "kept.db");
  await world.run(["store", "backup", file]);
  await world.ask("question 1");
  rmSync(join(state, "results"), { recursive: true });
  writeFileSync(join(state, "results"), "in the way");
  expect(await world.run(["store", "restore", file, "--yes"])).toMatchObject({ code: 73 });
  expect((await world.run(["session", "show", "session-2"])).stdout).toContain("question 1");
  expect(readdirSync(state).filter((name) => /next|part|replaced/u.test(name))).toEqual([]);
});

test("[R25] a restore into an empty folder that died before its end is finished by recover", async () => {
  await using provider = await fakeProvider(answers(1));
  await using world = await ProgramWorld.onServer(provider.baseUrl);
  await talked(world, 1);
  const path = storeOf(world);
  await world.run(["store", "backup", `${path}.next`]);
  for (const part of ["", "-wal", "-shm"]) rmSync(path + part, { force: true });
  const looked = await world.run(["store", "recover", "--dry-run", "--json"]);
  expect(JSON.parse(looked.stdout)).toEqual({ state: "unfinished" });
  expect((await world.run(["store", "recover"])).stderr).toContain("the other store is in its place");
  expect((await world.run(["session", "show", "session-1"])).stdout).toContain("question 0");
});

test("[R25] what was to take the place of a store and is none does not take it", async () => {
  await using provider = await fakeProvider(answers(1));
  await using world = await ProgramWorld.onServer(provider.baseUrl);
  await talked(world, 1);
  const path = storeOf(world);
  writeFileSync(`${path}.next`, "no store");
  expect(await world.run(["store", "recover"])).toMatchObject({ code: 73 });
  rmSync(`${path}.next`);
  expect((await world.run(["session", "show", "session-1"])).stdout).toContain("question 0");
});

test("[R25] a backup leaves files of others alone, also where two are made at once", async () => {
  await using provider = await fakeProvider(answers(1));
  await using world = await ProgramWorld.onServer(provider.baseUrl);
  await talked(world, 1);
  const file = join(world.folder, "kept.db");
  writeFileSync(`${file}.part`, "mine");
  const both = await Promise.all([world.again(), world.again()].map((each) => each.run(["store", "backup", file])));
  expect(both.map(({ code }) => code)).toContain(0);
  expect(readFileSync(`${file}.part`, "utf8")).toBe("mine");
  expect(await world.run(["store", "restore", file, "--dry-run"])).toMatchObject({ code: 0 });
});

test("[R25] a store behind a link is put back where it lies, and the link stays", async () => {
  await using provider = await fakeProvider(answers(2));
  await using world = await ProgramWorld.onServer(provider.baseUrl);
  await talked(world, 1);
  const path = storeOf(world);
  const elsewhere = join(world.folder, "elsewhere");
  mkdirSync(elsewhere);
  renameSync(path, join(elsewhere, "real.db"));
  symlinkSync(join(elsewhere, "real.db"), path);
  const file = join(world.folder, "kept.db");
  await world.run(["store", "backup", file]);
  await world.ask("question 1");
  expect(await world.run(["store", "restore", file, "--yes"])).toMatchObject({ code: 0 });
  expect(lstatSync(path).isSymbolicLink()).toBe(true);
  expect((await world.run(["session", "list", "--json"])).stdout.match(/sessionId/gu)).toHaveLength(1);
  expect(readdirSync(elsewhere).some((name) => name.startsWith("real.db.replaced-"))).toBe(true);
});
