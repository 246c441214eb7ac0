import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type FakeProvider, fakeProvider } from "../support/fake-provider.ts";
import { type Ran, ProgramWorld } from "../support/program.ts";
import { echo, guarded } from "../support/tools.ts";
import { callTools, delta, PAUSE, say, stream } from "../support/wire-script.ts";

const NOWHERE = "http://127.0.0.1:9/v1";

/** Sessions with these first messages, in this order. */
async function asked(world: ProgramWorld, ...prompts: readonly string[]): Promise<void> {
  for (const prompt of prompts) await world.ask(prompt);
}

const answers = async (count: number): Promise<FakeProvider> =>
  fakeProvider(Array.from({ length: count }, (_, n) => say(`Answer ${n + 1}.`)));

const ids = ({ stdout }: Ran): string[] =>
  (JSON.parse(stdout) as { sessionId: string }[]).map(({ sessionId }) => sessionId);

test("[G1] session list filters by time, title and state, and takes a limit", async () => {
  await using provider = await fakeProvider([
    say("1."),
    say("2."),
    callTools([{ id: "g", name: "guarded", arguments: { text: "x" } }]),
  ]);
  await using world = await ProgramWorld.onServer(provider.baseUrl, [guarded()]);
  await asked(world, "the harbour", "港口的天气");
  await world.ask("park it", "--approve", "park");
  const list = async (...argv: readonly string[]): Promise<string[]> =>
    ids(await world.run(["session", "list", "--json", ...argv]));
  expect(await list()).toEqual(["session-3", "session-2", "session-1"]);
  expect(await list("--limit", "1")).toEqual(["session-3"]);
  expect(await list("--title", "HARBOUR")).toEqual(["session-1"]);
  expect(await list("--title", "天气")).toEqual(["session-2"]);
  expect(await list("--unfinished")).toEqual(["session-3"]);
  expect(await list("--since", "1h")).toHaveLength(3);
  expect(await list("--until", "1h")).toEqual([]);
  expect(await list("--since", "2999-01-01")).toEqual([]);
  const none = await world.run(["session", "list", "--title", "nothing"]);
  expect(none).toMatchObject({ code: 0, stdout: "", stderr: "None of the 3 sessions is like that.\n" });
  for (const wrong of [
    ["--limit", "0"],
    ["--since", "yesterday"],
  ])
    expect(await world.run(["session", "list", ...wrong])).toMatchObject({ code: 2, stdout: "" });
});

test("[G1] a session is named by id, the beginning of it, its title or last; what several answer to is refused", async () => {
  await using provider = await answers(4);
  await using world = await ProgramWorld.onServer(provider.baseUrl);
  await asked(world, "one", "two", "Two");
  const shown = async (name: string): Promise<Ran> => world.run(["session", "show", name]);
  expect((await shown("ONE")).stdout).toContain("Answer 1.");
  expect((await shown("last")).stdout).toContain("Answer 3.");
  expect((await shown("session-2")).stdout).toContain("Answer 2.");
  const several = await shown("two");
  expect(several).toMatchObject({ code: 2, stdout: "" });
  expect(several.stderr).toContain("two could be session-3, session-2: write more of the id");
  expect((await shown("session")).stderr).toContain("could be session-3, session-2, session-1");
  expect((await shown("ses")).stderr).toContain("There is no session ses.");
  expect(await world.ask("go on", "--resume", "one")).toMatchObject({ sessionId: "session-1" });
  expect((await world.run(["session", "show", "one", "--last", "1"])).stdout).toBe("── 4 assistant\nAnswer 4.\n");
});

test("[G1] a failing command with --json has one result object on stdout", async () => {
  await using world = await ProgramWorld.onServer(NOWHERE);
  const { code, stdout } = await world.run(["session", "show", "nobody", "--json"]);
  expect(code).toBe(2);
  expect(JSON.parse(stdout)).toMatchObject({ ok: false, error: { code: "session_not_found" } });
});

