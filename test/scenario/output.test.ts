import assert from "node:assert/strict";
import { openSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "vitest";
import type { TurnResult } from "../../src/protocol/result.ts";
import { EndlessProvider } from "../support/endless-provider.ts";
import { delta, PAUSE, say, stream, type Step } from "../support/wire-script.ts";
import { atMost } from "./at-most.ts";
import { type Ended, Place, resultOf } from "./program.ts";

async function withModel(step: () => Step, use: (place: Place, baseUrl: string) => Promise<void>): Promise<void> {
  await atMost(async () => {
    const place = new Place();
    const provider = new EndlessProvider(step);
    try {
      await provider.server.listen();
      await use(place, provider.server.baseUrl);
    } finally {
      await provider.close();
      place.remove();
    }
  });
}

interface Line {
  readonly type: string;
  readonly seq: number;
  readonly ts: number;
}

/** Every line by itself, framed by LF alone, counted without gaps, the result last and once. */
function linesOf({ stdout, stderr }: Ended): readonly Line[] {
  assert.ok(stdout.endsWith("\n"), stderr);
  assert.doesNotMatch(stdout, /[\r\u0085\u2028\u2029]/u);
  const lines = stdout.slice(0, -1).split("\n");
  const parsed = lines.map((line) => JSON.parse(line) as Line);
  assert.deepEqual(
    parsed.map(({ seq }) => seq),
    [...parsed.keys()],
  );
  assert.ok(parsed.every(({ ts }) => Math.abs(ts - Date.now()) < 60_000));
  assert.deepEqual(
    parsed.flatMap(({ type }, at) => (type === "result" ? [at] : [])),
    [parsed.length - 1],
  );
  return parsed;
}

/** A plug-in that breaks the program where nobody can catch it, in the middle of a turn. */
const BOMB = `export const hooks = [{
  name: "bomb",
  beforeIteration() { setImmediate(() => { throw new Error("a defect of our own"); }); },
}];`;

for (const form of ["jsonl", "json", "text"])
  test.concurrent(`[J7][X8] a crash of our own in mid-turn still ends with the one result: ${form}, exit 70`, async () => {
    await withModel(
      () => stream([delta({ content: "Half" }), PAUSE]),
      async (place, baseUrl) => {
        writeFileSync(join(place.work, "bomb.mjs"), BOMB);
        const ended = await place.run(baseUrl, ["-p", "go", "--output", form, "--config", "plugins=bomb.mjs"]);
        assert.equal(ended.code, 70, ended.stderr);
        assert.doesNotMatch(ended.stderr, /\n\s+at /);
        if (form === "text") {
          assert.equal(ended.stdout, "");
          assert.match(ended.stderr, /^evander: internal_error: a defect of our own\n {2}next: /m);
          return;
        }
        const result = (form === "json" ? JSON.parse(ended.stdout) : linesOf(ended).at(-1)) as TurnResult;
        assert.equal(result.exit.reason, "internal_error");
        const [retry] = result.exit.next.filter(({ do: what }) => what === "retry");
        assert.match(retry?.command ?? "", new RegExp(`--resume ${result.sessionId}`));
        const open = await place.run(baseUrl, ["ps", "--json"]);
        assert.equal((JSON.parse(open.stdout) as unknown[]).length, 1);
      },
    );
  });

test.concurrent("[J7] jsonl: one object a line, whatever the model says", async () => {
  await withModel(
    () => say("a\u2028b\u0085c\r\nd"),
    async (place, baseUrl) => {
      const lines = linesOf(await place.run(baseUrl, ["-p", "go", "--output", "jsonl"]));
      assert.equal((lines.at(-1) as unknown as TurnResult).answer, "a\u2028b\u0085c\r\nd");
    },
  );
});

/** The program with its stdout in somebody else's hands. */
async function withStdout(place: Place, baseUrl: string, stdout: "pipe" | "ignore" | number): Promise<Ended> {
  const program = join(import.meta.dirname, "../../dist/main.js");
  const env = { HOME: place.folder, EVANDER_HOME: place.home, OPENAI_BASE_URL: baseUrl, OPENAI_MODEL: "m" };
  const child = spawn(process.execPath, [program, "-p", "go", "--output", "jsonl"], {
    cwd: place.work,
    env,
    stdio: ["ignore", stdout, "pipe"],
  });
  child.stdout?.destroy();
  let stderr = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const [code, signal] = (await once(child, "close")) as [number | null, NodeJS.Signals | null];
  return { code, signal, stdout: "", stderr };
}

test.concurrent("[A2] whoever reads the output may leave: the turn goes on, ends, and is kept", async () => {
  await withModel(
    () => say("fine"),
    async (place, baseUrl) => {
      const { code, stderr } = await withStdout(place, baseUrl, "pipe");
      assert.deepEqual({ code, stderr }, { code: 0, stderr: "" });
      const { stdout } = await place.run(baseUrl, ["turn", "explain", "last"]);
      assert.match(stdout, /ended: text_response/);
    },
  );
});

test.concurrent("[J7] an output that cannot be written is no success: 73, and why", async () => {
  await withModel(
    () => say("fine"),
    async (place, baseUrl) => {
      const { code, stderr } = await withStdout(place, baseUrl, openSync("/dev/full", "w"));
      assert.equal(code, 73, stderr);
      assert.match(stderr, /output_lost: .*ENOSPC/);
    },
  );
});

/** Flags of a shell, and what it does with the output of the program. */
const SHELLS: readonly (readonly [string, number])[] = [
  ['"$@" >&-; exit $?', process.platform === "linux" ? 73 : 0],
  ['exec >&-; "$@"; exit $?', process.platform === "linux" ? 73 : 0],
  ['"$@" >/dev/null; exit $?', 0],
  ['exec 1<>/dev/null; "$@"; exit $?', 0],
];

for (const [script, expected] of SHELLS)
  test.concurrent(`[J7] a closed stdout is no success, one that leads nowhere is: ${script}`, async () => {
    await withModel(
      () => say("fine"),
      async (place, baseUrl) => {
        const { code, stdout, stderr } = await place.run(baseUrl, ["-p", "go"], { under: ["sh", "-c", script, "sh"] });
        assert.deepEqual({ code, stdout }, { code: expected, stdout: "" }, stderr);
        assert.equal(stderr.includes("output_lost: The output could not be written (stdout is closed)"), code === 73);
      },
    );
  });

test.concurrent("[J7] whoever runs the program and wants no output of it is told of no loss", async () => {
  await withModel(
    () => say("fine"),
    async (place, baseUrl) => {
      const { code, stderr } = await withStdout(place, baseUrl, "ignore");
      assert.equal(code, 0, stderr);
    },
  );
});

test.concurrent("[J7] an idempotency key holds from process to process, whatever the time is told to the model", async () => {
  await withModel(
    () => say("fine"),
    async (place, baseUrl) => {
      const argv = ["-p", "go", "--output", "json", "--idempotency-key", "k", "-f", "-"];
      const first = resultOf(await place.run(baseUrl, argv, { input: "an attachment" }));
      const again = resultOf(await place.run(undefined, argv, { input: "an attachment" }));
      assert.deepEqual([again.answer, again.turnId], ["fine", first.turnId]);
    },
  );
});
