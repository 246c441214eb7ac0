import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "vitest";
import type { TurnResult } from "../../src/protocol/result.ts";
import { EndlessProvider } from "../support/endless-provider.ts";
import type { ReceivedRequest } from "../support/fake-provider.ts";
import { goesSoon } from "../support/gone.ts";
import { Pty, type PtyOptions } from "../support/pty.ts";
import { said } from "../support/said.ts";
import { callTools, delta, DONE, PAUSE, refuse, say, type Step, stream } from "../support/wire-script.ts";
import { atMost } from "./at-most.ts";
import { Place, resultOf } from "./program.ts";

const CTRL_C = "\u0003";
const CTRL_D = "\u0004";
const PROMPT = "› ";

interface World {
  readonly place: Place;
  readonly provider: EndlessProvider;
  readonly open: (args?: readonly string[], options?: Partial<PtyOptions>) => Pty;
}

/** A model that answers by rule, and a terminal to talk to it. */
async function atTerminal(
  rule: (request: ReceivedRequest) => Step,
  use: (world: World) => Promise<void>,
): Promise<void> {
  await atMost(async () => {
    const place = new Place();
    const provider = new EndlessProvider(rule);
    await provider.server.listen();
    const env = {
      PATH: process.env["PATH"],
      HOME: place.folder,
      EVANDER_HOME: place.home,
      OPENAI_BASE_URL: provider.server.baseUrl,
      OPENAI_MODEL: "m",
      TERM: "xterm-256color",
    };
    const open = (args: readonly string[] = [], options: Partial<PtyOptions> = {}): Pty =>
      new Pty({ cwd: place.work, args, ...options, env: { ...env, ...options.env } });
    try {
      await use({ place, provider, open });
      assert.deepEqual(provider.violations(), []);
    } finally {
      await provider.close();
      place.remove();
    }
  });
}

const lastSaid = ({ body }: ReceivedRequest): string => said(body.messages.at(-1));

const command = (line: string): Step => callTools([{ id: "t", name: "terminal", arguments: { command: line } }]);

const half = stream([delta({ content: "Half" }), PAUSE, delta({ content: " done." }, "stop"), DONE]);

/** Presses Enter when the keys before it are over, as people do. */
async function send(pty: Pty, text: string): Promise<void> {
  pty.type(text);
  await pty.shown(text, PROMPT);
  pty.type("\r");
}

/** Ctrl-D at the prompt: whether it ends well, and leaves the terminal as it was. */
async function leaves(pty: Pty): Promise<boolean> {
  pty.type(CTRL_D);
  return (await pty.ended) === 0 && pty.restored;
}

test.concurrent("[J7 X1] a conversation at a terminal: streamed, closed by one line, left with the command that goes on", async () => {
  await atTerminal(
    () => say(["Hel", "lo."]),
    async ({ open, place }) => {
      await using pty = open();
      await pty.shown(PROMPT);
      await send(pty, "hi");
      await pty.shown("Hello.");
      await pty.shown("✓ answered · 1 iteration");
      assert.ok(await leaves(pty), pty.plain);
      const [, id = ""] = /Go on with this session: evander --resume (\S+)/u.exec(pty.plain) ?? [];
      await using again = open(["--resume", id]);
      await again.shown(PROMPT);
      await send(again, "and?");
      await again.shown("✓ answered");
      assert.ok(await leaves(again), again.plain);
      const { stdout } = await place.run(undefined, ["session", "list"]);
      assert.match(stdout, /2 turns/);
    },
  );
});

test.concurrent("[J7] lines typed before the program looked at the terminal are messages, one after the other", async () => {
  await atTerminal(
    (request) => say(`You said ${lastSaid(request)}.`),
    async ({ open, place }) => {
      for (const [args, prompt] of [
        [[], PROMPT],
        [["--plain"], "You: "],
      ] as const) {
        const typed = `typed${args.length}`;
        await using pty = open(args, { before: `until test -e ${typed}; do sleep 0.02; done` });
        pty.type("one\r/turn\r");
        // The terminal echoes what it has got, and only then does the program begin.
        await pty.shown("/turn");
        writeFileSync(join(place.work, typed), "");
        await pty.shown("You said one.");
        await pty.shown("text_response", "✓ answered");
        await pty.shown(prompt, "text_response");
        assert.ok(await leaves(pty), pty.plain);
      }
    },
  );
});

test.concurrent("[E10] keys typed before a question never approve", async () => {
  const rule = (request: ReceivedRequest): Step => {
    if (request.body.messages.at(-1)?.role === "tool") return say("Over.");
    return lastSaid(request) === "y" ? say("A message.") : command("touch made");
  };
  await atTerminal(rule, async ({ open, place }) => {
    await using pty = open(["go"]);
    pty.type("y\r");
    await pty.shown("Allow? [y/s/a/N]");
    assert.equal(existsSync(join(place.work, "made")), false);
    pty.type("n\r");
    await pty.shown("Over.");
    assert.equal(existsSync(join(place.work, "made")), false);
    await pty.shown(PROMPT, "✓ answered");
    assert.ok(await leaves(pty), pty.plain);
  });
});

