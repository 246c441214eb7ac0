import { chmod, mkdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import type { TurnResult } from "../../src/protocol/result.ts";
import { fakeProvider } from "../support/fake-provider.ts";
import { ProgramWorld } from "../support/program.ts";
import { guarded } from "../support/tools.ts";
import { callTools, say } from "../support/wire-script.ts";

const NOWHERE = "http://127.0.0.1:9/v1";

async function put(world: ProgramWorld, path: string, ...lines: readonly string[]): Promise<string> {
  const file = join(world.folder, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, `${lines.join("\n")}\n`);
  return file;
}

const USER = "state/config.yaml";

test("[X8] -p runs under what the config says; a broken one ends with 78, cause and next step", async () => {
  await using provider = await fakeProvider([say("Hi.")]);
  await using world = await ProgramWorld.onServer(provider.baseUrl);
  const user = await put(world, USER, "maxIterations: 7", "modle: x");
  const { stderr, stdout } = await world.run(["-p", "hi", "--output", "json"]);
  expect((JSON.parse(stdout) as TurnResult).iterations.limit).toBe(7);
  expect(stderr).toBe(
    `config: ${user}:2:1: There is no setting "modle"; perhaps model was meant. (evander config unset modle)\n`,
  );
  await put(world, USER, "maxIterations: [");
  const broken = await world.ask("hi");
  expect(broken).toMatchObject({ ok: false, exit: { reason: "config_invalid", code: 78 } });
  expect(broken.error?.message).toContain(`${user}:2:1: this is no YAML`);
  expect(broken.error?.next).toEqual([expect.objectContaining({ command: "evander config edit" })]);
});

test("[X8] a conversation goes on with the last config that was right, and says so", async () => {
  await using provider = await fakeProvider([say("Hi."), say("Hi again.")]);
  await using world = await ProgramWorld.onServer(provider.baseUrl);
  const user = await put(world, USER, "maxIterations: 7");
  await world.ask("hi");
  await put(world, USER, "maxIterations: 7 8");
  const seat = world.sit([]);
  await world.shown("when it was last right, holds instead");
  seat.type("hello\r");
  await world.shown("Hi again.");
  seat.leave();
  const { code, stderr } = await seat.ended;
  expect(code).toBe(0);
  expect(stderr).toContain(`config: ${user}:1:1: maxIterations must be`);
});

test("[X8] config show, get and check print values, origins and what is wrong, also as JSON", async () => {
  await using world = await ProgramWorld.onServer(NOWHERE);
  const user = await put(world, USER, "stream:", "  idleMs: 5");
  const env = { EVANDER_MODEL: "m" };
  const shown = await world.run(["config", "show", "--origin"], "", { env });
  expect(shown.stdout).toContain("model: m  # EVANDER_MODEL\n");
  expect(shown.stdout).toContain(`stream.idleMs: 5  # ${user}:2:3\n`);
  expect(shown.stdout).toContain("maxIterations: 500  # built in\n");
  expect(await world.run(["config", "get", "stream.idleMs"])).toEqual({ code: 0, stdout: "5\n", stderr: "" });
  expect(await world.run(["config", "get", "maxTimeMs"])).toMatchObject({
    code: 0,
    stdout: "",
    stderr: expect.stringContaining("no limit"),
  });
  const json = await world.run(["config", "get", "store.sync", "--json"]);
  expect(JSON.parse(json.stdout)).toMatchObject({ key: "store.sync", value: "four", layer: "built-in", locked: false });
  expect(await world.run(["config", "check"])).toMatchObject({ code: 0, stdout: `The config is right: ${user}.\n` });
  const typo = await world.run(["config", "get", "stream.idelMs"]);
  expect(typo).toMatchObject({ code: 2, stdout: "" });
  expect(typo.stderr).toContain("Perhaps this was meant: evander config get stream.idleMs\n");
  const slip = await world.run(["config", "set", "max-iteration", "5 5"]);
  expect(slip.stderr).toContain("Perhaps this was meant: evander config set maxIterations '5 5'\n");
  await put(world, USER, "store: { sync: ful }");
  const check = await world.run(["config", "check"]);
  expect(check).toMatchObject({ code: 78, stderr: "" });
  expect(check.stdout).toContain(
    `error: ${user}:1:10: store.sync must be "four" or "full"; it is "ful"; perhaps "full"`,
  );
  expect(check.stdout).toContain("evander config set store.sync full\n");
  // The command that mends it does.
  expect(await world.run(["config", "set", "store.sync", "full"])).toMatchObject({ code: 0 });
  expect(await world.run(["config", "check"])).toMatchObject({ code: 0 });
});

test("[X8] config set and unset keep comments; --dry-run writes nothing; a first file names its schema", async () => {
  await using world = await ProgramWorld.onServer(NOWHERE);
  const file = join(world.folder, USER);
  const dry = await world.run(["config", "set", "maxIterations", "9", "--dry-run"]);
  expect(dry).toEqual({ code: 0, stdout: `maxIterations: 9  # ${file}:3:1 (not written)\n`, stderr: "" });
  await expect(readFile(file)).rejects.toThrow("ENOENT");
  await world.run(["config", "set", "maxIterations", "9"]);
  expect(await readFile(file, "utf8")).toBe(
    "# yaml-language-server: $schema=./config.schema.json\n\nmaxIterations: 9\n",
  );
  const printed = await world.run(["config", "schema"]);
  expect(await readFile(join(dirname(file), "config.schema.json"), "utf8")).toBe(printed.stdout);
  await put(world, USER, "# mine", "maxIterations: 9 # few");
  await world.run(["config", "set", "maxIterations", "Infinity"]);
  await world.run(["config", "set", "plugins", "./a.mjs,/b.mjs"]);
  const text = await readFile(file, "utf8");
  expect(text).toContain("# mine\nmaxIterations: Infinity # few\n");
  expect(text).toContain(`  - ${world.folder}/a.mjs\n  - /b.mjs\n`);
  await world.run(["config", "unset", "plugins"]);
  expect(await readFile(file, "utf8")).toBe("# mine\nmaxIterations: Infinity # few\n");
  const wrong = await world.run(["config", "set", "store.sync", "ful"]);
  expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining("evander config set store.sync full") });
  const shadowed = await world.run(["config", "set", "model", "m"], "", { env: { EVANDER_MODEL: "x" } });
  expect(shadowed.stderr).toBe("model is set by EVANDER_MODEL too, which wins.\n");
});

