// Writes turns into a store until its stdin ends: node search-writer.mjs PATH. A line on stdin ends a phase; told at the end.
import { createInterface } from "node:readline";
import { openSqliteStore } from "../../src/store/sqlite/store.ts";
import { write } from "./search-store.mjs";

const store = openSqliteStore({ path: process.argv[2] ?? "" });
/** @type {{ stopped: boolean, times: number[] }} */
const work = { stopped: false, times: [] };
/** @type {number[][]} */
const phases = [];
const written = write(store, "beside", work);
for await (const _ of createInterface({ input: process.stdin })) phases.push(work.times.splice(0));
work.stopped = true;
await written;
store.close();
console.log(JSON.stringify(phases));
