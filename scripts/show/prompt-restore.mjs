import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { judgePrompt } from "../../src/context/prompt/restore.ts";
import { openSqliteStore } from "../../src/store/sqlite/store.ts";

export const about = "taking up a session with a system prompt of 60,000 characters: the prompt is read and judged";

const GOAL_MS = 5;
const ROUNDS = 50;
const MODEL = { provider: "there", model: "fake-1" };

/**
 * @returns {Promise<import("../show.mjs").Figure[]>}
 */
export async function measure() {
  const folder = mkdtempSync(join(tmpdir(), "evander-restore-"));
  try {
    const text = `${"A rule of the project that is told. ".repeat(1_700)}\n\nModel: fake-1\nProvider: there`;
    const store = openSqliteStore({ path: join(folder, "evander.db") });
    await begin(store, text);
    const times = [];
    for (let round = 0; round < ROUNDS; round++) {
      const from = performance.now();
      const session = await store.open("s");
      const state = judgePrompt(session.prompt, { model: MODEL });
      times.push(performance.now() - from);
      session.release();
      if (state !== "present") throw new Error(`The prompt was judged ${state}.`);
    }
    store.close();
    times.sort((a, b) => a - b);
    const median = times[ROUNDS / 2] ?? Infinity;
    return [
      {
        figure: `opening the session, of ${text.length} characters of prompt, median of ${ROUNDS}`,
        value: `${median.toFixed(2)} ms`,
        goal: `${GOAL_MS} ms`,
        pass: median <= GOAL_MS,
      },
    ];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/**
 * @param {import("../../src/protocol/store.ts").Store} store
 * @param {string} text
 */
async function begin(store, text) {
  const session = await store.open("s");
  const own = session.writer(() => undefined);
  const message = /** @type {const} */ ({ role: "user", parts: [{ type: "text", text: "hello" }] });
  own.append({ type: "turn-start", turnId: "t", seq: 0, message, ...MODEL, maxIterations: 1 });
  own.keepPrompt(text);
  await own.barrier();
  session.release();
}
