import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Config, type ConfigQuery, type ConfigReading, readConfig } from "./config.ts";
import type { SettingFlags } from "./given.ts";
import { KEYS, variableOf } from "./keys.ts";
import { profileFolders, rootFolders, storeFolder } from "./folders.ts";
import { addProfile } from "./profiles.ts";
import { problemSentence } from "../words/config.ts";
import { profileSentence } from "../words/config-commands.ts";
import type { Trouble } from "./entry.ts";
import { trustFolder } from "./trust.ts";
import { valueText } from "./values.ts";

let folder = "";
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "evander-config-")));
});
afterEach(() => rmSync(folder, { recursive: true }));

type Query = Partial<Omit<ConfigQuery, "around">> & { readonly env?: NodeJS.ProcessEnv };

function read({ env = {}, ...query }: Query = {}): Promise<ConfigReading> {
  return readConfig({ cwd: join(folder, "work"), attended: false, ...query, around: around(env) });
}

const around = (env: NodeJS.ProcessEnv = {}): ConfigQuery["around"] => ({
  env: { EVANDER_HOME: join(folder, "home"), ...env },
  home: join(folder, "person"),
  platform: "linux",
  systemFolder: join(folder, "etc"),
});

const told = ({ problem, place }: Trouble): string => problemSentence(problem, place).en;

/** The sentence of a reading that is none. */
function sentence(reading: ConfigReading): string {
  if (reading.type === "invalid") return told(reading.troubles[0]);
  return reading.type === "config" ? "taken" : profileSentence(reading.problem).en;
}

async function config(query: Query = {}): Promise<Config> {
  const reading = await read(query);
  if (reading.type !== "config") throw new Error(sentence(reading));
  return reading.config;
}

async function refusal(query: Query = {}): Promise<string> {
  return sentence(await read(query));
}