test("[X8] config set writes through a link, keeps the mode, and leaves a broken or locked config alone", async () => {
  await using world = await ProgramWorld.onServer(NOWHERE);
  const real = await put(world, "dotfiles/evander.yaml", "model: a");
  await chmod(real, 0o640);
  await mkdir(join(world.folder, "state"));
  await symlink(real, join(world.folder, USER));
  await world.run(["config", "set", "model", "b"]);
  expect(await readFile(real, "utf8")).toBe("model: b\n");
  await writeFile(real, "model: [\n");
  const broken = await world.run(["config", "set", "model", "c"]);
  expect(broken).toMatchObject({ code: 78, stderr: expect.stringContaining("is not changed: it is no YAML now") });
  expect(await readFile(real, "utf8")).toBe("model: [\n");
  await rm(join(world.folder, USER));
  const system = await put(world, "system/config.yaml", "locked: [approve]");
  const locked = await world.run(["config", "set", "approve", "all"]);
  expect(locked).toMatchObject({ code: 78, stderr: expect.stringContaining(`approve is locked by ${system}:1:1.`) });
  const flag = await world.ask("hi", "--approve", "all");
  expect(flag.exit).toMatchObject({ reason: "config_invalid", code: 78 });
});

test("[X8] config edit opens an editor at a terminal only, lists every setting, and checks what came out", async () => {
  await using world = await ProgramWorld.onServer(NOWHERE);
  expect(await world.run(["config", "edit"])).toMatchObject({ code: 2, stderr: expect.stringContaining("no") });
  const editor = await put(world, "editor", "#!/bin/sh", 'echo "maxIterations: many" >> "$1"');
  await chmod(editor, 0o755);
  const { code, stdout } = await world.sit(["config", "edit"], { EDITOR: `"${editor}"`, PATH: process.env["PATH"] })
    .ended;
  expect({ code, stdout }).toMatchObject({ code: 78, stdout: expect.stringContaining("maxIterations must be") });
  expect(await readFile(join(world.folder, USER), "utf8")).toContain("#   idleMs: 180000");
  const failing = await world.sit(["config", "edit"], { EDITOR: "false", PATH: process.env["PATH"] }).ended;
  expect(failing).toMatchObject({ code: 2, stderr: expect.stringContaining("VISUAL or EDITOR") });
});

