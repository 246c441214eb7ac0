/**
 * A life of a store: turns in two sessions, of so much text that the log is moved into the file and begun anew. Each
 * thing that is certain is told on stdout: `start SESSION N` when a message was accepted, `end SESSION N`.
 *
 * stored-life.mjs FILE FIRST COUNT [stop], where `stop` leaves the log as it is.
 */
import { writeSync } from "node:fs";
import { openSqliteStore } from "../../src/store/sqlite/store.ts";
import { wholeTurn } from "./whole-turn.mjs";

const [, , path = "", first = "0", count = "0", ends] = process.argv;
const store = openSqliteStore({ path });

/** @param {string} id */
async function live(id) {
  const session = await store.open(id);
  const writer = session.writer(() => {});
  for (let n = Number(first); n < Number(first) + Number(count); n++) {
    const { begin, end } = wholeTurn(`${id}-${n}`, 2 * n, 12_000);
    for (const fact of begin) writer.append(fact);
    await writer.barrier();
    writeSync(1, `start ${id} ${n}\n`);
    for (const fact of end) writer.append(fact);
    await writer.barrier();
    writeSync(1, `end ${id} ${n}\n`);
  }
}

await Promise.all(["a", "b"].map(live));
if (ends !== "stop") store.close();
process.exit();
