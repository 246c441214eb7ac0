import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { openKeyChest } from "../../src/credentials/chest.ts";
import { fingerprintOf } from "../../src/credentials/entry.ts";
import { agent, type AgentOptions, type ModelChoice, type TurnHandle } from "../../src/index.ts";
import { explainTurn } from "../../src/session/explain.ts";
import { fakeProvider, type FakeProvider, type Script } from "../support/fake-provider.ts";
import { fakeAuthority } from "../support/fake-authority.ts";
import { tool } from "../support/agent-in-folder.ts";
import { callTools, refuse, reply, say } from "../support/wire-script.ts";
import { unmarked } from "../support/marks.ts";

const [A, B, C] = ["sk-test-aaaaaaaaaaaa1", "sk-test-bbbbbbbbbbbb2", "sk-test-cccccccccccc3"] as const;
const RETRY = { baseMs: 1, maxMs: 2, maxWaitMs: 1_000 };
const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "evander-keys-"));
  folders.push(path);
  return path;
}

const options = (server: FakeProvider, more: Partial<AgentOptions>): AgentOptions => ({
  model: "fake-1",
  provider: "mine",
  baseUrl: server.baseUrl,
  retry: RETRY,
  ...more,
});

const keysSent = ({ requests }: FakeProvider): (string | undefined)[] =>
  requests.map(({ headers }) => headers.authorization?.replace("Bearer ", ""));

const denied = refuse(401, { error: { message: "Incorrect API key provided", code: "invalid_api_key" } });
const slowDown = refuse(429, { error: { message: "Too many requests", code: "rate_limit_exceeded" } });
const usedUp = refuse(429, { error: { message: "The usage limit has been reached", type: "usage_limit_reached" } });
const broke = refuse(402, { error: { message: "insufficient credits" } });
const forbidden = refuse(403, {
  error: { message: "oauth authentication is currently not allowed for this organization" },
});

async function asked(steps: readonly Script[], more: Partial<AgentOptions>) {
  await using server = await fakeProvider(steps);
  await using bot = agent(options(server, more));
  const result = await bot.run("hi");
  const turn = bot.store.turn(result.turnId ?? "");
  const told = turn === undefined ? [] : explainTurn(turn, { nowMs: 0, alive: false, language: "en" });
  return { result, keys: keysSent(server), told };
}

test("[D6] [D7] a key that is refused is given up for the next one, which answers; the turn can say so", async () => {
  const { result, keys, told } = await asked([denied, say("hello")], { apiKeys: [A, B] });
  expect(result.answer).toBe("hello");
  expect(keys).toEqual([A, B]);
  expect(told.join("\n")).toContain(`from here on key ${fingerprintOf(B)} is sent instead of ${fingerprintOf(A)}`);
  expect(told.join("\n")).not.toContain(A);
});

test("[D6] [D8] the first rate limit is tried again on the same key, the second one is not", async () => {
  const { result, keys } = await asked([slowDown, slowDown, say("hello")], { apiKeys: [A, B] });
  expect(result.answer).toBe("hello");
  expect(keys).toEqual([A, A, B]);
});

test("[D6] a used-up plan, an empty account and a wait that is too long give the key up at once", async () => {
  const long = refuse(429, { error: { message: "Too many requests" } }, { "retry-after": "3000" });
  for (const refusal of [usedUp, broke, long]) {
    const { result, keys } = await asked([refusal, say("hello")], { apiKeys: [A, B] });
    expect([result.answer, keys]).toEqual(["hello", [A, B]]);
  }
});

test("[D6] what is forbidden to an account changes no key", async () => {
  const { result, keys } = await asked([forbidden], { apiKeys: [A, B] });
  expect(keys).toEqual([A]);
  expect(result.exit.reason).toBe("request_rejected");
});

test("[CRED-04] nine of ten keys are used up: the tenth answers, each was tried once, and no retry was spent on them", async () => {
  const keys = Array.from({ length: 10 }, (_, at) => `sk-test-number-${at}-xxxxxxxx`);
  const { result, keys: sent } = await asked([...Array<Script>(9).fill(usedUp), say("hello")], { apiKeys: keys });
  expect(result.answer).toBe("hello");
  expect(sent).toEqual(keys);
});

test("[D6] where all keys are used up, the turn ends as it would with one, and every key is known to be", async () => {
  const keyFolder = folder();
  const keys = { folder: keyFolder };
  const { result, told } = await asked([usedUp, usedUp, usedUp, usedUp], { apiKeys: [A, B], keys });
  expect(result.exit).toMatchObject({
    reason: "all_retries_exhausted_no_response",
    explain: "None of the provider's 2 keys can be used now.",
  });
  expect(result.error?.next[0]?.command).toBe("evander auth status");
  expect(told.join("\n")).toContain(`there is no other key to send instead of ${fingerprintOf(B)}`);
  const states = openKeyChest(keyFolder, Date.now)
    .list()
    .map(({ fingerprint, status }) => [fingerprint, status.state]);
  expect(states).toEqual([
    [fingerprintOf(A), "exhausted"],
    [fingerprintOf(B), "exhausted"],
  ]);
  // What lies elsewhere is never written.
  const text = readFileSync(join(keyFolder, "credentials.json"), "utf8");
  for (const key of [A, B]) expect(text).not.toContain(key);
});

