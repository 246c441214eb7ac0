import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { agent } from "../../src/index.ts";
import { fakeProvider } from "../support/fake-provider.ts";
import { say } from "../support/wire-script.ts";

/** The variables of a person who has nothing set up; each test has a home of its own. */
const BARE = ["OPENAI_BASE_URL", "OPENAI_API_KEY", "OPENAI_MODEL", "EVANDER_HOME", "EVANDER_LOCAL_SERVERS"] as const;
const before = { ...process.env };
let home = "";

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "evander-found-"));
  for (const name of Object.keys(process.env)) if (/_API_KEY$|_BASE_URL$|_TOKEN$/u.test(name)) delete process.env[name];
  for (const name of BARE) delete process.env[name];
  Object.assign(process.env, { EVANDER_HOME: home, EVANDER_LOCAL_SERVERS: "" });
});
afterEach(() => {
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, before);
  rmSync(home, { recursive: true, force: true });
});

test("[X2] a model is found as the command line finds it, and the result says where", async () => {
  await using provider = await fakeProvider([say("From the environment.")]);
  Object.assign(process.env, { OPENAI_BASE_URL: provider.baseUrl, OPENAI_MODEL: "fake-1" });
  await using bot = agent();
  expect(await bot.run("hi")).toMatchObject({
    answer: "From the environment.",
    model: "fake-1",
    baseUrl: provider.baseUrl,
    providerSource: "OPENAI_BASE_URL",
  });
});

test("[X2] the config of the user counts, and a name that is given wins over it", async () => {
  await using provider = await fakeProvider([say("One."), say("Two.")], { models: ["fake-1", "fake-2"] });
  const config = `provider: mine\nmodel: fake-2\nproviders:\n  mine:\n    baseUrl: ${provider.baseUrl}\n`;
  writeFileSync(join(home, "config.yaml"), config);
  await using bot = agent({ model: "auto" });
  expect(await bot.run("hi")).toMatchObject({ answer: "One.", model: "fake-2", provider: "mine" });
  await using named = agent({ model: "fake-1" });
  expect(await named.run("hi")).toMatchObject({ answer: "Two.", model: "fake-1", provider: "mine" });
});

test("[X2][J1] where there is no model the turn says so as the command line does; the next one looks again", async () => {
  await using bot = agent();
  const nothing = await bot.run("hi", { sessionId: "s" });
  expect(nothing).toMatchObject({ exit: { reason: "no_provider", code: 78 }, sessionId: "s", messages: [] });
  expect(nothing.exit.next.length).toBeGreaterThan(0);
  expect((await bot.runSpec({ prompt: "hi" })).exit.reason).toBe("no_provider");
  await expect(bot.sessions.lane("s")).rejects.toThrow(/\S/u);
  expect(bot.store.list()).toEqual([]);
  await using provider = await fakeProvider([say("Now.")]);
  Object.assign(process.env, { OPENAI_BASE_URL: provider.baseUrl, OPENAI_MODEL: "fake-1" });
  expect((await bot.run("hi", { sessionId: "s" })).answer).toBe("Now.");
});

test("[X2] the practice model answers by name, without any set-up", async () => {
  await using bot = agent({ model: "practice" });
  expect(await bot.run("hello")).toMatchObject({ ok: true, provider: "practice" });
});

test("[X2] a config that cannot be read ends the turn, and names the file", async () => {
  mkdirSync(join(home, "state"), { recursive: true });
  writeFileSync(join(home, "config.yaml"), "model: [\n");
  await using bot = agent();
  const { exit, error } = await bot.run("hi");
  expect(exit).toMatchObject({ reason: "config_invalid", code: 78 });
  expect(error?.message).toContain("config.yaml");
});
