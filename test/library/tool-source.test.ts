import { expect, test } from "vitest";
import { agentOn } from "../../src/agent/agent.ts";
import type { Tool } from "../../src/protocol/tool.ts";
import { cacheReport } from "../../src/session/cache/report.ts";
import { memoryStore } from "../../src/store/memory.ts";
import { fakeProvider, type FakeProvider } from "../support/fake-provider.ts";
import { callTools, refuse, say } from "../support/wire-script.ts";

const tool = (name: string, run: () => unknown = () => `${name} ran`): Tool => ({
  name,
  description: name,
  parameters: { type: "object", properties: {} },
  effect: "pure",
  concurrency: "shared",
  run,
});

/** Names of the tools that each request told of. */
const toldIn = ({ requests }: FakeProvider): string[][] =>
  requests.map(({ body }) => (body.tools ?? []).map((it) => (it as { function: { name: string } }).function.name));

/** A source whose tools can be changed. */
class Shelf {
  there: readonly Tool[] = [];
  closed = 0;
  readonly asked: (readonly string[])[] = [];
  readonly source = {
    tools: (called: readonly string[] = []) => {
      this.asked.push(called);
      return Promise.resolve(this.there);
    },
    close: () => Promise.resolve(void this.closed++),
  };
}

test("[A3] tools that came since the last turn join the next one, behind those there were, and never one that runs", async () => {
  const shelf = new Shelf();
  const late = tool("late");
  const arrive = tool("arrive", () => {
    shelf.there = [tool("arrive"), late];
    return "arrived";
  });
  await using provider = await fakeProvider([
    callTools([
      { id: "1", name: "arrive", arguments: {} },
      { id: "2", name: "late", arguments: {} },
    ]),
    say("One."),
    callTools([{ id: "3", name: "late", arguments: {} }], { newHead: true }),
    say("Two."),
    say("Three."),
    say("Four.", { newHead: true }),
  ]);
  const options = { baseUrl: provider.baseUrl, model: "m", tools: [arrive], toolSource: shelf.source };
  await using made = agentOn(memoryStore(), options);
  const results = async (): Promise<string[]> => {
    const { messages } = await made.run("go", { sessionId: "s" });
    return messages.flatMap((it) =>
      it.role === "tool" ? [it.parts.map((part) => ("text" in part ? part.text : "")).join()] : [],
    );
  };
  expect(await results()).toEqual(["arrived", expect.stringContaining("late")]);
  expect(await results()).toEqual(["late ran"]);
  await results();
  shelf.there = [];
  await results();
  expect(toldIn(provider)).toEqual([
    ["arrive"],
    ["arrive"],
    // A name that an own tool has nobody else gets.
    ["arrive", "late"],
    ["arrive", "late"],
    ["arrive", "late"],
    ["arrive"],
  ]);
  await made.close();
  expect(shelf.closed).toBeGreaterThan(0);
});

test("[A3] what a cache did not bring because a tool came is told with its name; whoever takes over is told of the same tools", async () => {
  const shelf = new Shelf();
  await using other = await fakeProvider([say("Three.")]);
  await using provider = await fakeProvider([
    say("One."),
    say("Two.", { newHead: true }),
    refuse(401, { error: { message: "no key" } }),
  ]);
  const store = memoryStore();
  const fallback = [{ model: "n", baseUrl: other.baseUrl }];
  const options = { baseUrl: provider.baseUrl, model: "m", toolSource: shelf.source, fallback };
  await using made = agentOn(store, options);
  await made.run("a", { sessionId: "s" });
  shelf.there = [tool("late")];
  await made.run("b", { sessionId: "s" });
  const turn = store.turn("last");
  expect(turn && cacheReport(turn, store).rows[0]?.differs?.cause).toEqual({
    type: "tool-list",
    added: ["late"],
    removed: [],
  });
  expect(await made.run("c", { sessionId: "s" })).toMatchObject({ answer: "Three." });
  expect([...toldIn(provider), ...toldIn(other)]).toEqual([[], ["late"], ["late"], ["late"]]);
});

test("[A3] a source that rejects or repeats itself changes nothing; a turn that is taken up says what it has called", async () => {
  const shelf = new Shelf();
  const twice = tool("twice");
  shelf.there = [tool("asks"), twice];
  const asking = { ...tool("asks"), ask: () => "Really?" };
  const store = memoryStore();
  await using provider = await fakeProvider([
    callTools([{ id: "1", name: "asks", arguments: {} }]),
    say("Done."),
    say("Again."),
  ]);
  shelf.there = [asking];
  const options = { baseUrl: provider.baseUrl, model: "m", toolSource: shelf.source, approvals: "park" } as const;
  // Another process, as far as its sessions go: it opens the session anew.
  const first = agentOn({ ...store, close: () => undefined }, options);
  const { exit, turnId } = await first.run("go", { sessionId: "s" });
  expect(exit.reason).toBe("parked_for_approval");
  await first.close();
  await using second = agentOn(store, options);
  const parked = await second.open(turnId ?? "");
  expect(shelf.asked.at(-1)).toEqual(["asks"]);
  expect(await parked?.decide(parked.pending[0]?.approvalId ?? "", true)).toBe(true);
  expect(await parked?.resume()).toMatchObject({ answer: "Done." });
  shelf.there = [asking, twice, twice];
  expect(await second.run("more", { sessionId: "s" })).toMatchObject({ answer: "Again." });
  expect(toldIn(provider)).toEqual([["asks"], ["asks"], ["asks"]]);
});