test("[G1] session rename cleans a title, refuses one that shows nothing or is too long, and keeps it", async () => {
  await using provider = await answers(2);
  await using world = await ProgramWorld.onServer(provider.baseUrl);
  await asked(world, "first words");
  const rename = async (...argv: readonly string[]): Promise<Ran> => world.run(["session", "rename", "last", ...argv]);
  expect((await rename("--dry-run", "no")).stdout).toBe("session-1  no\n");
  expect((await world.run(["session", "list"])).stdout).toContain("first words");
  expect(await rename("My\u200b  \u0007title")).toMatchObject({ code: 0, stdout: "session-1  My title\n" });
  expect(await rename("​")).toMatchObject({ code: 2, stderr: expect.stringContaining("shows nothing") });
  expect(await rename("x".repeat(101))).toMatchObject({ code: 2, stderr: expect.stringContaining("100 are the most") });
  await world.ask("more", "--resume", "my title");
  expect((await world.run(["session", "list"])).stdout).toContain("2 turns  My title");
});

test("[G1] session rm asks for --yes where nobody can be asked, and removes for good", async () => {
  await using provider = await answers(3);
  await using world = await ProgramWorld.onServer(provider.baseUrl);
  await asked(world, "kept", "the lighthousekeeper", "燈塔管理員的秘密");
  const rm = async (...argv: readonly string[]): Promise<Ran> => world.run(["session", "rm", ...argv]);
  const asks = await rm("session-2");
  expect(asks).toMatchObject({ code: 2, stdout: expect.stringContaining("the lighthousekeeper") });
  expect(asks.stderr).toContain("nobody can be asked here: add --yes");
  expect((await rm("session-2", "--dry-run")).stderr).toBe("Nothing was removed.\n");
  expect(await rm("session-2", "nobody", "--yes")).toMatchObject({ code: 2 });
  expect((await world.run(["session", "search", "lighthousekeeper"])).stdout).not.toBe("");
  const done = await rm("session-2", "last", "--yes", "--json");
  expect(JSON.parse(done.stdout)).toEqual([
    { sessionId: "session-2", title: "the lighthousekeeper", removed: true },
    { sessionId: "session-3", title: "燈塔管理員的秘密", removed: true },
  ]);
  expect((await world.run(["session", "search", "lighthousekeeper"])).stdout).toBe("");
  expect((await world.run(["session", "search", "管理員"])).stdout).toBe("");
  const bytes = await readFile(join(world.folder, "state", "evander.db"));
  expect(bytes.includes("lighthousekeeper")).toBe(false);
  expect(ids(await world.run(["session", "list", "--json"]))).toEqual(["session-1"]);
});

test("[G1] at a terminal rm asks; what was typed before the question is no answer", async () => {
  await using provider = await answers(1);
  await using world = await ProgramWorld.onServer(provider.baseUrl);
  await asked(world, "hello");
  const hasty = world.sit(["session", "rm", "last"]);
  hasty.type("y\r");
  await world.shown("for good? [y/N]");
  hasty.leave();
  expect((await hasty.ended).stderr).toContain("Nothing was removed.");
  const sure = world.sit(["session", "rm", "last"]);
  await world.shown("for good? [y/N]");
  sure.type("y\r");
  expect((await sure.ended).code).toBe(0);
  expect((await world.run(["session", "list"])).stdout).toBe("");
});

test("[G1] a session at work is not removed: 75", async () => {
  await using provider = await fakeProvider([stream([delta({ content: "Half " }), PAUSE])]);
  await using world = await ProgramWorld.onServer(provider.baseUrl);
  const running = world.run(["-p", "work", "--output", "jsonl"]);
  await world.shown("Half ");
  await using other = world.again();
  const busy = await other.run(["session", "rm", "last", "--yes"]);
  expect(busy).toMatchObject({ code: 75, stderr: expect.stringContaining("in use by process") });
  world.signal("SIGINT");
  expect((await running).code).toBe(130);
  expect((await other.run(["session", "rm", "last", "--yes"])).code).toBe(0);
});

