import { expect, test } from "vitest";
import type { TurnResult } from "../../src/protocol/result.ts";
import { fakeProvider } from "../support/fake-provider.ts";
import { ProgramWorld } from "../support/program.ts";
import { delta, event, PAUSE, refuse, type Step, stream, wholeJson } from "../support/wire-script.ts";

const FAST = ["--config", "retry.baseMs=1", "--config", "retry.maxMs=1"];

async function ended(...steps: Step[]): Promise<TurnResult> {
  await using provider = await fakeProvider(steps);
  await using world = await ProgramWorld.onServer(provider.baseUrl);
  return await world.ask("hi", ...FAST);
}

async function failed(...steps: Step[]): Promise<NonNullable<TurnResult["error"]>> {
  const { error } = await ended(...steps);
  if (error === null) throw new Error("nothing failed");
  return error;
}

const said = (message: string): { error: { message: string } } => ({ error: { message } });
const steps = (error: { next: readonly { do: string }[] }): string[] => error.next.map((step) => step.do);

test("[C18] what a server does not take is known to every process that goes on with the session, also where it was imported", async () => {
  const whole = (content: string): Step => ({
    ...wholeJson({ choices: [{ message: { role: "assistant", content }, finish_reason: "stop" }] }),
    newHead: true,
  });
  const no = refuse(400, said("Streaming is not supported for this model"));
  await using provider = await fakeProvider([no, whole("One."), whole("Two."), whole("Three.")]);
  await using world = await ProgramWorld.onServer(provider.baseUrl);
  expect(await world.ask("hi")).toMatchObject({ answer: "One.", attempts: 2 });
  expect(await world.again().ask("on", "--resume", "last")).toMatchObject({ answer: "Two.", attempts: 1 });
  const { stdout: file } = await world.run(["session", "export", "last"]);
  await using other = await ProgramWorld.onServer(provider.baseUrl);
  expect(await other.run(["session", "import", "-"], file)).toMatchObject({ code: 0 });
  expect(await other.ask("on", "--resume", "last")).toMatchObject({ answer: "Three.", attempts: 1 });
  const bad = file.replaceAll('"learnt":{', '"learnt":{"fake-1":7,');
  expect(bad).not.toBe(file);
  expect(await other.run(["session", "import", "-", "--new"], bad)).toMatchObject({ code: 2 });
  expect(provider.requests.map(({ body }) => body.stream)).toEqual([true, false, false, false]);
});

test("[D1][X1] a refused key, an unpaid bill and an unknown model each say what helps", async () => {
  const key = await failed(refuse(401, said("no such key")));
  expect(key.message).toMatch(/^The provider refused the key, or wants one\. HTTP 401 from \S+: no such key\.$/u);
  expect(key.next[0]).toMatchObject({ do: "set-key", command: "export OPENAI_API_KEY=YOUR_KEY" });
  expect(steps(await failed(refuse(403, said("not yours"))))).toEqual(["set-key"]);
  const bill = await failed(refuse(402, said("pay first.")));
  expect(bill.message).toMatch(/^The provider wants to be paid before it answers\. .*: pay first\.$/u);
  expect(steps(bill)).toEqual(["billing", "switch-model"]);
  const model = await failed(refuse(404, { error: { message: "gone", code: "model_not_found" } }));
  expect(model.message).toMatch(/^The provider does not have this model\. /u);
  expect(model.next[0]?.command).toBe("evander --model NAME");
});