test("[X8] a project's config is read after its folder was trusted, and told before", async () => {
  await using provider = await fakeProvider([say("1"), say("2"), say("3")]);
  await using world = await ProgramWorld.onServer(provider.baseUrl);
  const project = await put(world, "work/.evander/config.yaml", "maxIterations: 3", "plugins: [./evil.mjs]");
  const cwd = ["--cwd", join(world.folder, "work")];
  const before = await world.run(["-p", "hi", "--output", "json", ...cwd]);
  expect((JSON.parse(before.stdout) as TurnResult).iterations.limit).toBe(500);
  expect(before.stderr).toContain(
    `${project}: this is not read, because the folder is not trusted. (evander trust add`,
  );
  expect(await world.run(["trust", "add", "work"])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("--yes"),
  });
  expect((await world.run(["trust", "add", "work", "--dry-run"])).stdout).toContain("would be trusted");
  expect((await world.run(["trust", "list", "--json"])).stdout).toBe("[]\n");
  await world.run(["trust", "add", "work", "--yes"]);
  const after = await world.run(["-p", "hi", "--output", "json", ...cwd]);
  expect((JSON.parse(after.stdout) as TurnResult).iterations.limit).toBe(3);
  expect(after.stderr).toContain("plugins is not a project's to set");
  expect((await world.run(["trust", "list"])).stdout).toContain(join(world.folder, "work"));
  expect(await world.run(["trust", "remove", "work"])).toMatchObject({ code: 0 });
  expect(await world.run(["trust", "remove", "work"])).toMatchObject({ code: 2 });
  expect((await world.ask("hi", ...cwd)).iterations.limit).toBe(500);
});

test("[X8] trust is asked at a terminal: what was typed before the question is no answer", async () => {
  await using world = await ProgramWorld.onServer(NOWHERE);
  await put(world, "work/.evander/config.yaml", "maxIterations: 3", "# \u001b[2J");
  const eager = world.sit(["trust", "add", "work"]);
  eager.type("y\ry\r");
  await world.shown("[y/N]");
  eager.type("n\r");
  expect(await eager.ended).toMatchObject({ code: 130, stderr: expect.stringContaining("Nothing was changed.") });
  const seat = world.sit(["trust", "add", "work"]);
  await world.shown("[y/N]");
  seat.type("y\r");
  const { code, stderr } = await seat.ended;
  expect(code).toBe(0);
  expect(stderr).toContain(String.raw`  # \u{1b}[2J`);
});

test("[X8] profiles have configs and sessions of their own, and commands stay in them", async () => {
  await using provider = await fakeProvider([say("At work."), say("At home.")]);
  await using world = await ProgramWorld.onServer(provider.baseUrl);
  const missing = await world.run(["-p", "hi", "-P", "work"]);
  expect(missing).toMatchObject({ code: 2, stderr: expect.stringContaining("evander profile add work") });
  expect((await world.run(["--profile", "work", "session", "list"])).code).toBe(2);
  await world.run(["profile", "add", "work"]);
  expect((await world.run(["profile", "list"])).stdout).toBe("work\n");
  await world.run(["-P", "work", "config", "set", "maxIterations", "4"]);
  const turn = await world.ask("hi", "-P", "work");
  expect(turn.iterations.limit).toBe(4);
  expect((await world.ask("hi")).iterations.limit).toBe(500);
  expect((await world.run(["session", "list", "--profile=work"])).stdout).toContain("session-1");
  expect((await world.run(["session", "list"], "", { env: { EVANDER_PROFILE: "work" } })).stdout).not.toContain(
    "session-2",
  );
  const limit = await world.ask("hi", "-P", "work", "--max-iterations", "ten");
  expect(limit.error?.next.map(({ command }) => command)).not.toContain("evander config edit");
  const broken = await put(world, "state/profiles/work/config.yaml", "maxIterations: ten");
  const { error } = await world.ask("hi", "-P", "work");
  expect(error?.message).toContain(`${broken}:1:1`);
  expect(error?.next[0]?.command).toBe("evander --profile work config unset maxIterations");
});

test("[X8] the next steps of a turn stay in its profile", async () => {
  const script = [callTools([{ id: "c1", name: "guarded", arguments: {} }])];
  await using provider = await fakeProvider(script);
  await using world = await ProgramWorld.onServer(provider.baseUrl, [guarded()]);
  await world.run(["profile", "add", "work"]);
  const turn = await world.ask("do it", "-P", "work", "--approve", "park");
  expect(turn.exit.reason).toBe("parked_for_approval");
  const commands = turn.exit.next.map(({ command }) => command).filter((command) => command !== null);
  expect(commands.length).toBeGreaterThan(0);
  for (const command of commands) expect(command).toMatch(/ --profile work/u);
  const listed = await world.run(["-P", "work", "ps", "--json"]);
  expect(listed.stdout).toContain("evander --profile work ");
  expect((await world.run(["ps", "--json"])).stdout).toBe("[]\n");
});

test("[X8] where lists every folder and file", async () => {
  await using world = await ProgramWorld.onServer(NOWHERE);
  const { stdout } = await world.run(["where", "--json"]);
  const { profile, places } = JSON.parse(stdout) as {
    profile: null;
    places: { name: string; path: string; exists: boolean }[];
  };
  expect(profile).toBeNull();
  expect(places.map(({ name }) => name)).toEqual([
    "config",
    "data",
    "state",
    "cache",
    "store",
    "limits",
    "secrets",
    "credentials",
    "trusted",
    "logs",
    "compiled",
    "system config",
    "user config",
  ]);
  expect(places.filter(({ exists }) => exists)).toEqual([]);
  expect((await world.run(["where"])).stdout).toContain(
    `user config    ${join(world.folder, USER)}  (not there yet)\n`,
  );
});

