import { expect, test } from "vitest";
import { fakeProvider } from "../support/fake-provider.ts";
import { ProgramWorld } from "../support/program.ts";
import { echo } from "../support/tools.ts";
import { callTools, refuse, say } from "../support/wire-script.ts";

interface Row {
  readonly turnId: string;
  readonly sessionId: string;
  readonly exit: string | null;
  readonly standing: string | null;
  readonly unfinished: boolean;
  readonly iterations: number;
  readonly cost: { readonly status: string };
  readonly asked: string;
}

const call = callTools([{ id: "a", name: "echo", arguments: { text: "x" } }]);

test("[X1] turn list tells the newest first: how each ended, what it took, what was asked", async () => {
  await using provider = await fakeProvider([
    call,
    say("Done."),
    refuse(401, { error: { message: "no" } }),
    say("Hi."),
  ]);
  await using world = await ProgramWorld.onServer(provider.baseUrl, [echo]);
  expect(await world.run(["turn", "list"])).toEqual({ code: 0, stdout: "", stderr: "There is no turn yet.\n" });
  await world.ask("say x");
  await world.ask("be refused");
  await world.ask("hello\nthere");
  const list = async (...more: string[]): Promise<Row[]> =>
    JSON.parse((await world.run(["turn", "list", "--json", ...more])).stdout) as Row[];
  const rows = await list();
  expect(rows).toMatchObject([
    { exit: "text_response", iterations: 1, asked: "hello there", standing: null, unfinished: false },
    { exit: "request_rejected", iterations: 1, asked: "be refused" },
    { exit: "text_response", iterations: 2, asked: "say x", cost: { status: "unknown" } },
  ]);
  const { stdout } = await world.run(["turn", "list"]);
  expect(stdout.split("\n")[2]).toMatch(
    /^\S+ {2}20\d\d-\d\d-\d\d \d\d:\d\d {2}[\d.]+ s {2}text_response {2}2 iterations {2}\d+ in \+ \d+ out {2}cost unknown {2}say x$/u,
  );
  expect((await list("--limit", "1")).map(({ asked }) => asked)).toEqual(["hello there"]);
  expect((await list("--exit", "request_rejected")).map(({ asked }) => asked)).toEqual(["be refused"]);
  expect((await list(rows[2]?.sessionId ?? "")).map(({ asked }) => asked)).toEqual(["say x"]);
  expect(await list("--since", "1h")).toHaveLength(3);
  expect(await list("--until", "1h")).toEqual([]);
  expect(await world.run(["turn", "list", "--unfinished"])).toMatchObject({ stderr: "No turn is like that.\n" });
  expect((await world.run(["turn", "list", "--exit", "boredom"])).code).toBe(2);
  expect((await world.run(["turn", "list", "--limit", "0"])).code).toBe(2);
  expect((await world.run(["turn", "list", "--lang", "zh"])).stdout).toContain("2 次迭代");
});

test("[X1] a turn is named by the beginning of its id wherever one is asked for, and never guessed", async () => {
  await using provider = await fakeProvider([say("Hi."), say("Hi.")]);
  await using world = await ProgramWorld.onServer(provider.baseUrl);
  const [first, second] = [await world.ask("one"), await world.ask("two")];
  const [id, other] = [first.turnId ?? "", second.turnId ?? ""];
  let unlike = 0;
  while (id[unlike] === other[unlike]) unlike++;
  const beginning = id.slice(0, Math.max(4, unlike + 1));
  for (const verb of ["show", "explain", "cost", "cache", "diff"])
    expect((await world.run(["turn", verb, beginning])).code, verb).toBe(0);
  expect((await world.run(["turn", "explain", beginning])).stdout).toContain("asked: one");
  expect((await world.run(["turn", "explain", id.slice(0, 3)])).code).toBe(2);
  if (unlike < 4) return;
  const { code, stderr } = await world.run(["turn", "explain", id.slice(0, unlike)]);
  expect([code, stderr]).toEqual([2, expect.stringContaining("write more of the id")]);
});