test("[D4] how often it was tried is told as it was, and a long wait in words", async () => {
  const thrice = await failed(...[1, 2, 3].map(() => refuse(500, said("boom"))));
  expect(thrice.message).toMatch(/^The model's server answered with an error, 3 times\. HTTP 500 /u);
  const once = await failed(refuse(429, said("slow down"), { "retry-after": "3600" }));
  expect(once.message).toMatch(/^The model's server answered with an error\. .* The server asks to wait 1 h\.$/u);
  const cut = await failed(...[1, 2, 3].map(() => stream([], { end: "reset" })));
  expect(cut.message).toMatch(/^The model could not be reached, 3 times\. /u);
});

test("[J3] [X1] an address where no API answers is to be set right, before anything is asked again", async () => {
  const nowhere = refuse(404, "<!doctype html><html><title>Not Found</title></html>");
  const error = await failed(nowhere, nowhere, nowhere);
  expect(error.message).toContain("set the base URL");
  expect(steps(error)).toEqual(["set-address", "retry"]);
});

test("[D4] [D12] whose wait it is, and that a limit which is known was not asked for again, is told as it was", async () => {
  const crowded = refuse(529, { error: { type: "overloaded_error", message: "Overloaded" } });
  const limited = refuse(429, said("slow down"), { "retry-after": "3600" });
  await using provider = await fakeProvider([crowded, crowded, crowded, crowded, limited]);
  await using world = await ProgramWorld.onServer(provider.baseUrl);
  const own = await world.ask("hi", ...FAST, "--config", "retry.maxWaitMs=5000");
  expect(own.error).toMatchObject({ retryAfterMs: expect.any(Number), status: 529 });
  expect(own.error?.message).toMatch(/: Overloaded\. Ask again in \d+ s\.$/u);
  await world.again().ask("hi");
  const { error } = await world.again().ask("hi");
  expect(error?.message).toMatch(/^The model's limit is used up, so it was not asked\. .* The server asks to wait /u);
  expect(steps(error ?? { next: [] })).toEqual(["retry", "switch-model"]);
  expect(provider.requests.length).toBe(5);
});

test("[C7][J3] a server that answers is not out of reach: what it sent is named", async () => {
  const page = refuse(200, "<!doctype html><html><title>Sign in</title></html>");
  const used = await failed(page, page, page);
  expect(used.message).toMatch(
    /^What the model's server sent was no reply that could be used, 3 times\. .*a web page/u,
  );
  const broken = await failed(...[1, 2, 3].map(() => stream([event(said("Out of order"))])));
  expect(broken.message).toMatch(/^What the model's server sent was no reply/u);
});

test("[C2][J1] what no second try changes ends with the code of its cause: a setting, or the replies", async () => {
  const moved = await ended(refuse(308, "", { location: "https://else.test/v1/chat/completions" }));
  expect(moved).toMatchObject({ exit: { code: 76 } });
  expect(moved.error?.message).toMatch(
    /^The model's server sends requests elsewhere.* redirects to https:\/\/else\.test/u,
  );
  expect(moved.error?.next[0]).toMatchObject({ do: "set-address", command: "export OPENAI_BASE_URL=URL" });
  const noHttp = await ended({ frames: ["SSH-2.0-OpenSSH_9.6\r\n"], end: "cut", bare: true });
  expect(noHttp).toMatchObject({ exit: { reason: "request_rejected", code: 78 } });
  expect(noHttp.error?.message).toMatch(/^The model's server cannot be asked as it is set up.* does not speak HTTP/u);
  expect(noHttp.error?.next[0]?.do).toBe("set-address");
  const frames = ["data: ", ...Array.from({ length: 65 }, () => "m".repeat(1_000_000))];
  const endless = await ended({ frames });
  expect(endless).toMatchObject({ exit: { reason: "request_rejected", code: 76 }, attempts: 1 });
  expect(endless.error?.message).toMatch(/^What the model's server sent was no reply that could be used; .* 64 MB/u);
});

test("[B15] a stop says that something was kept only when something had arrived", async () => {
  await using provider = await fakeProvider([stream([PAUSE]), stream([delta({ content: "Half" }), PAUSE])]);
  await using world = await ProgramWorld.onServer(provider.baseUrl);
  const silent = world.ask("one");
  await provider.paused(1);
  world.signal("SIGINT");
  expect((await silent).error?.message).toBe("Stopped while the model was being asked.");
  const running = world.run(["-p", "two", "--output", "jsonl"]);
  await world.shown("Half");
  world.signal("SIGINT");
  expect((await running).stdout).toContain("what had arrived is kept");
});

test("[J3] explanations and next steps are told in the language asked for, or in that of the locale", async () => {
  const refused = refuse(402, said("no credit"));
  await using provider = await fakeProvider([refused, refused]);
  await using world = await ProgramWorld.onServer(provider.baseUrl);
  const asked = await world.ask("go", "--lang", "zh");
  expect(asked).toMatchObject({ answer: null, shown: "服务商要求先付费才会回答。" });
  expect(asked.exit.next[0]?.text).toContain("查看服务商账户的账单页");
  const { stderr } = await world.run(["-p", "go"], "", { env: { LC_ALL: "", LANG: "zh_CN.UTF-8" } });
  expect(stderr).toContain("服务商要求先付费才会回答。");
  const missing = await world.run(["session", "show", "nope", "--lang=zh"]);
  expect(missing.stderr).toContain("查看有哪些会话: evander session list");
});

test("[D15] --retry persistent waits for a server that is down for long; a mode that there is not is refused", async () => {
  const down = (at: number): Step => refuse(503, said(at % 2 === 0 ? "down" : "starting"));
  const course = Array.from({ length: 12 }, (_, at) => down(at));
  await using provider = await fakeProvider([
    ...course,
    wholeJson({ choices: [{ message: { role: "assistant", content: "Up." }, finish_reason: "stop" }] }),
  ]);
  await using world = await ProgramWorld.onServer(provider.baseUrl);
  expect(await world.ask("hi", "--retry", "persistent", ...FAST)).toMatchObject({
    answer: "Up.",
    attempts: 13,
    retries: 12,
  });
  const { code, stderr } = await world.run(["-p", "hi", "--retry", "forever"]);
  expect(code).toBe(2);
  expect(stderr).toContain("standard, persistent");
});
