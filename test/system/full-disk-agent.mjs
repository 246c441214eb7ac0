/** One agent of the library while its disk fills up and is freed: says how each of its turns ended. */
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { agent } from "../../dist/index.js";

const folder = process.env["EVANDER_HOME"] ?? "";
const filler = join(folder, "filler");

function fill() {
  for (const size of [1 << 16, 1 << 10, 1])
    try {
      for (;;) writeFileSync(filler, "x".repeat(size), { flag: "a" });
    } catch {
      continue;
    }
}

const baseUrl = process.env["OPENAI_BASE_URL"] ?? "";
const it = agent({ store: folder, model: "m", provider: "custom", baseUrl });
const ask = async () => {
  const { exit, error } = await it.run("hello", { sessionId: "s" });
  console.log(`${exit.reason} ${error?.message ?? ""}`);
};
await ask();
fill();
await ask();
console.log(`kept ${it.exportMessages("s")?.length}`);
rmSync(filler);
await ask();
console.log(`kept ${it.exportMessages("s")?.length}`);
await it.close();