test("[G1] session prune goes by age and number, and leaves what has not ended", async () => {
  const park = callTools([{ id: "g", name: "guarded", arguments: { text: "x" } }]);
  await using provider = await fakeProvider([park, say("2."), say("3."), say("4.")]);
  await using world = await ProgramWorld.onServer(provider.baseUrl, [guarded()]);
  await world.ask("park it", "--approve", "park");
  await asked(world, "two", "three", "four");
  const prune = async (...argv: readonly string[]): Promise<Ran> => world.run(["session", "prune", ...argv]);
  expect(await prune("--yes")).toMatchObject({ code: 2, stderr: expect.stringContaining("--older-than 30d") });
  expect(await prune("--older-than", "30d", "--yes")).toMatchObject({
    code: 0,
    stderr: "Nothing is old enough to go.\n",
  });
  expect(ids(await prune("--keep", "1", "--dry-run", "--json"))).toEqual(["session-3", "session-2"]);
  expect((await prune("--keep", "1", "--yes")).code).toBe(0);
  expect(ids(await world.run(["session", "list", "--json"]))).toEqual(["session-4", "session-1"]);
});

const ELSEWHERE = ',"tainted":"a conversation from elsewhere"';

test("[G1] an export in jsonl is imported without loss, elsewhere and under a new id", async () => {
  const call = callTools([{ id: "a", name: "echo", arguments: { text: "x" } }]);
  await using provider = await fakeProvider([call, say("Done."), say("Again."), say("Other.")]);
  await using world = await ProgramWorld.onServer(provider.baseUrl, [echo]);
  await world.run(["-p", "say x"], "an attachment");
  await world.ask("again", "--resume", "last", "--max-iterations", "Infinity");
  await asked(world, "other");
  const all = (await world.run(["session", "export", "--all"])).stdout;
  await using other = await ProgramWorld.onServer(provider.baseUrl, [echo]);
  await writeFile(join(other.folder, "all.jsonl"), all);
  expect((await other.run(["session", "import", "all.jsonl", "--dry-run"])).stdout).toContain("session-1  say x");
  expect((await other.run(["session", "list"])).stdout).toBe("");
  expect(await other.run(["session", "import", "all.jsonl"])).toMatchObject({ code: 0 });
  // That it comes from elsewhere is all that is added: whatever it says may be anybody's words.
  const back = (await other.run(["session", "export", "session-1", "session-2"])).stdout;
  const own = back.replaceAll(ELSEWHERE, "");
  expect(own.split("\n").toSorted()).toEqual(all.split("\n").toSorted());
  const spoken = all.match(/"message":\{"role":"(?:user|assistant)"/gu) ?? [];
  expect(back.split(ELSEWHERE)).toHaveLength(spoken.length + 1);
  for (const command of [
    ["list", "--json"],
    ["show", "session-1", "--json"],
  ]) {
    const [there, here] = [await other.run(["session", ...command]), await world.run(["session", ...command])];
    expect(JSON.parse(there.stdout)).toEqual(expect.any(Object));
    expect(there.stdout.replace(/\n *"tainted".*/gu, "").length).toBe(here.stdout.length);
  }
  const again = await other.run(["session", "import", "all.jsonl"]);
  expect(again).toMatchObject({ code: 2, stderr: expect.stringContaining("add --new") });
  const fresh = await world.run(["session", "import", "-", "--new", "--json"], all);
  expect(JSON.parse(fresh.stdout)).toMatchObject([{ imported: true }, { imported: true }]);
  const found = await world.run(["session", "search", "Done", "--json"]);
  expect(JSON.parse(found.stdout)).toMatchObject([{ found: 1 }, { found: 1 }]);
});

test("[G1][C5] messages in the OpenAI shape are imported: a list, an object, one a line", async () => {
  await using provider = await answers(1);
  await using world = await ProgramWorld.onServer(provider.baseUrl);
  const messages = [
    { role: "system", content: "Be brief." },
    { role: "user", content: "where is the harbour" },
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "c", type: "function", function: { name: "ls", arguments: "{}" } }],
    },
    { role: "tool", tool_call_id: "c", content: "harbour.md" },
    { role: "assistant", content: "In harbour.md." },
  ];
  const take = async (text: string): Promise<Ran> => world.run(["session", "import", "-"], text);
  expect((await take(JSON.stringify(messages))).code).toBe(0);
  expect((await take(JSON.stringify({ messages, title: "By title" }))).stdout).toBe("session-2  By title\n");
  expect((await take(messages.map((message) => JSON.stringify(message)).join("\n"))).code).toBe(0);
  const found = await world.run(["session", "search", "harbour", "--json"]);
  expect(JSON.parse(found.stdout)).toMatchObject([{ found: 3 }, { found: 3 }, { found: 3 }]);
  expect(await world.ask("and now?", "--resume", "by title")).toMatchObject({ ok: true, sessionId: "session-2" });
  const { stdout } = await world.run(["session", "export", "session-1", "--format", "openai"]);
  expect(JSON.parse(stdout)).toMatchObject(messages.slice(1).map(({ role }) => ({ role })));
});

