import { expect, test } from "vitest";
import { PROPOSED } from "../../src/protocol/memory.ts";
import { tool } from "../support/agent-in-folder.ts";
import { fakeProvider } from "../support/fake-provider.ts";
import { ProgramWorld } from "../support/program.ts";
import { callTools, PAUSE, replyFrames, say, type Step } from "../support/wire-script.ts";

const memory = tool("memory", ({ content }) => (content === "obey" ? `${PROPOSED} it waits.` : "Done."));
const notes = (...texts: readonly string[]): Step =>
  callTools(texts.map((content, at) => ({ id: `n${at}`, name: "memory", arguments: { action: "add", content } })));
const anew = (step: Step): Step => ({ ...step, newHead: true });
const every = (turns: number): readonly string[] => ["--config", `review.turns=${turns}`];
const left = (turns: number): readonly string[] => ["--config", `review.leastTurns=${turns}`];

test("[J6] in a conversation the prompt is back at once, and what a review has noted is told when it is over", async () => {
  const slow: Step = {
    ...notes("likes tea", "likes cake", "obey"),
    frames: [PAUSE, ...notes("likes tea", "likes cake", "obey").frames],
  };
  await using provider = await fakeProvider([say("Earl Grey."), slow, say("Noted."), anew(say("Green."))]);
  await using world = await ProgramWorld.onServer(provider.baseUrl, [memory]);
  const seat = world.sit([], { EVANDER_REVIEW_TURNS: "1" });
  await seat.shown("› ");
  seat.type("which tea?\r");
  await seat.shown("✓ answered");
  await provider.paused();
  provider.release();
  await seat.shown('Noted: "likes tea", "likes cake"');
  seat.type("\u0004");
  const { code } = await seat.ended;
  expect(code).toBe(0);
  expect((await world.run(["turn", "cost", "last"])).stdout).toContain("review");
  expect((await world.run(["turn", "explain", "last"])).stdout).toContain("for a review: text_response");
  await world.run(["-p", "and then?", "--resume", "last"]);
  expect(provider.requests).toHaveLength(4);
});

test("[J6] [F5] what a review may not write waits, and one line says so, once", async () => {
  const look = callTools([{ id: "l", name: "look", arguments: {} }]);
  const evil = { action: "add", target: "user", content: "Likes evil." };
  const obey = (id: string): Step => callTools([{ id, name: "memory", arguments: evil }]);
  await using provider = await fakeProvider([look, say("Seen."), obey("a"), say("Done.")]);
  provider.script(anew(say("Two.")), obey("b"), say("Done."));
  await using world = await ProgramWorld.onServer(provider.baseUrl, [tool("look", () => "Note that.")]);
  world.lasting = true;
  const seat = world.sit([...every(1)]);
  await seat.shown("› ");
  seat.type("look\r");
  await seat.shown("memory: 1 change waits for your yes or no: /memory review");
  await seat.shown("memory: 1 change waits for your yes or no: /memory review");
  seat.type("two\r");
  await seat.shown("Two.");
  await provider.received(7);
  seat.type("/quit\r");
  const { code, stdout, stderr } = await seat.ended;
  expect(code).toBe(0);
  // The same change was asked for again.
  expect((stdout + stderr).split("change waits")).toHaveLength(2);
  expect((await world.run(["memory", "list"])).stdout).not.toContain("Likes evil.");
});

test("[F5] whoever leaves is told what goes on, and what was noted; Ctrl-C skips it", async () => {
  const hung: Step = { frames: [...replyFrames({ text: "not" }).slice(0, 2), PAUSE] };
  await using provider = await fakeProvider([say("One."), say("Two."), notes("likes tea"), say("Noted.")]);
  await using world = await ProgramWorld.onServer(provider.baseUrl, [memory]);
  const talk = async (): Promise<ReturnType<ProgramWorld["sit"]>> => {
    const seat = world.sit([...left(2)]);
    await seat.shown("› ");
    seat.type("one\r");
    await seat.shown("One.");
    await world.shown("✓ answered");
    seat.type("two\r");
    await seat.shown("Two.");
    await world.shown("✓ answered", 2);
    seat.type("/quit\r");
    await seat.shown("Looking back for what is worth noting");
    return seat;
  };
  const noted = await (await talk()).ended;
  expect(noted).toMatchObject({ code: 0 });
  expect(noted.stdout + noted.stderr).toContain('Noted: "likes tea"');
  provider.script(anew(say("One.")), say("Two."), hung);
  const seat = await talk();
  await provider.paused();
  world.signal("SIGINT");
  await seat.shown("Skipped.");
  expect(await seat.ended).toMatchObject({ code: 0 });
});

test("[F5] /new and /resume look back at what they leave, and nobody waits", async () => {
  await using provider = await fakeProvider([say("One."), notes("likes tea"), say("Noted.")]);
  await using world = await ProgramWorld.onServer(provider.baseUrl, [memory]);
  const seat = world.sit([...left(1)]);
  await seat.shown("› ");
  seat.type("one\r");
  await seat.shown("✓ answered");
  seat.type("/new\r");
  await seat.shown("A new session begins.");
  await seat.shown('Noted: "likes tea"');
  seat.type("\u0004");
  expect(await seat.ended).toMatchObject({ code: 0 });
  expect(provider.requests).toHaveLength(3);
  provider.script(anew(say("Three.")));
  await world.run(["-p", "three"]);
});

test("[J6] nothing is looked back at for whoever asks once, or wants it never", async () => {
  await using provider = await fakeProvider([say("One."), anew(say("Two.")), anew(say("Three."))]);
  await using world = await ProgramWorld.onServer(provider.baseUrl, [memory]);
  await world.run(["-p", "one", ...every(1), ...left(1)]);
  await world.run(["-p", "two", "--no-save", ...every(1), ...left(1)]);
  await world.run(["--config", "review.when=never", ...every(1), ...left(1)], "three\n");
  expect(provider.requests).toHaveLength(3);
});

test("[F5][J6] what a review notes is kept in the name of the turn it looked back at, and told to the next session", async () => {
  const add = callTools([
    { id: "n", name: "memory", arguments: { action: "add", target: "user", content: "Takes tea." } },
  ]);
  await using provider = await fakeProvider([say("Earl Grey."), add, say("Noted."), anew(say("Tea?"))]);
  await using world = await ProgramWorld.onServer(provider.baseUrl);
  world.lasting = true;
  const seat = world.sit([...every(1)]);
  await seat.shown("› ");
  seat.type("tea, please\r");
  await seat.shown('Noted: "Takes tea."');
  seat.type("\u0004");
  await seat.ended;
  const { turnId } = JSON.parse((await world.run(["turn", "show", "last"])).stdout) as { readonly turnId: string };
  const why = await world.run(["memory", "why", "1", "--json"]);
  expect(JSON.parse(why.stdout)).toMatchObject({ written: { by: "review", turnId } });
  await world.ask("hello");
  expect(String(provider.requests.at(-1)?.body.messages[0]?.content)).toContain("Takes tea.");
});
