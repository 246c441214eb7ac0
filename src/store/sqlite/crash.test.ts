import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../../../test/support/store-world.ts";
import { openSqliteStore } from "./store.ts";

/** Saves to several sessions as fast as it can, and tells each fact that a barrier has let through. */
const SOURCE = `
  import { openSqliteStore } from ${JSON.stringify(new URL("store.ts", import.meta.url).href)};
  import { writeSync } from "node:fs";
  const store = openSqliteStore({ path: process.argv[1] });
  const text = (text) => ({ role: "user", parts: [{ type: "text", text: text + "x".repeat(3_000) }] });
  const run = async (id) => {
    const session = await store.open(id);
    const writer = session.writer(() => {});
    const first = session.history.length + session.openTurn.length;
    for (let seq = first; ; seq++) {
      if (seq === 0) writer.append({ type: "turn-start", turnId: id, seq, message: text("0 "), model: "m", provider: "p", maxIterations: 1 });
      else writer.append({ type: "injection-delivered", injectionId: String(seq), seq, message: text(seq + " ") });
      await writer.barrier();
      writeSync(1, id + " " + seq + "\\n");
    }
  };
  await Promise.all(["a", "b", "c"].map(run));
`;

test("[X6 G2] kill -9 between two instructions loses nothing that was acknowledged", async () => {
  const path = join(temporaryFolder(), "store.db");
  const acknowledged = new Map<string, number>();
  for (let life = 0; life < 4; life++) {
    const child = spawn(process.execPath, ["--input-type=module", "--eval", SOURCE, path], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    onTestFinished(() => void child.kill("SIGKILL"));
    const gone = once(child, "exit");
    let lines = 0;
    for await (const line of createInterface({ input: child.stdout })) {
      const [id = "", seq] = line.split(" ");
      acknowledged.set(id, Number(seq));
      // Past the size at which SQLite moves its log into the file, and at a different point each time.
      if (++lines === 300 * (life + 1) + life * 17) child.kill("SIGKILL");
    }
    await gone;

    const store = openSqliteStore({ path });
    for (const [id, seq] of acknowledged) {
      const session = await store.open(id);
      expect(session.openTurn.length).toBeGreaterThanOrEqual(seq + 1);
      const texts = (store.history(id) ?? []).map((message) => message?.parts[0]);
      expect(texts).toStrictEqual(texts.map((_, place) => ({ type: "text", text: `${place} ${"x".repeat(3_000)}` })));
      expect(texts).toHaveLength(session.openTurn.length);
      session.release();
    }
    store.close();
  }
  expect(acknowledged.size).toBe(3);
});
