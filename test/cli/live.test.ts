import { expect, test } from "vitest";
import type { Tool } from "../../src/protocol/tool.ts";
import { fakeProvider } from "../support/fake-provider.ts";
import { ProgramWorld } from "../support/program.ts";
import { ScreenModel } from "../support/screen-model.ts";
import { callTools, refuse, say } from "../support/wire-script.ts";

/** Prints ten lines, and ends when it is told to. */
function printing(fails: boolean): Tool & { finish(): void } {
  let end = (): void => undefined;
  return {
    name: "build",
    description: "Builds.",
    parameters: { type: "object", properties: {} },
    effect: "pure",
    concurrency: "shared",
    finish: () => end(),
    run: async (_input, { output }) => {
      for (let line = 1; line <= 10; line++) output(`line ${line}\n`);
      await new Promise<void>((resolve) => (end = resolve));
      if (fails) throw new Error("it broke");
      return "built";
    },
  };
}

const build = callTools([{ id: "b", name: "build", arguments: {} }]);

/** What stands on an 80-column terminal in the end. */
function standing(text: string): string[] {
  const model = new ScreenModel(80, 24);
  model.write(text.replaceAll(/\[\?2004[hl]/gu, ""));
  return model.lines;
}

test("[J7 X13] the last lines of a tool are seen while it runs; done, its end is one line", async () => {
  const tool = printing(false);
  await using provider = await fakeProvider([build, say("Done.")]);
  await using world = await ProgramWorld.onServer(provider.baseUrl, [tool]);
  const seat = world.sit(["go"]);
  await seat.shown("    line 10");
  tool.finish();
  await seat.shown("✓ answered");
  seat.type("\u0004");
  const { stderr } = await seat.ended;
  expect(stderr).not.toContain("    line 4\n");
  const lines = standing(stderr);
  expect(lines.filter((line) => line.startsWith("    line"))).toEqual([]);
  expect(lines).toContain("• build");
  expect(lines).toContain("✓ build: built");
  expect(lines.find((line) => line.includes("iteration 1"))).toMatch(/^ {2}iteration 1 · [\d.]+ s · cache/u);
});

test("[J7] of a tool that failed, the last lines stay, and how many there were", async () => {
  const tool = printing(true);
  await using provider = await fakeProvider([build, say("Sorry.")]);
  await using world = await ProgramWorld.onServer(provider.baseUrl, [tool]);
  const seat = world.sit(["go"]);
  await seat.shown("    line 10");
  tool.finish();
  await seat.shown("✓ answered");
  seat.type("\u0004");
  const lines = standing((await seat.ended).stderr);
  const at = lines.findIndex((line) => line.startsWith("✗ build"));
  expect(lines.slice(at, at + 8)).toEqual([
    "✗ build: error: it broke",
    "    … 4 more",
    ...[5, 6, 7, 8, 9, 10].map((line) => `    line ${line}`),
  ]);
});

test("[C20 X13] a wait says on the screen how long it goes on, and why", async () => {
  await using provider = await fakeProvider([refuse(503, { error: { message: "too busy" } }), say("Now.")]);
  await using world = await ProgramWorld.onServer(provider.baseUrl);
  const seat = world.sit(["go", "--config", "retry.baseMs=2500", "--config", "retry.maxMs=2500"]);
  await seat.shown("s (attempt 2) · HTTP 503");
  await seat.shown("Now.");
  seat.type("\u0004");
  const { stderr } = await seat.ended;
  expect(stderr).toMatch(/asking again in \d+s \(attempt 2\) · HTTP 503/u);
  expect(stderr).toContain("✓ answered · 1 iteration · 1 retry");
});
