import { join } from "node:path";
import { expect, test } from "vitest";
import { agent } from "../../src/index.ts";
import { fakeProvider } from "../support/fake-provider.ts";
import { ProgramWorld } from "../support/program.ts";
import { echo } from "../support/tools.ts";
import { callTools, refuse, say } from "../support/wire-script.ts";

const call = callTools([{ id: "a", name: "echo", arguments: { text: "x" } }]);

test("[G1] sessions are listed and shown, as text and as JSON", async () => {
  await using provider = await fakeProvider([call, say("Done.")]);
  await using world = await ProgramWorld.onServer(provider.baseUrl, [echo]);
  expect(await world.run(["session", "list"])).toMatchObject({
    code: 0,
    stdout: "",
    stderr: "There is no session yet.\n",
  });
  await world.ask("say x");
  expect((await world.run(["session", "list"])).stdout).toMatch(/^session-1 {2}.* 1 turn {2}say x\n$/u);
  expect(JSON.parse((await world.run(["session", "list", "--json"])).stdout)).toMatchObject([
    { sessionId: "session-1" },
  ]);
  const shown = (await world.run(["session", "show", "last"])).stdout;
  expect(shown).toContain('calls echo {"text":"x"}');
  expect(shown).toContain("── 3 tool a (ok)\necho: x");
  const { messages } = JSON.parse((await world.run(["session", "show", "session-1", "--json"])).stdout) as {
    messages: { role: string }[];
  };
  expect(messages.map((message) => message.role)).toEqual(["user", "assistant", "tool", "assistant"]);
});

test("[C5] session show names the pictures of a question", async () => {
  await using world = await ProgramWorld.onServer("http://127.0.0.1:9/v1");
  const picture = { type: "image_url", image_url: { url: "https://h.test/x.png" } };
  const content = [{ type: "text", text: "look" }, picture];
  const bot = agent({ baseUrl: "http://127.0.0.1:9/v1", model: "m", store: join(world.folder, "state") });
  await bot.importMessages("s", [{ role: "user", content }]);
  await bot.close();
  expect((await world.run(["session", "show", "s"])).stdout).toBe("── 1 user\nlook\n[image: https://h.test/x.png]\n");
  expect(JSON.parse((await world.run(["session", "show", "s", "--json"])).stdout)).toMatchObject({
    messages: [{ role: "user", content }],
  });
});

test("[X1] turn explain tells each step and why the turn ended", async () => {
  const limit = refuse(429, { error: { message: "slow down" } }, { "retry-after-ms": "1" });
  await using provider = await fakeProvider([limit, call, refuse(401, { error: { message: "no key" } })]);
  await using world = await ProgramWorld.onServer(provider.baseUrl, [echo]);
  await world.ask("say x");
  const { stdout } = await world.run(["turn", "explain", "last"]);
  for (const step of [
    "asked: say x",
    "failed: rate_limit",
    "before the next attempt",
    "echo → ok: echo: x",
    "failed: auth",
    "ended: request_rejected",
    "The provider refused the key, or wants one.",
    "The last thing that happened: 2 fake-1 → 401 auth.",
    "Unusual: 2 of 3 requests failed (rate_limit, auth).",
    "3 requests, iterations 2 / 500.",
    "next: ",
  ])
    expect(stdout).toContain(step);
  expect(stdout).toMatch(/It took: cost unknown; \d+ tokens in \(cache \d+ %\), \d+ out; 3 requests/u);
  expect(JSON.parse((await world.run(["turn", "show", "last"])).stdout)).toMatchObject({ sessionId: "session-1" });
  expect(await world.run(["turn", "explain", "nothing"])).toMatchObject({ code: 2 });
});

test("[X7] turn show --raw prints the requests of a turn, one body a line, as the provider received them", async () => {
  const limit = refuse(429, {}, { "retry-after-ms": "1" });
  await using provider = await fakeProvider([limit, call, say("Done."), say("Again.")]);
  await using world = await ProgramWorld.onServer(provider.baseUrl, [echo]);
  await world.ask("say x\nand 完成");
  const sent = provider.requests.map(({ text }) => text);
  expect((await world.run(["turn", "show", "--raw"])).stdout).toBe(sent.map((text) => `${text}\n`).join(""));
  await world.ask("and again");
  expect((await world.run(["turn", "show", "--raw", "last"])).stdout).toBe(`${provider.requests[3]?.text}\n`);
  expect(await world.run(["turn", "show", "nothing", "--raw"])).toMatchObject({ code: 2 });
});

test("[J7] version, help and unknown commands", async () => {
  await using world = await ProgramWorld.onServer("http://127.0.0.1:9/v1");
  expect(await world.run(["version"])).toEqual({ code: 0, stdout: "evander 0.0.0-test\n", stderr: "" });
  expect(JSON.parse((await world.run(["version", "--json"])).stdout)).toMatchObject({ name: "evander" });
  expect(await world.run(["--help"])).toMatchObject({ code: 0, stdout: expect.stringContaining("--resume") });
  expect(await world.run(["session", "frob"])).toMatchObject({ code: 2, stderr: expect.stringContaining("frob") });
});
