import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "vitest";
import { type FakeProvider, fakeProvider, type Script } from "../support/fake-provider.ts";
import { Pty } from "../support/pty.ts";
import { callTools, say, type Step } from "../support/wire-script.ts";
import { Place } from "./program.ts";

const PROMPT = "› ";
const QUESTION = "Allow? [y/s/a/N]";

const touch = (...names: readonly string[]): Step =>
  callTools(names.map((name) => ({ id: name, name: "terminal", arguments: { command: `touch ${name}` } })));

interface World {
  readonly place: Place;
  readonly provider: FakeProvider;
  readonly pty: Pty;
  readonly made: (name: string) => boolean;
}

/** A person at a terminal, and a model with a script: one request more or less than it has fails. */
async function atTerminal(
  { script, args = [] }: { readonly script: readonly Script[]; readonly args?: readonly string[] },
  use: (world: World) => Promise<void>,
): Promise<void> {
  const place = new Place();
  const provider = await fakeProvider(script);
  const env = {
    PATH: process.env["PATH"],
    HOME: place.folder,
    EVANDER_HOME: place.home,
    OPENAI_BASE_URL: provider.baseUrl,
    OPENAI_MODEL: "m",
    TERM: "xterm-256color",
  };
  try {
    await using pty = new Pty({ cwd: place.work, args: [...args], env });
    await pty.shown(PROMPT);
    await use({ place, provider, pty, made: (name) => existsSync(join(place.work, name)) });
    pty.type("\u0004");
    assert.equal(await pty.ended, 0, pty.plain);
    await provider.close();
  } finally {
    place.remove();
  }
}

/** Presses Enter when the keys before it are over, as people do. */
async function send(pty: Pty, text: string): Promise<void> {
  pty.type(text);
  await pty.shown(text, PROMPT);
  pty.type("\r");
}

test("[E10 E11] three turns at a terminal: always, by the rule, and no and stop, behind which no model is asked", async () => {
  const script = [touch("one"), say("Made."), touch("one"), say("Made again."), touch("two"), say("Went on.")];
  await atTerminal({ script }, async ({ pty, place, made }) => {
    await send(pty, "first");
    await pty.shown(QUESTION);
    pty.type("a\r");
    await pty.shown(PROMPT, "✓ answered");
    await send(pty, "second");
    await pty.shown("Made again.");
    await pty.shown(PROMPT, "Made again.");
    assert.equal(pty.plain.split("needs your approval").length, 2, pty.plain);
    await send(pty, "third");
    await pty.shown(QUESTION, "third");
    pty.type("x\r");
    await pty.shown("interrupted_by_user", "third");
    await pty.shown(PROMPT, "interrupted_by_user");
    await send(pty, "fourth");
    await pty.shown("Went on.");
    await pty.shown(PROMPT, "✓ answered");
    assert.deepEqual([made("one"), made("two")], [true, false]);
    const { stdout } = await place.run(undefined, ["approve", "rules"]);
    assert.match(stdout, /touch one … in .*always; used once/u, stdout);
  });
});

test("[E10] /approve ID session and /deny ID stop at a question: the call that is named, and the rest of the turn", async () => {
  const script = [touch("one", "two"), say("Made both."), touch("three", "four", "five"), say("Went on.")];
  await atTerminal({ script }, async ({ pty, place, made }) => {
    await send(pty, "first");
    for (const name of ["one", "two"]) {
      await pty.shown(QUESTION, `$ touch ${name}`);
      const [, id = ""] = /.*Question \d of 2 \((\S+)\)/su.exec(pty.plain) ?? [];
      pty.type(`/approve ${id} session\r`);
    }
    await pty.shown(PROMPT, "✓ answered");
    assert.deepEqual([made("one"), made("two")], [true, true]);
    await send(pty, "second");
    await pty.shown(QUESTION, "second");
    // The model's own name of a call, which is what a log has, will do as well.
    pty.type("/deny four stop\r");
    await pty.shown("interrupted_by_user");
    await pty.shown(PROMPT, "interrupted_by_user");
    assert.deepEqual([made("three"), made("four"), made("five")], [false, false, false]);
    await send(pty, "third");
    await pty.shown("Went on.");
    await pty.shown(PROMPT, "Went on.");
    const { stdout } = await place.run(undefined, ["approve", "rules"]);
    assert.match(stdout, /touch one … in .*\(session \S+;/u, stdout);
  });
});

test("[E9] a question of the model is asked at the terminal, and a number or other words answer it", async () => {
  const asking = (id: string): Step =>
    callTools([{ id, name: "clarify", arguments: { question: "Which colour?", choices: ["red", "blue"] } }]);
  const told =
    (text: string, step: Step): Script =>
    (request) => {
      assert.ok(JSON.stringify(request.body.messages.at(-1)).includes(text), request.text.slice(-300));
      return step;
    };
  const script = [
    asking("a"),
    told("blue", say("Blue it is.")),
    asking("b"),
    told("a light green", say("As you like.")),
  ];
  await atTerminal({ script }, async ({ pty }) => {
    await send(pty, "paint");
    await pty.shown("it decides itself", "Which colour?");
    pty.type("2\r");
    await pty.shown("Blue it is.");
    await pty.shown(PROMPT, "Blue it is.");
    await send(pty, "again");
    await pty.shown("it decides itself", "again");
    pty.type("a light green");
    await pty.shown("a light green", "again");
    pty.type("\r");
    await pty.shown("As you like.");
    await pty.shown(PROMPT, "As you like.");
  });
});
