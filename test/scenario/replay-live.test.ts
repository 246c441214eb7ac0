import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { fakeProvider, type FakeProvider } from "../support/fake-provider.ts";
import { callTools, say, type ScriptedCall } from "../support/wire-script.ts";
import { type Ended, Place, resultOf } from "./program.ts";

interface Shown {
  readonly turnId: string;
  readonly sessionId: string;
  readonly facts: readonly { readonly fact: { readonly type: string; readonly [more: string]: unknown } }[];
}

const NAMED = /Model: (?:m|wise-1)\\nProvider: (?:mine|other)\\n/u;

/** The messages of a request as they left, byte for byte, without the end of their list; in the prompt, any model is named. */
function messagesIn(provider: FakeProvider, index: number): string {
  const { text = "", body } = provider.requests[index] ?? {};
  const written = JSON.stringify(body?.messages ?? []);
  expect(text).toContain(written);
  expect(written).toMatch(NAMED);
  return written.slice(0, -1).replace(NAMED, "");
}

const terminal = (id: string, command: string): ScriptedCall => ({ id, name: "terminal", arguments: { command } });

test("[X7] turn replay --from N --model X goes on live in a session of its own: the same bytes up to there, no effect done again", async () => {
  const append = callTools([terminal("a", "echo once >> effects.txt")]);
  const look = callTools([terminal("b", "cat effects.txt")]);
  await using mine = await fakeProvider([append, look, say("The file says once.")]);
  await using other = await fakeProvider([say("Seen once, says another."), say("Whole anew."), say("And on.")]);
  const place = new Place();
  try {
    place.configure({ mine, other });
    const run = (...args: readonly string[]): Promise<Ended> => place.run(undefined, args);
    const turn = async (name: string): Promise<Shown> =>
      JSON.parse((await run("turn", "show", name, "--json")).stdout) as Shown;
    const asked = resultOf(await run("-p", "write and look", "--approve", "all", "--output", "json"));
    expect(asked.answer).toBe("The file says once.");
    const live = ["--model", "wise-1", "--provider", "other"];
    const ended = await run("turn", "replay", "last", "--from", "3", ...live, "--json");
    const result = resultOf(ended);
    expect(result, ended.stderr).toMatchObject({ ok: true, answer: "Seen once, says another.", exit: { code: 0 } });
    expect(result.sessionId).not.toBe(asked.sessionId);
    expect(ended.stderr).toContain(`goes on from iteration 3 in the new session ${result.sessionId ?? ""}`);
    expect(readFileSync(join(place.work, "effects.txt"), "utf8")).toBe("once\n");
    expect(other.requests[0]?.body.model).toBe("wise-1");
    expect(messagesIn(other, 0)).toBe(messagesIn(mine, 2));
    const { facts } = await turn("last");
    const types = facts.map(({ fact }) => fact.type);
    expect(types.slice(0, 4)).toEqual(["turn-start", "history-imported", "prompt-built", "attempt-start"]);
    expect(facts[0]?.fact["replays"]).toEqual({ turnId: asked.turnId, from: 3 });
    expect(types).not.toContain("segment-start");
    expect((await run("turn", "explain", "last")).stdout).toContain(
      `asked again from iteration 3 of turn ${asked.turnId}`,
    );
    expect((await run("session", "tree")).stdout).toContain(result.sessionId ?? "none");
    const again = await run("turn", "replay", "last");
    expect(again.stdout, again.stdout + again.stderr).toContain("1 requests came out as they were recorded");
    // A turn that went on so is itself gone on with, from its beginning.
    const anew = resultOf(await run("turn", "replay", asked.turnId ?? "", "--from", "1", ...live, "--output", "json"));
    expect(anew.answer).toBe("Whole anew.");
    expect(messagesIn(mine, 0)).toBe(messagesIn(other, 1));
    const on = resultOf(await run("-p", "and on", "--resume", result.sessionId ?? "", ...live, "--output", "json"));
    expect(on.answer).toBe("And on.");
    expect(messagesIn(other, 2).startsWith(messagesIn(other, 0))).toBe(true);
    const check = await run("doctor", "--check");
    expect(check.stdout).toMatch(/^ok +invariants +3 sessions checked: all 14 invariants hold\.$/mu);
  } finally {
    place.remove();
  }
});

test("[X7] [G3] a process that dies while it goes on so leaves a turn that is taken up, with what had been taken over", async () => {
  await using mine = await fakeProvider([callTools([terminal("a", "echo once >> effects.txt")]), say("Written.")]);
  await using other = await fakeProvider([say("Never heard."), say("Taken up.")]);
  const place = new Place();
  try {
    place.configure({ mine, other });
    const run = (...args: readonly string[]): Promise<Ended> => place.run(undefined, args);
    await run("-p", "write", "--approve", "all");
    const live = ["--model", "wise-1", "--provider", "other"];
    const replay = ["turn", "replay", "--from", "2", ...live];
    const died = await place.run(undefined, replay, { killAt: "before-commit:assistant-message" });
    expect(died.signal, died.stderr).toBe("SIGKILL");
    const ended = await run("session", "resume", "last", "--continue", ...live, "--output", "json");
    expect(resultOf(ended)).toMatchObject({ ok: true, answer: "Taken up." });
    expect(messagesIn(other, 1)).toBe(messagesIn(mine, 1));
    expect(readFileSync(join(place.work, "effects.txt"), "utf8")).toBe("once\n");
    expect((await run("turn", "replay", "last")).stdout).toContain("came out as they were recorded");
  } finally {
    place.remove();
  }
});