test("[G1] a file that cannot be used is refused by line and cause, and nothing is changed", async () => {
  await using provider = await answers(1);
  await using world = await ProgramWorld.onServer(provider.baseUrl);
  await asked(world, "hello");
  const [head = "", start = "", ...rest] = (await world.run(["session", "export", "last"])).stdout.split("\n");
  const says = async (text: string): Promise<string> => {
    const { code, stdout, stderr } = await world.run(["session", "import", "-", "--new"], text);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    return stderr;
  };
  expect(await says("")).toContain("line 1: there is nothing in it");
  expect(await says("{}\nnonsense")).toContain("line 2: it is no JSON object");
  expect(await says('[{"role":"wizard"}]')).toContain("line 1: it is no message");
  expect(await says(head)).toContain("line 1: the session has no facts");
  expect(await says(head.replace("v1", "v9"))).toContain("evander.session.v1 is what can be read here");
  expect(await says([head, start, start, ...rest].join("\n"))).toContain("line 3: two messages have one place");
  expect(await says([head, start.replace("turn-start", "turn-jump")].join("\n"))).toContain('"turn-jump"');
  expect(await says([head, start.replace('"parts"', '"pieces"')].join("\n"))).toContain("line 2: its turn-start lacks");
  expect(await says([head, start.replace(/"atMs":\d+/u, '"atMs":-1')].join("\n"))).toContain("a time in it is none");
  expect(await world.run(["session", "import", "nothing.jsonl"])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("(there is none)"),
  });
  expect(await world.run(["session", "import", "/dev/zero"])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("(it is no regular file)"),
  });
  expect(ids(await world.run(["session", "list", "--json"]))).toEqual(["session-1"]);
});

test("[G1][SEC-08] an id that is a path, an option or hides something is not taken over; --new gives another", async () => {
  await using provider = await answers(1);
  await using world = await ProgramWorld.onServer(provider.baseUrl);
  await asked(world, "hello");
  const { stdout } = await world.run(["session", "export", "last"]);
  const take = (id: string, ...flags: readonly string[]): Promise<Ran> =>
    world.run(["session", "import", "-", "--dry-run", ...flags], stdout.replace('"session-1"', JSON.stringify(id)));
  for (const id of ["../../etc/passwd", "/tmp/x", "a/b", "a\\b", ".", "..", "-rf", "two words", "a\u202Eb", ""]) {
    expect(await take(id)).toMatchObject({ code: 2, stderr: expect.stringContaining("line 1: its sessionId is none") });
    expect(await take(id, "--new")).toMatchObject({ code: 0 });
  }
  for (const id of ["agent:main:telegram:group:-1001:42", "会话-1", "once-0a"])
    expect(await take(id)).toMatchObject({ code: 0 });
});

test("[G1] an export in Markdown is for people, and no text in it can end its block", async () => {
  const call = callTools([{ id: "a", name: "echo", arguments: { text: "```\n# not a heading" } }]);
  await using provider = await fakeProvider([call, say("**Done.**")]);
  await using world = await ProgramWorld.onServer(provider.baseUrl, [echo]);
  await world.ask("say it");
  const { stdout } = await world.run(["session", "export", "last", "--format", "md"]);
  expect(stdout).toMatch(/^# say it\n\nsession session-1, begun 20/u);
  expect(stdout).toContain("## You\n\nsay it\n\n## Evander\n\nCalls `echo`:\n\n````\n");
  expect(stdout).toContain("### echo: ok\n\n````\necho: ```\n# not a heading\n````\n\n## Evander\n\n**Done.**\n");
  expect(await world.run(["session", "export", "--all", "--format", "md"])).toMatchObject({ code: 0 });
  expect(await world.run(["session", "export"])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("or --all"),
  });
});
