import { DatabaseSync } from "node:sqlite";
import { createHash } from "node:crypto";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Diagnostic, RunSpec } from "../../src/index.ts";
import { type Bench, bench, tool } from "../support/agent-in-folder.ts";
import { callTools, refuse, say } from "../support/wire-script.ts";

const said = (world: Bench, at: number): string =>
  String(world.provider.requests[at]?.body.messages.find(({ role }) => role === "system")?.content);

/** What the lines about prompts say. */
function states(): { readonly lines: string[]; readonly onDiagnostic: (line: Diagnostic) => void } {
  const lines: string[] = [];
  return {
    lines,
    onDiagnostic: ({ level, fields }) => {
      if (fields["event"] === "prompt") lines.push(`${level} ${fields["state"]}`);
    },
  };
}

/** What the store has, changed from outside. */
function edit(world: Bench, sql: string): unknown {
  const db = new DatabaseSync(join(world.folder, "evander.db"));
  try {
    return sql.startsWith("select") ? db.prepare(sql).get() : db.exec(sql);
  } finally {
    db.close();
  }
}

test("[A7] a prompt is kept in the first commit of the first turn that sends it, and said again by a fresh agent", async () => {
  await using world = await bench(say("One."), say("Two."), say("Three."));
  const { lines, onDiagnostic } = states();
  const first = world.agent({ system: "You are Ada.", onDiagnostic });
  await first.run("one", { sessionId: "s" });
  const [start, built, attempt] = world.facts();
  expect([start?.type, built?.type, attempt?.type]).toEqual(["turn-start", "prompt-built", "attempt-start"]);
  expect(built).toEqual({
    type: "prompt-built",
    state: "missing",
    sha256: createHash("sha256").update("You are Ada.").digest("hex"),
    parts: [{ tier: "context", name: "system", chars: "You are Ada.".length }],
  });
  await first.run("two", { sessionId: "s" });
  await first.close();
  // Who says nothing of its own goes on as it was begun.
  await world.agent({ onDiagnostic }).run("three", { sessionId: "s" });
  expect([0, 1, 2].map((at) => said(world, at))).toEqual(["You are Ada.", "You are Ada.", "You are Ada."]);
  expect(world.facts().some(({ type }) => type === "prompt-built")).toBe(false);
  expect(lines).toEqual(["debug missing", "debug present"]);
});

test("[A8] the word of a program that says another prompt holds, and is kept from then on", async () => {
  await using world = await bench(say("One."), say("Two.", { newHead: true }), say("Three."));
  // The prompt before another was given is not kept.
  world.replays = false;
  const { lines, onDiagnostic } = states();
  for (const [text, system] of [
    ["one", "You are Ada."],
    ["two", "You are Bob."],
    ["three", undefined],
  ] as const) {
    const bot = world.agent({ ...(system !== undefined && { system }), onDiagnostic });
    await bot.run(text, { sessionId: "s" });
    await bot.close();
  }
  expect([0, 1, 2].map((at) => said(world, at))).toEqual(["You are Ada.", "You are Bob.", "You are Bob."]);
  expect(lines).toEqual(["debug missing", "info stale_system", "debug present"]);
});

test("[A8] a prompt that is not there, or empty, is built anew and told in the log", async () => {
  await using world = await bench(say("One."), say("Two."), say("Three."));
  const { lines, onDiagnostic } = states();
  for (const [text, before] of [
    ["one", "pragma user_version"],
    ["two", "update session set prompt = null"],
    ["three", "update session set prompt = ''"],
  ] as const) {
    if (text !== "one") edit(world, before);
    const bot = world.agent({ system: "You are Ada.", onDiagnostic });
    await bot.run(text, { sessionId: "s" });
    expect(world.facts().find(({ type }) => type === "prompt-built")).toBeDefined();
    await bot.close();
    expect(edit(world, "select prompt from session")).toEqual({ prompt: "You are Ada." });
  }
  expect(lines).toEqual(["debug missing", "warn null", "warn empty"]);
});

test("[A8] messages that were taken over are no reason to go without a prompt", async () => {
  await using world = await bench(say("Two."));
  const { lines, onDiagnostic } = states();
  const bot = world.agent({ system: "You are Ada.", onDiagnostic });
  await bot.importMessages("s", [
    { role: "user", content: "one" },
    { role: "assistant", content: "One." },
  ]);
  await bot.run("two", { sessionId: "s" });
  expect(said(world, 0)).toBe("You are Ada.");
  // Opened for the import, when there was no session yet.
  expect(lines).toEqual(["debug missing"]);
});

test("[A7] whoever wants no prompt has none, and hears nothing of it", async () => {
  await using world = await bench(say("One."), say("Two."));
  const { lines, onDiagnostic } = states();
  for (const text of ["one", "two"]) {
    const bot = world.agent({ system: "", onDiagnostic });
    await bot.run(text, { sessionId: "s" });
    await bot.close();
  }
  expect(world.provider.requests.every(({ body }) => body.messages[0]?.role === "user")).toBe(true);
  expect(lines).toEqual([]);
});

test("[A7][I3] a review says its parent's prompt; a run that belongs to no session the words of its program", async () => {
  await using world = await bench(
    say("Earl Grey."),
    callTools([{ id: "m", name: "memory", arguments: {} }], { newHead: true }),
    say("Noted."),
    say("A title", { newHead: true }),
  );
  const first = world.agent({ system: "You are Ada." });
  await first.run("which tea?", { sessionId: "s" });
  await first.close();
  const review: RunSpec = { prompt: "What is worth keeping?", purpose: "review", parent: "s", tools: ["memory"] };
  const other = world.agent({ tools: [tool("memory", () => "kept", { effect: "effect" })] });
  await other.runSpec(review);
  expect(said(world, 1)).toMatch(/^You are Ada\.\n\nWhile tools run/u);
  await other.runSpec({ prompt: "title?", purpose: "title", parent: "s" });
  expect(said(world, 3)).toBe(
    "You are Evander, a careful assistant. Use the tools when they help; say plainly what you did.",
  );
});

test("[A7][D10] a model that takes over says the same prompt, also of a session that another agent began", async () => {
  await using world = await bench(say("One."), refuse(401, {}), say("Two.", { newHead: true }));
  const { baseUrl } = world.provider;
  const first = world.agent({ system: "You are Ada." });
  await first.run("one", { sessionId: "s" });
  await first.close();
  const bot = world.agent({ fallback: [{ model: "other-1", provider: "other", baseUrl }] });
  expect((await bot.run("two", { sessionId: "s" })).answer).toBe("Two.");
  expect(said(world, 2)).toBe("You are Ada.");
});