test("[D7] another process begins with the key that is left; what was used up comes back when its time has passed", async () => {
  const keys = { folder: folder() };
  await asked([usedUp, say("hello")], { apiKeys: [A, B], keys });
  const later = await asked([say("again")], { apiKeys: [A, B], keys });
  expect(later.keys).toEqual([B]);
  const path = join(keys.folder, "credentials.json");
  writeFileSync(path, readFileSync(path, "utf8").replace(/"untilMs": \d+/u, '"untilMs": 1'));
  expect((await asked([say("first")], { apiKeys: [A, B], keys })).keys).toEqual([A]);
});

test("[J3] no key of the pool is shown or kept, whoever says it", async () => {
  const echo = refuse(401, { error: { message: `Incorrect API key: ${A}, not ${B}`, code: "invalid_api_key" } });
  const store = folder();
  const { result, told } = await asked([echo, say(`it is ${B} or ${C}`)], {
    apiKeys: [A, B, C],
    keys: { folder: store },
    store,
  });
  const kept = readdirSync(store).map((name) => readFileSync(join(store, name), "latin1"));
  for (const text of [JSON.stringify(result), told.join("\n"), ...kept])
    for (const key of [A, B, C]) expect(text).not.toContain(key);
});

test("[J3] no model of an agent shows the key of another one, nor does a tool, nor what is kept", async () => {
  const all = [A, B, C];
  const calls = [{ id: "1", name: "look", arguments: { at: A, or: B } }];
  await using first = await fakeProvider([denied, reply({ text: ["back, with ", B.slice(0, 9), B.slice(9)], calls })]);
  const spoken = reply({ reasoning: `I know ${A}`, text: [`it is ${A.slice(0, 7)}`, `${A.slice(7)}.`] });
  await using second = await fakeProvider([callTools(calls), spoken]);
  await using third = await fakeProvider([say(`from the third: ${A} or ${B}.`)]);
  const at = ({ baseUrl }: FakeProvider, apiKey: string): ModelChoice => ({ model: "fake-2", baseUrl, apiKey });
  const elsewhere = at(third, C);
  const look = tool("look", async (_, { output }) => {
    if (first.requests.length > 1) await turn.switchModel(elsewhere);
    const known = all.slice(0, first.requests.length + 1).join();
    output(`printed: ${known}`);
    return `seen: ${known}`;
  });
  const store = folder();
  const bot = agent(options(first, { apiKey: A, fallback: [at(second, B)], store, tools: [look] }));
  const shown: unknown[] = [];
  const play = async (handle: TurnHandle): Promise<void> => {
    for await (const event of handle) shown.push(event);
    shown.push(await handle, ...bot.store.requests((await handle).turnId ?? ""));
  };
  let turn = bot.start("one", { sessionId: "s" });
  await play(turn);
  turn = bot.start("two", { sessionId: "s" });
  await play(turn);
  const text = JSON.stringify([shown, bot.exportMessages("s")]);
  await bot.close();
  for (const cut of ["I know ***", "it is ***.", "back, with ***", "from the third: *** or ***.", "seen: ***,***"])
    expect(unmarked(text)).toContain(cut);
  const kept = readdirSync(store).map((name) => readFileSync(join(store, name), "latin1"));
  for (const place of [text, ...kept]) for (const key of all) expect(place).not.toContain(key);
});

test("[D7] a granted key that is refused is renewed, and the renewed one is kept for all processes", async () => {
  await using authority = await fakeAuthority();
  const keyFolder = folder();
  const first = authority.grant();
  await openKeyChest(keyFolder, Date.now).add({ provider: "mine", key: first });
  const { result, told } = await asked([denied, say("hello")], { keys: { folder: keyFolder } });
  expect(result.answer).toBe("hello");
  expect(authority.renewals).toBe(1);
  expect(told.join("\n")).toContain(`key ${fingerprintOf(first.secret)} was renewed`);
  const again = await asked([say("again")], { keys: { folder: keyFolder } });
  expect(again.keys).toEqual([authority.newest]);
});

test("[D7] a key is renewed twice in a turn and no more; then another one is sent", async () => {
  await using authority = await fakeAuthority();
  const keyFolder = folder();
  await openKeyChest(keyFolder, Date.now).add({ provider: "mine", key: authority.grant(), priority: -1 });
  const { result, keys } = await asked([denied, denied, denied, say("hello")], {
    apiKey: B,
    keys: { folder: keyFolder },
  });
  expect(result.answer).toBe("hello");
  expect(authority.renewals).toBe(2);
  expect(keys.at(-1)).toBe(B);
});

test("[CRED-08] a grant that is gone is asked for once, is dead until somebody logs in, and another key is sent", async () => {
  await using authority = await fakeAuthority();
  const keyFolder = folder();
  const grant = authority.grant();
  authority.revoke();
  const chest = openKeyChest(keyFolder, Date.now);
  await chest.add({ provider: "mine", key: grant, priority: -1 });
  for (const answers of [[denied, say("one")], [say("two")]] as const) {
    const { result } = await asked(answers, { apiKey: B, keys: { folder: keyFolder } });
    expect(result.exit.reason).toBe("text_response");
  }
  expect(authority.asked).toBe(1);
  expect(chest.list().find(({ type }) => type === "oauth")?.status).toMatchObject({ state: "dead" });
});

test("[D8] while a key is left no other model is asked; when all are used up, the next one is", async () => {
  await using other = await fakeProvider([say("from the other")]);
  const fallback = [{ provider: "other", model: "fake-2", baseUrl: other.baseUrl }];
  const { result, keys } = await asked([slowDown, slowDown, usedUp], { apiKeys: [A, B], fallback });
  expect(keys).toEqual([A, A, B]);
  expect(result).toMatchObject({ answer: "from the other", provider: "other" });
});
