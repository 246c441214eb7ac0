import { expect, test } from "vitest";
import { fakeProvider, type FakeProvider } from "../support/fake-provider.ts";
import { type Ran, ProgramWorld } from "../support/program.ts";
import { said } from "../support/said.ts";
import { echo, guarded } from "../support/tools.ts";
import { callTools, say } from "../support/wire-script.ts";

const answers = async (...texts: readonly string[]): Promise<FakeProvider> =>
  fakeProvider(texts.map((text) => say(text)));

/** What was said in the request, but for the system prompt. */
const sent = ({ requests }: FakeProvider, index: number): string[] =>
  (requests[index]?.body.messages ?? []).flatMap((message) => (message.role === "system" ? [] : [said(message)]));

const json = ({ stdout }: Ran): unknown => JSON.parse(stdout);
const run = (world: ProgramWorld, ...words: readonly string[]): Promise<Ran> => world.run(["session", ...words]);

test("[G5][A14] /back, /edit, /fork and /redo move between branches, and /tree shows them; no answer is lost", async () => {
  await using provider = await answers("One.", "Two.", "Other two.", "Edited.", "Three.");
  await using world = await ProgramWorld.onServer(provider.baseUrl);
  const lines = ["first", "second", "/back", "another second", "/redo", "/edit 2", "first, better", "/redo", "/fork"];
  const { stderr, stdout } = await world.run([], `${[...lines, "third", "/tree", "/back 9", "/back x"].join("\n")}\n`);
  expect(stdout).toBe("One.\nTwo.\nOther two.\nEdited.\nThree.\n");
  expect(sent(provider, 2)).toEqual(["first", "One.", "another second"]);
  expect(sent(provider, 3)).toEqual(["first, better"]);
  expect(sent(provider, 4)).toEqual(["first", "One.", "second", "Two.", "third"]);
  expect(stderr).toContain("This is now session-2, which has the first 2 messages in common with the other");
  expect(stderr).toContain("Back in session-1 (4 messages).");
  expect(stderr).toContain("Change it and send it: it begins a branch of its own (session-3)");
  expect(stderr).toContain("  session-1  first\n  ├─ session-2  at 2  first #2\n  ├─ session-3  at 0  first, better\n");
  expect(stderr).toContain("* └─ session-4  at 4  first #3\n");
  expect(stderr).toContain("So many messages were not said in this session.");
  expect(stderr).toContain("x is no number of messages");
});

test("[G5] Esc twice on an empty line brings the last message back to be changed, and leaves its answer where it is", async () => {
  await using provider = await answers("One.", "Two.");
  await using world = await ProgramWorld.onServer(provider.baseUrl);
  const seat = world.sit(["hello"]);
  await seat.shown("› ", "✓ answered");
  seat.type("\u001B\u001B");
  await seat.shown("› hello", "Change it and send it");
  seat.type(" there\r");
  await seat.shown("✓ answered", "Change it and send it");
  seat.type("\u0004");
  expect((await seat.ended).code).toBe(0);
  expect(sent(provider, 1)).toEqual(["hello there"]);
});

test("[G5] a session is forked at a message, from the command line, and what is asked of the fork stays in it", async () => {
  const call = callTools([
    { id: "a", name: "echo", arguments: { text: "x" } },
    { id: "b", name: "echo", arguments: { text: "y" } },
  ]);
  await using provider = await fakeProvider([call, say("Seen."), say("Else."), say("More.")]);
  await using world = await ProgramWorld.onServer(provider.baseUrl, [echo]);
  await world.ask("look twice");
  const dry = await run(world, "fork", "last", "--at", "3", "--dry-run");
  expect(dry.stdout).toBe("session-1  at 0\n");
  expect(dry.stderr).toContain("Forked behind message 0 instead of 3");
  const forked = await run(world, "fork", "session-1", "--at", "4", "--title", "mine", "--json");
  expect(json(forked)).toEqual({ sessionId: "session-2", from: "session-1", at: 4, title: "mine", forked: true });
  expect(await world.ask("say more", "--resume", "mine")).toMatchObject({ sessionId: "session-2", answer: "Else." });
  expect(sent(provider, 2)).toEqual(["look twice", "null", "echo: x", "echo: y", "say more"]);
  const once = await world.ask("and here", "--fork", "session-1", "--at", "0");
  expect(once).toMatchObject({ sessionId: "session-3", answer: "More." });
  expect(sent(provider, 3)).toEqual(["and here"]);
  expect((await run(world, "show", "session-1")).stdout.match(/── \d/gu)).toHaveLength(5);
  expect((await run(world, "tree")).stdout).toMatch(
    /^session-1 .* 1 turn {2}look twice\n├─ session-2 .* \(fork of session-1 at 4\) {2}mine\n└─ session-3 .* at 0\) {2}and here\n$/u,
  );
  expect(json(await run(world, "tree", "session-3", "--json"))).toMatchObject([
    { sessionId: "session-1", depth: 0, forkOf: null },
    { sessionId: "session-2", depth: 1, forkOf: { sessionId: "session-1", at: 4 } },
    { sessionId: "session-3", depth: 1 },
  ]);
});