test.concurrent("[E10] yes, when the question stands, runs the call; other words deny it and reach the model", async () => {
  const rule = (request: ReceivedRequest): Step =>
    request.body.messages.at(-1)?.role === "tool" ? say(`Over: ${lastSaid(request)}`) : command("touch made");
  await atTerminal(rule, async ({ open, place }) => {
    await using pty = open(["go"]);
    await pty.shown("$ touch made");
    await pty.shown("Allow? [y/s/a/N]");
    pty.type("only in src\r");
    await pty.shown("only in src", "Over: Not run");
    assert.equal(existsSync(join(place.work, "made")), false);
    await pty.shown(PROMPT, "✓ answered");
    await send(pty, "again");
    await pty.shown("Allow? [y/s/a/N]", "again");
    pty.type("y\r");
    await pty.shown("✓ answered", "again");
    assert.equal(existsSync(join(place.work, "made")), true);
    assert.ok(await leaves(pty), pty.plain);
  });
});

/** Retries wait for long. */
const SLOW = ["go", "--config", "retry.baseMs=30000", "--config", "retry.maxMs=60000"];

/** States in which somebody presses Ctrl-C, and what is seen there. */
const STATES: readonly { readonly state: string; readonly step: Step; readonly seen: string }[] = [
  { state: "the model is waited for", step: stream([PAUSE, ...say("late").frames]), seen: "waiting for m" },
  { state: "an answer streams", step: half, seen: "Half" },
  { state: "a command runs", step: command("echo be''gun; sleep 60"), seen: "begun" },
  {
    state: "a retry is waited for",
    step: refuse(503, { error: { message: "busy" } }),
    seen: "asking again in",
  },
  { state: "a question stands", step: command("touch made"), seen: "Allow? [y/s/a/N]" },
];

for (const { state, step, seen } of STATES)
  test.concurrent(`[B5 B15] Ctrl-C while ${state}: the prompt is back, and the next turn is legal`, async () => {
    const rule = (request: ReceivedRequest): Step => (lastSaid(request).endsWith("go on") ? say("Went on.") : step);
    await atTerminal(rule, async ({ open }) => {
      await using pty = open(SLOW);
      await pty.shown(seen);
      pty.type(CTRL_C);
      await pty.shown(PROMPT, "interrupted_");
      await send(pty, "go on");
      await pty.shown("Went on.");
      await pty.shown(PROMPT, "✓ answered");
      assert.ok(await leaves(pty), pty.plain);
    });
  });

for (const [signal, code] of [
  ["SIGTERM", 143],
  ["SIGHUP", 129],
] as const)
  for (const { state, step, seen } of [...STATES, { state: "nothing runs", step: say("Hello."), seen: "✓ answered" }])
    test.concurrent(`[J1 B15] ${signal} while ${state}: the turn is closed, the terminal as it was, code ${code}`, async () => {
      await atTerminal(
        () => step,
        async ({ open, place }) => {
          await using pty = open(SLOW);
          await pty.shown(seen);
          process.kill(pty.pid, signal);
          assert.equal(await pty.ended, code, pty.plain);
          assert.ok(pty.restored, "the terminal is not as it was");
          assert.match((await place.run(undefined, ["ps"])).stderr, /^No turn is running/);
        },
      );
    });

test.concurrent("[B15 G3] a terminal that is closed in mid-turn leaves a session that goes on", async () => {
  const rule = (request: ReceivedRequest): Step => (lastSaid(request) === "continue" ? say("Went on.") : half);
  await atTerminal(rule, async ({ open, place, provider }) => {
    await using pty = open(["go"]);
    await pty.shown("Half");
    const { pid } = pty;
    pty.hangUp();
    assert.ok(await goesSoon(pid), "the program still runs");
    const ended = await place.run(provider.server.baseUrl, ["-p", "continue", "--resume", "last", "--output", "json"]);
    const result: TurnResult = resultOf(ended);
    assert.equal(result.answer, "Went on.", ended.stderr);
  });
});

test.concurrent("[B5] a second Ctrl-C leaves, and names the command that goes on", async () => {
  await atTerminal(
    () => command("trap '' TERM; echo be''gun; sleep 60"),
    async ({ open, place }) => {
      await using pty = open(["go", "--approve", "all"]);
      await pty.shown("begun");
      // In one go: some time after the first one the command is gone, and the second would meet the prompt.
      pty.type(CTRL_C + CTRL_C);
      const code = await pty.ended;
      assert.equal(code, 130, pty.plain);
      assert.match(pty.plain, /Go on with this session: evander (?:--resume|session resume) \S+/u);
      assert.ok(pty.restored);
      assert.match((await place.run(undefined, ["session", "list"])).stdout, /1 turn/);
    },
  );
});