test("[X8] auth login keeps a key from stdin or typed unseen; list and remove never show it", async () => {
  await using world = await ProgramWorld.onServer(NOWHERE);
  const key = "sk-or-abcdefgh12345678";
  const piped = await world.run(["auth", "login", "openrouter"], `${key}\n`);
  expect(piped).toMatchObject({ code: 0, stdout: expect.stringContaining("apiKey: {secret: openrouter}  # ") });
  expect(await readFile(join(world.folder, USER), "utf8")).toContain(
    "openrouter:\n    apiKey: { secret: openrouter }\n",
  );
  const secrets = join(world.folder, "state/secrets.json");
  expect(JSON.parse(await readFile(secrets, "utf8"))).toEqual({ openrouter: key });
  const seat = world.sit(["auth", "login", "mine"]);
  await world.shown("Key of mine: ");
  seat.type("typedx\u007f-key\r");
  const { stderr, stdout } = await seat.ended;
  expect(stderr + stdout).not.toContain("typed");
  expect(JSON.parse(await readFile(secrets, "utf8"))).toEqual({ openrouter: key, mine: "typed-key" });
  const listed = await world.run(["auth", "list", "--json"]);
  expect(JSON.parse(listed.stdout)).toMatchObject([
    { provider: "openrouter", reference: "{secret: openrouter}", there: true },
    { provider: "mine", there: true },
  ]);
  expect(await world.run(["auth", "remove", "mine"])).toMatchObject({ code: 0, stderr: "" });
  expect(await world.run(["auth", "remove", "mine"])).toMatchObject({ code: 2 });
  expect((await world.run(["config", "show"])).stdout).not.toContain("mine");
  const literal = await world.run(["config", "set", "providers.openrouter.apiKey", key]);
  expect(literal).toMatchObject({ code: 2, stderr: expect.stringContaining("holds a secret as text") });
  expect(literal.stderr).not.toContain(key);
  await world.run(["config", "set", "providers.openrouter.apiKey", "{env: OR_KEY}"]);
  expect((await world.run(["config", "get", "providers.openrouter.apiKey"])).stdout).toBe("{env: OR_KEY}\n");
  await put(world, USER, `providers: { openrouter: { apiKey: ${key} } }`);
  const refused = await world.ask("hi");
  expect(refused.error?.next).toEqual([expect.objectContaining({ command: "evander auth login openrouter" })]);
  expect(JSON.stringify(refused)).not.toContain(key);
});

test("[X1][J3] in a Chinese locale the config's troubles and steps are told in Chinese", async () => {
  await using world = await ProgramWorld.onServer(NOWHERE);
  const env = { LANG: "zh_CN.UTF-8" };
  const user = await put(world, USER, "store: { sync: ful }", "modle: x");
  const check = await world.run(["config", "check"], "", { env });
  expect(check.stdout).toBe(
    [
      `错误: ${user}:1:10: store.sync 必须是 "four" 或 "full"；现在是 "ful"；也许想写的是 "full"。`,
      "  下一步: 把 store.sync 设为想写的值: evander config set store.sync full",
      `警告: ${user}:2:1: 没有设置 "modle"；也许想写的是 model。`,
      "  下一步: 去掉 modle: evander config unset modle",
      "",
    ].join("\n"),
  );
  const refused = await world.run(["-p", "hi"], "", { env });
  expect(refused).toMatchObject({ code: 78, stderr: expect.stringContaining("必须是") });
  expect(refused.stderr).toContain("evander config set store.sync full");
  const profile = await world.run(["-P", "work", "where"], "", { env });
  expect(profile.stderr).toContain("没有配置档 work。");
});

test("[X8] of two settings that are written at the same time none is lost", async () => {
  await using world = await ProgramWorld.onServer(NOWHERE);
  await Promise.all([
    world.run(["config", "set", "maxIterations", "7"]),
    world.run(["config", "set", "model", "m"]),
    world.run(["config", "set", "retry.baseMs", "9"]),
  ]);
  const text = await readFile(join(world.folder, USER), "utf8");
  for (const line of ["maxIterations: 7", "model: m", "baseMs: 9"]) expect(text).toContain(line);
});

test("[X8] a provider by a name that none can have is refused, and not suggested", async () => {
  await using world = await ProgramWorld.onServer(NOWHERE);
  const { code, stderr } = await world.run(["config", "set", "providers.__proto__.baseUrl", "http://127.0.0.1:9"]);
  expect(code).toBe(2);
  expect(stderr).not.toContain("Perhaps this was meant");
});