test("[G5] what makes no sense of a fork is refused with the next step", async () => {
  await using provider = await answers("One.");
  await using world = await ProgramWorld.onServer(provider.baseUrl);
  await world.ask("one");
  for (const [words, told] of [
    [["session", "fork", "last", "--at", "3"], "--at 3 is no place in it"],
    [["session", "fork", "last", "--at", "-1"], "is no place in it"],
    [["session", "fork", "nobody"], "There is no session nobody"],
    [["-p", "x", "--at", "1"], "name it with --fork"],
    [["-p", "x", "--fork", "last", "--resume", "last"], "leave one of them out"],
    [["-p", "x", "--fork", "last", "--no-save"], "--no-save keeps nothing"],
    [["-p", "x", "--fork", "last", "--idempotency-key", "k"], "leave one of them out"],
  ] as const) {
    const { code, stderr, stdout } = await world.run(words);
    expect([words, code, stdout + stderr]).toEqual([words, 2, expect.stringContaining(told)]);
  }
  expect((await run(world, "tree")).stderr).toBe("No session has been forked yet.\n");
});

test("[G5][G3] a session whose turn waits is forked from before it, and that is said", async () => {
  await using provider = await fakeProvider([
    say("One."),
    callTools([{ id: "g", name: "guarded", arguments: { text: "x" } }]),
    say("Two."),
  ]);
  await using world = await ProgramWorld.onServer(provider.baseUrl, [guarded()]);
  await world.ask("one");
  await world.ask("park it", "--resume", "last", "--approve", "park");
  const forked = await run(world, "fork", "session-1");
  expect(forked).toMatchObject({ code: 0, stdout: "session-2  at 2  one #2\n" });
  expect(forked.stderr).toContain("Its last turn has not ended");
  expect(await world.ask("go on", "--resume", "session-2")).toMatchObject({ answer: "Two." });
});

test("[G1] pruning leaves what is pinned, and a removal says which forks keep what they share", async () => {
  await using provider = await answers("One.", "Two.", "Three.");
  await using world = await ProgramWorld.onServer(provider.baseUrl);
  await world.ask("the harbour");
  await world.ask("two");
  await world.ask("more", "--fork", "session-1");
  expect((await run(world, "pin", "session-2")).stdout).toContain("1 turn (pinned)  two");
  const pruned = await run(world, "prune", "--older-than", "2999-01-01", "--dry-run");
  expect(pruned.stdout).not.toContain("session-2");
  const removed = await run(world, "rm", "session-1", "--yes");
  expect(removed.stderr).toContain(
    "1 fork of it will keep what they share with it (session-3): --forks removes them too.",
  );
  expect((await run(world, "show", "session-3")).stdout).toContain("the harbour");
  expect((await run(world, "search", "harbour")).stdout).toContain("session-3");
  await run(world, "fork", "session-3");
  expect((await run(world, "rm", "session-3", "--forks", "--dry-run")).stdout).toMatch(/session-3[^]*session-4/u);
  expect((await run(world, "rm", "session-3", "--forks", "--yes")).stderr).toBe("");
  expect(json(await run(world, "list", "--json"))).toMatchObject([{ sessionId: "session-2", pinned: true }]);
  expect((await run(world, "unpin", "session-2")).stdout).toContain("1 turn  two");
});

test("[G5][G1] a conversation with its forks goes out and comes in, also under new ids", async () => {
  await using provider = await answers("One.", "Two.");
  await using world = await ProgramWorld.onServer(provider.baseUrl);
  await world.ask("one");
  await world.ask("two", "--fork", "session-1");
  const { stdout: file } = await run(world, "export", "--all");
  const imported = await world.run(["session", "import", "-", "--new", "--json"], file);
  expect(json(imported)).toMatchObject([{ imported: true }, { imported: true }]);
  const [parent, fork] = json(imported) as { sessionId: string }[];
  expect(json(await run(world, "tree", parent?.sessionId ?? "", "--json"))).toMatchObject([
    { sessionId: parent?.sessionId, messages: 2 },
    { sessionId: fork?.sessionId, messages: 4, forkOf: { sessionId: parent?.sessionId, at: 2 } },
  ]);
});