test.concurrent("[J7] a large paste is one message, to the byte, with the terminal's marks and without", async () => {
  const text = Array.from({ length: 5_000 }, (_, at) => `line ${at} 中文 👩‍👩‍👧 é`).join("\n");
  const hash = (of: string): string => createHash("sha256").update(of).digest("hex");
  await atTerminal(
    (request) => say(hash(lastSaid(request))),
    async ({ open }) => {
      await using pty = open();
      await pty.shown(PROMPT);
      pty.type(`\u001B[200~${text.replaceAll("\n", "\r")}\u001B[201~`);
      await pty.shown("[paste 5000 lines]");
      pty.type("\r");
      await pty.shown(hash(text));
      await pty.shown(PROMPT, "✓ answered");
      // Without marks a paste is told by its keys coming at once: what the terminal's own buffer holds does, however busy the machine.
      const few = text.split("\n").slice(0, 60);
      pty.type(`${few.join("\r")}\r`);
      await pty.shown("[paste 60 lines]");
      pty.type("\r");
      await pty.shown(hash(few.join("\n")));
      await pty.shown(PROMPT, hash(few.join("\n")));
      assert.ok(await leaves(pty), pty.plain);
    },
  );
});

test.concurrent("[J7] several lines are written with \\ Enter, Alt-Enter and Ctrl-J; history comes back, secrets do not", async () => {
  await atTerminal(
    (request) => say(`Heard ${JSON.stringify(lastSaid(request))}.`),
    async ({ open, place }) => {
      await using pty = open();
      await pty.shown(PROMPT);
      pty.type("one\\");
      await pty.shown("one\\");
      pty.type("\r");
      await pty.shown("  ", "one");
      pty.type("two\u001B\rthree\nfour");
      await pty.shown("four");
      pty.type("\r");
      await pty.shown(String.raw`Heard "one\ntwo\nthree\nfour".`);
      await pty.shown(PROMPT, "✓ answered");
      await send(pty, "my api_key = abcdefghijkl");
      await pty.shown(PROMPT, 'abcdefghijkl".');
      assert.ok(await leaves(pty), pty.plain);
      const file = join(place.home, "state", "history");
      assert.equal(statSync(file).mode & 0o777, 0o600);
      assert.equal(readFileSync(file, "utf8"), `${JSON.stringify("one\ntwo\nthree\nfour")}\n`);
      await using again = open();
      await again.shown(PROMPT);
      again.type("\u001B[A");
      await again.shown("four");
      again.type("\r");
      await again.shown(String.raw`Heard "one\ntwo\nthree\nfour".`);
      await again.shown(PROMPT, "✓ answered");
      assert.ok(await leaves(again), again.plain);
    },
  );
});

test.concurrent("[J7] --plain and a dumb terminal: only words, nothing redrawn, and the question waits all the same", async () => {
  const rule = ({ body }: ReceivedRequest): Step =>
    body.messages.at(-1)?.role === "tool" ? say("Over.") : command("touch made");
  for (const [args, env] of [
    [["--plain"], {}],
    [[], { TERM: "dumb" }],
  ] as const)
    await atTerminal(rule, async ({ open, place }) => {
      await using pty = open(args, { env });
      await pty.shown("You: ");
      // The terminal keeps the half line until it is asked for single keys, which it is when the question is drawn.
      pty.type("go\ny");
      await pty.shown("[y/s/a/N] ");
      pty.type("\n");
      await pty.shown("Over.");
      assert.equal(existsSync(join(place.work, "made")), false, pty.plain);
      await pty.shown("You: ", "✓ answered");
      pty.type("go\n");
      await pty.shown("[y/s/a/N] ", "✓ answered");
      pty.type("y\n");
      await pty.shown("You: ", "✓ terminal");
      assert.equal(existsSync(join(place.work, "made")), true, pty.plain);
      assert.ok(await leaves(pty), pty.plain);
      assert.equal(pty.text.includes("\u001B"), false);
      assert.match(pty.plain.slice(pty.plain.lastIndexOf("You: ")), /^You: \r\nGo on with this session/u);
    });
});

test.concurrent("[G1 J1] a full disk costs a turn, not the conversation: the terminal stays usable", async () => {
  await atTerminal(
    () => say("Hello."),
    async ({ open, place, provider }) => {
      await place.run(provider.server.baseUrl, ["-p", "first"]);
      // A block has 512 or 1,024 bytes, by shell: room for little, and not for megabytes.
      const blocks = Math.ceil(statSync(join(place.home, "evander.db")).size / 512) + 200;
      await using pty = open([], { before: `ulimit -f ${blocks}` });
      await pty.shown(PROMPT);
      pty.type(`\u001B[200~${"words ".repeat(300_000)}\u001B[201~`);
      await pty.shown("[paste 1800000 characters]");
      pty.type("\r");
      await pty.shown("store_unavailable");
      await pty.shown(PROMPT, "store_unavailable");
      await send(pty, "small");
      await pty.shown("Hello.");
      await pty.shown(PROMPT, "✓ answered");
      assert.ok(await leaves(pty), pty.plain);
    },
  );
});
