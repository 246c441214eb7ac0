/**
 * A life of a store: turns in two sessions, of so much text that the log is moved into the file and begun anew. Each
 * thing that is certain is told on stdout: `start SESSION N` when a message was accepted, `end SESSION N`.
 *
 * stored-life.mjs FILE FIRST COUNT
 */
import { writeSync } from "node:fs";
import { openSqliteStore } from "../../src/store/sqlite/store.ts";

const [, , path = "", first = "0", count = "0"] = process.argv;

const text = (/** @type {string} */ what) => ({ type: "text", text: `${what} ${"x".repeat(12_000)}` });
const store = openSqliteStore({ path });

/** @param {string} id */
async function live(id) {
  const session = await store.open(id);
  const writer = session.writer(() => {});
  for (let n = Number(first); n < Number(first) + Number(count); n++) {
    const message = { role: "user", parts: [text(`asked ${n}`)] };
    const turn = { turnId: `${id}-${n}`, model: "m", provider: "p", maxIterations: 1 };
    writer.append(/** @type {any} */ ({ type: "turn-start", seq: 2 * n, message, ...turn }));
    await writer.barrier();
    writeSync(1, `start ${id} ${n}\n`);
    const answer = { role: "assistant", parts: [text(`answered ${n}`)] };
    writer.append(/** @type {any} */ ({ type: "assistant-message", seq: 2 * n + 1, message: answer, finish: "stop" }));
    writer.append({ type: "turn-end", outcome: { exit: "text_response", answer: "" } });
    await writer.barrier();
    writeSync(1, `end ${id} ${n}\n`);
  }
}

await Promise.all(["a", "b"].map(live));
if (process.argv[5] !== "stop") store.close();
process.exit();