function put(path: string, ...lines: readonly string[]): string {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${lines.join("\n")}\n`);
  return file;
}

const USER = "home/config.yaml";
const SYSTEM = "etc/config.yaml";
const PROJECT = "work/.evander/config.yaml";

const EMPTY = "egress home children sandbox scripts review approval dream guardrails results terminal".split(" ");
const NO_GROUPS = { ...Object.fromEntries(EMPTY.map((name) => [name, {}])), search: { keys: {} } };

test("[B2][C6][D4] defaults, then pairs: the last one wins, and a flag wins over them", async () => {
  expect((await config()).settings).toEqual({
    providers: [],
    models: [],
    ...NO_GROUPS,
    stream: {},
    retry: {},
    sync: "four",
    logLevel: "info",
  });
  const pairs = ["stream.idleMs=1", "stream.idleMs=2", "retry.baseMs=3", "store.sync=full", "maxIterations=4"];
  expect((await config({ pairs, flags: { maxIterations: "Infinity" } })).settings).toEqual({
    maxIterations: Infinity,
    models: [],
    providers: [],
    ...NO_GROUPS,
    stream: { idleMs: 2 },
    retry: { baseMs: 3 },
    sync: "full",
    logLevel: "info",
  });
});

test("[J1] a time limit is written as people write times, or in ms; one that no timer keeps is refused", async () => {
  const limit = async (flags: SettingFlags, ...pairs: string[]): Promise<unknown> => {
    const reading = await read({ flags, pairs });
    return reading.type === "config" ? reading.config.settings.maxTimeMs : sentence(reading);
  };
  const times = ["250ms", "90s", "5m", "1h30m", "2d"].map((maxTime) => limit({ maxTime }));
  expect(await Promise.all(times)).toEqual([250, 90_000, 300_000, 5_400_000, 172_800_000]);
  expect(await limit({}, "maxTimeMs=7")).toBe(7);
  expect(await limit({ maxTime: "1s" }, "maxTimeMs=7")).toBe(1_000);
  for (const maxTime of ["", "5", "m", "0s", "-1s", "1.5h", "5 m", "25d", "5m!"])
    expect(await limit({ maxTime })).toContain(`such as 90s, 5m or 1h30m; it is "${maxTime}"`);
  expect(await limit({}, "maxTimeMs=2147483648")).toContain("from 1 to 2147483647");
});

test("[J1][X1] a wrong setting names its key, what it takes, and what was written", async () => {
  const message = (...pairs: string[]): Promise<string> => refusal({ pairs });
  for (const value of ["", "0", "-1", "1.5", "1e3", "ten", " 7", "99999999999999999999"])
    expect(await message(`stream.idleMs=${value}`)).toContain("stream.idleMs must be a whole number above zero");
  expect(await message("store.sync=ful")).toBe(
    'store.sync must be "four" or "full"; it is "ful"; perhaps "full" was meant.',
  );
  expect(await message("frob=1")).toContain("stream.idleMs");
  expect(await message("stream.idelMs=1")).toContain("perhaps stream.idleMs was meant");
  expect(await message("stream.idleMs")).toContain("key=value");
  expect(await refusal({ flags: { maxIterations: "ten" } })).toBe(
    '--max-iterations must be a whole number above zero, or Infinity; it is "ten".',
  );
});

test("[I2] plug-in files are a list; none is named by default; in a file they lie beside it", async () => {
  expect((await config({ pairs: ["plugins=./a.mjs,/b.mjs,"] })).settings.plugins).toEqual(["./a.mjs", "/b.mjs"]);
  expect((await config({ pairs: ["plugins=[./a.mjs, '/b.mjs']"] })).settings.plugins).toEqual(["./a.mjs", "/b.mjs"]);
  expect((await config({ pairs: ["plugins="] })).settings).not.toHaveProperty("plugins");
  put(USER, "plugins: [a.mjs, /b.mjs, ~/c.mjs]");
  const here = (name: string): string => join(folder, name);
  expect((await config()).settings.plugins).toEqual([here("home/a.mjs"), "/b.mjs", here("person/c.mjs")]);
});

test("[X8] every key can be set by pair, by file and by variable, and changes the settings", async () => {
  const before = JSON.stringify((await config()).settings);
  for (const key of KEYS.filter(({ systemOnly }) => systemOnly !== true)) {
    const value = {
      count: "7",
      price: "0.25",
      money: "0.25",
      switch: "on",
      choice: "full",
      text: "some",
      files: "/a.mjs",
      names: "",
      variables: "CI,GITHUB_TOKEN",
      words: "one,two",
      models: "some/model",
      hosts: "example.com",
      allowances: "tool localhost 8080",
      lines: "-y",
      given: "some",
      address: "http://h/v1",
      secret: "{env: K}",
    }[key.takes.type];
    const given = key.takes.type === "choice" ? (key.takes.of.at(-1) ?? "") : value;
    const name = key.name.replace("*", key.name.startsWith("models.") ? "mine/m-1" : "mine").replace("*", "MODE");
    const [inner = "", ...groups] = name.split(".").toReversed();
    put(
      USER,
      groups.reduce((text, group) => `${group}:\n${text.replaceAll(/^/gmu, "  ")}`, `${inner}: ${given}`),
    );
    const byFile = await config();
    put(USER, "");
    const byPair = await config({ pairs: [`${name}=${given}`] });
    const byVariable = await config({ env: { [variableOf(key) ?? "none"]: given } });
    expect(JSON.stringify(byPair.settings), key.name).not.toBe(before);
    expect(withoutPlaces(byFile)).toEqual(withoutPlaces(byPair));
    if (variableOf(key) === undefined) continue;
    expect(byVariable.settings).toEqual(byPair.settings);
  }
});

const withoutPlaces = ({ settings }: Config): unknown => ({
  ...settings,
  providers: settings.providers.map(({ place: _place, ...provider }) => provider),
  models: settings.models.map(({ place: _place, ...model }) => model),
  mcpServers: settings.mcpServers?.map(({ place: _place, ...server }) => server),
});

test("[X8] layers: a later one wins, and each value knows its file and line", async () => {
  const system = put(SYSTEM, "# ours", "maxIterations: 1", "stream: { idleMs: 1, callMs: 1 }", "retry:", "  baseMs: 1");
  const user = put(USER, "maxIterations: 2", "stream:", "  idleMs: 2");
  const places = (found: Config): Record<string, string> =>
    Object.fromEntries(
      [...found.entries.values()].map(({ key, value, place }) => [key, `${valueText(value)} ${place}`]),
    );
  expect(places(await config())).toEqual({
    maxIterations: `2 ${user}:1:1`,
    "stream.idleMs": `2 ${user}:3:3`,
    "stream.callMs": `1 ${system}:3:22`,
    "retry.baseMs": `1 ${system}:5:3`,
  });
  addProfile(around(), "work");
  const profile = put("home/profiles/work/config.yaml", "maxIterations: 3");
  const env = { EVANDER_PROFILE: "work" };
  expect(places(await config({ env }))["maxIterations"]).toBe(`3 ${profile}:1:1`);
  const set = { ...env, EVANDER_MAX_ITERATIONS: "4" };
  expect(places(await config({ env: set }))["maxIterations"]).toBe("4 EVANDER_MAX_ITERATIONS");
  const pairs = ["maxIterations=5"];
  expect(places(await config({ env: set, pairs }))["maxIterations"]).toBe("5 --config");
  const flags = { maxIterations: "6" };
  expect(places(await config({ env: set, pairs, flags }))["maxIterations"]).toBe("6 --max-iterations");
});

test("[X1] trouble in a file names file, line, column, key, what it takes and the command that mends it", async () => {
  const user = put(USER, "stream:", "  idleMs: soon", "maxItertions: 3");
  const reading = await read();
  expect(sentence(reading)).toBe(`${user}:2:3: stream.idleMs must be a whole number above zero; it is "soon".`);
  expect(reading).toMatchObject({ troubles: [{ fix: { command: "evander config unset stream.idleMs" } }] });
  // A later layer that says it right makes it harmless; a key that does not exist always is.
  const { troubles } = await config({ pairs: ["stream.idleMs=5"] });
  expect(troubles.map((trouble) => `${trouble.severity} ${told(trouble)}`)).toEqual([
    `warning ${user}:2:3: stream.idleMs must be a whole number above zero; it is "soon".`,
    `warning ${user}:3:1: There is no setting "maxItertions"; perhaps maxIterations was meant.`,
  ]);
  put(USER, "stream:", "  idleMs: 5", " callMs: 6");
  expect(await refusal()).toMatch(/config\.yaml:\d+:\d+: this is no YAML: [^\n]+\.$/u);
  put(USER, "- a");
  expect(await refusal()).toContain(`${user}:1:1: this is no config`);
  put(USER, "stream: 5");
  expect(await refusal()).toContain("stream is a group");
  put(USER, "a: 1", "a: 2");
  expect(await refusal()).toContain(`${user}:2:1`);
  writeFileSync(user, Buffer.from([0x61, 0x3a, 0x20, 0xff, 0x0a]));
  expect(await refusal()).toBe(`${user}:1:4: this is no UTF-8 text.`);
  rmSync(user);
  mkdirSync(user);
  expect(await refusal()).toBe(`${user}: this is no file.`);
});

test("[E7] a guard that cannot be read is told, and holds", async () => {
  put(USER, "guardrails:", "  hardStop: perhaps", "  noProgressStopAfter: 9");
  const { settings, troubles } = await config();
  expect(settings.guardrails).toEqual({ noProgressStopAfter: 9 });
  expect(troubles.map(told)).toEqual([
    expect.stringContaining('guardrails.hardStop must be on or off; it is "perhaps"; what is usual holds.'),
  ]);
});

test("[X8] a locked key is the administrator's: files are passed over, flags are refused", async () => {
  put(SYSTEM, "approve: park", "locked: [approve, guardrails, offline]");
  const user = put(USER, "approve: all", "guardrails: { hardStop: off }");
  const { settings, troubles } = await config({ env: { EVANDER_OFFLINE: "1" } });
  expect(settings).toMatchObject({ approve: "park", guardrails: {} });
  expect(settings.offline).toBeUndefined();
  const lock = join(folder, `${SYSTEM}:2:1`);
  expect(troubles.map(told)).toEqual([
    `approve is locked by ${lock}, and ${user}:1:1 cannot set it.`,
    `guardrails.hardStop is locked by ${lock}, and ${user}:2:15 cannot set it.`,
    `offline is locked by ${lock}, and EVANDER_OFFLINE cannot set it.`,
  ]);
  put(USER, "");
  expect(await refusal({ flags: { approve: "all" } })).toBe(
    `approve is locked by ${lock}, and --approve cannot set it.`,
  );
  expect(await refusal({ pairs: ["offline=off"] })).toContain("--config cannot set it");
  put(USER, "locked: [model]");
  expect((await config()).troubles.map(told)).toEqual([
    expect.stringContaining("is for the administrator's file alone"),
  ]);
});

test("[X8] a project's file is opened only in a trusted folder, and may only narrow", async () => {
  put(USER, "maxIterations: 50", "approve: park");
  const project = put(
    PROJECT,
    "maxIterations: 60",
    "approve: all",
    "provider: evil",
    "plugins: [./x.mjs]",
    "offline: on",
    "model: small",
    "failOnToolError: on",
    "stream: { idleMs: 5 }",
    "guardrails: { hardStop: off, noProgressStopAfter: 3 }",
  );
  const untrusted = await config();
  expect(untrusted.settings).toMatchObject({ maxIterations: 50, approve: "park", guardrails: {} });
  expect(untrusted.settings.offline).toBeUndefined();
  expect(untrusted.troubles.map(told)).toEqual([`${project}: this is not read, because the folder is not trusted.`]);
  trustFolder(join(folder, "home"), join(folder, "work"));
  const trusted = await config();
  expect(trusted.settings).toMatchObject({
    maxIterations: 50,
    approve: "park",
    offline: true,
    model: "small",
    failOnToolError: true,
    guardrails: { noProgressStopAfter: 3 },
    stream: {},
  });
  expect(trusted.settings).not.toHaveProperty("plugins");
  expect(trusted.settings).not.toHaveProperty("provider");
  expect(trusted.troubles.map(({ place }) => place.slice(project.length))).toEqual([
    ":1:1",
    ":2:1",
    ":3:1",
    ":4:1",
    ":8:11",
    ":9:15",
  ]);
  put(PROJECT, "maxIterations: 5", "approve: never");
  mkdirSync(join(folder, "work/deep/er"), { recursive: true });
  const below = await config({ cwd: join(folder, "work/deep/er") });
  expect(below.settings).toMatchObject({ maxIterations: 5, approve: "never" });
  // What its user asks for by hand is no widening by the project.
  expect((await config({ pairs: ["maxIterations=70"] })).settings.maxIterations).toBe(70);
});

test("[X8] a variable that is nearly a setting is told; empty ones say nothing; foreign ones are left alone", async () => {
  const env = { EVANDER_MODLE: "m", EVANDER_MODEL: "", EVANDER_SOMETHING_ELSE: "1" };
  const { settings, troubles } = await config({ env });
  expect(settings.model).toBeUndefined();
  expect(troubles.map(told)).toEqual(["The variable EVANDER_MODLE sets nothing; perhaps EVANDER_MODEL was meant."]);
  expect(await refusal({ env: { EVANDER_STREAM_IDLE_MS: "soon" } })).toBe(
    'EVANDER_STREAM_IDLE_MS must be a whole number above zero; it is "soon".',
  );
});

test("[X1] where a person is told, the last config that was right stands in for a broken one; -p is refused", async () => {
  const user = put(USER, "maxIterations: 5");
  await config();
  put(USER, "maxIterations: [");
  expect(await refusal()).toContain(`${user}:2:1: this is no YAML`);
  const { settings, troubles, entries } = await config({ attended: true });
  expect(settings.maxIterations).toBe(5);
  expect(troubles.map(told).at(-1)).toContain("when it was last right, holds instead");
  expect(entries.get("maxIterations")?.place).toMatch(/state\/last-good\/[0-9a-f]{16}\.yaml:1:1$/u);
  // An administrator's rules have no stand-in that their user could write.
  put(USER, "");
  put(SYSTEM, "maxIterations: 4");
  await config({ attended: true });
  put(SYSTEM, "locked: {");
  expect(await refusal({ attended: true })).toContain(SYSTEM);
});

test("[X1] a secret in a config is refused wherever it stands, and never shown", async () => {
  const secret = "sk-proj-abcdefgh12345678";
  for (const line of [`model: ${secret}`, `apiKey: plain-words`, `OPENAI_API_KEY: ${secret}`, `${secret}: 1`]) {
    put(USER, line);
    const reading = await read();
    expect(JSON.stringify(reading), line).not.toContain(secret);
    expect(sentence(reading), line).toContain("holds a secret as text");
  }
  expect(readdirSync(join(folder, "home"))).not.toContain("state");
  expect(await refusal({ pairs: [`model=${secret}`] })).not.toContain(secret);
  for (const line of ["providers: { a: { baseUrl: http://u:hunter2@h/v1 } }", "data: postgres://u:hunter2@h/db"]) {
    put(USER, line);
    expect(JSON.stringify(await read()), line).not.toContain("hunter2");
    expect(await refusal(), line).toContain("holds a secret as text");
  }
});

test("[X2] nothing is written and no file is needed where there is no config", async () => {
  await config();
  expect(readdirSync(folder)).toEqual([]);
});

test("[G1] folders: one for all, XDG, or those of the system; relative variables do not count", () => {
  const roots = (env: NodeJS.ProcessEnv, platform: NodeJS.Platform = "linux"): unknown =>
    rootFolders({ env, home: platform === "win32" ? String.raw`C:\Users\p` : "/p", platform });
  expect(roots({ EVANDER_HOME: "/e", XDG_STATE_HOME: "/x" })).toEqual({
    config: "/e",
    data: "/e",
    state: "/e/state",
    cache: "/e/cache",
  });
  expect(roots({ EVANDER_HOME: "e", XDG_STATE_HOME: "/x", XDG_CACHE_HOME: "c" })).toEqual({
    config: "/p/.config/evander",
    data: "/p/.local/share/evander",
    state: "/x/evander",
    cache: "/p/.cache/evander",
  });
  expect(roots({}, "darwin")).toMatchObject({ config: "/p/Library/Application Support/evander" });
  expect(roots({ LOCALAPPDATA: String.raw`D:\l` }, "win32")).toEqual({
    config: String.raw`C:\Users\p\AppData\Roaming\evander`,
    data: String.raw`D:\l\evander\data`,
    state: String.raw`D:\l\evander\state`,
    cache: String.raw`D:\l\evander\cache`,
  });
});

test("[G1] sessions that were begun below the state folder are still found there; new ones are data", () => {
  const here = { ...around(), env: {}, home: folder };
  const folders = rootFolders(here);
  expect(storeFolder(here, folders)).toBe(join(folder, ".local/share/evander"));
  put(".local/state/evander/evander.db", "");
  expect(storeFolder(here, folders)).toBe(join(folder, ".local/state/evander"));
  expect(storeFolder(here, profileFolders(folders, "w", "linux"))).toBe(
    join(folder, ".local/share/evander/profiles/w"),
  );
  put(".local/share/evander/evander.db", "");
  expect(storeFolder(here, folders)).toBe(join(folder, ".local/share/evander"));
});

test("[X8] a profile is begun by name: one that does not exist, or is no name, is refused", async () => {
  addProfile(around(), "work");
  const asked = (name: string): Promise<ConfigReading> => read({ env: { EVANDER_PROFILE: name } });
  expect(sentence(await asked("wrok"))).toBe("There is no profile wrok. Perhaps work was meant.");
  expect(sentence(await asked("../etc"))).toContain("1 to 40 small letters");
  expect(await asked("work")).toMatchObject({
    config: { profile: "work", store: join(folder, "home/profiles/work") },
  });
});
