/** Saves turns until the disk is full, frees half a MiB that was put aside, and looks whether all is there that was certain. */
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openSqliteStore } from "../../src/store/sqlite/store.ts";
import { findTroubles } from "./troubles.ts";
import { wholeTurn } from "./whole-turn.mjs";

const folder = process.env["EVANDER_HOME"] ?? "";
const [path, aside] = [join(folder, "store.db"), join(folder, "aside")];
writeFileSync(aside, "x".repeat(1 << 19));

const store = openSqliteStore({ path });
const writer = (await store.open("s")).writer(() => {});
let certain = 0;
try {
  for (let n = 0; ; n++) {
    const { begin, end } = wholeTurn(`t${n}`, 2 * n, 5_000);
    for (const fact of [...begin, ...end]) writer.append(fact);
    await writer.barrier();
    certain = 2 * (n + 1);
  }
} catch (error) {
  console.log(Reflect.get(Object(error), "fault"));
}
const before = store.history("s")?.length;
rmSync(aside);
const again = await store.open("s");
const after = again.history.length;
again.release();
store.close();
console.log(`${certain} messages were certain, ${before} were read while it was full, ${after} afterwards`);
const troubles = findTroubles(path);
if (before === certain && after === certain && troubles.length === 0) console.log("all there");
else console.log(troubles.join("\n"));
process.exit();
