import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { LastKey } from "./last-key.ts";

/** Both ends of a line to a keyboard, on which what was written is there at once. */
async function line(): Promise<{ readonly keyboard: Socket; readonly program: Socket }> {
  const folder = mkdtempSync(join(tmpdir(), "evander-keys-"));
  const server = createServer().listen(join(folder, "line"));
  await once(server, "listening");
  const keyboard = connect(join(folder, "line"));
  const [program] = (await once(server, "connection")) as [Socket];
  onTestFinished(() => {
    keyboard.destroy();
    program.destroy();
    server.close();
    rmSync(folder, { recursive: true });
  });
  return { keyboard, program };
}

/** Nothing in this process moves for so long, ms. */
const standStill = (ms: number): unknown => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

test("[E10] a key that came while the process stood still is read before a question has stood long enough", async () => {
  const { keyboard, program } = await line();
  const seen: string[] = [];
  const keys = new LastKey();
  program.on("data", () => {
    keys.pressed();
    seen.push("key");
  });
  const quiet = keys.quiet(20, () => false).then(() => seen.push("quiet"));
  keyboard.write("y");
  standStill(60);
  await quiet;
  expect(seen).toEqual(["key", "quiet"]);
});
