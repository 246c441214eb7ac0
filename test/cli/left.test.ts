import { join } from "node:path";
import { expect, test } from "vitest";
import { openSqliteStore } from "../../src/store/sqlite/store.ts";
import { fakeProvider } from "../support/fake-provider.ts";
import { ProgramWorld } from "../support/program.ts";
import { save, turnStart } from "../support/store-world.ts";
import { say } from "../support/wire-script.ts";

/** A turn whose process died while a command ran. */
async function leave(world: ProgramWorld, id: string): Promise<void> {
  const store = openSqliteStore({ path: join(world.folder, "state", "evander.db") });
  const session = await store.open(id);
  const call = { type: "tool-call", callId: "c", name: "terminal", input: "{}" } as const;
  await save(
    session.writer(() => undefined),
    turnStart(`t-${id}`, 0, "go"),
    { type: "attempt-start", attempt: 1, iteration: 1, model: "m" },
    {
      type: "assistant-message",
      seq: 1,
      message: { role: "assistant", parts: [call] },
      finish: "tool_calls",
      inspections: [{ claim: { mode: "exclusive" }, effect: "effect" }],
    },
    { type: "segment-start", callIds: ["c"], effect: "effect" },
  );
  session.release();
  store.close();
}

const WHY = "Its process has gone while it ran terminal.";

test("[G3][X1] whoever goes on with a turn, closes it or opens its session is told in a sentence what it was doing", async () => {
  await using provider = await fakeProvider([say("Went on."), say("New."), say("Typed.")]);
  await using world = await ProgramWorld.onServer(provider.baseUrl);
  await world.run(["session", "list"]);
  await leave(world, "one-left");
  const resumed = await world.run(["session", "resume", "one-left", "--continue"]);
  expect(resumed.stderr).toContain(`Going on with the turn that had not ended: ${WHY}`);
  expect(resumed.stdout).toBe("Went on.\n");
  await leave(world, "two-left");
  const closed = await world.run(["-p", "new", "--resume", "two-left", "--lang", "zh"]);
  expect(closed.stderr).toContain("上一轮尚未结束，现已关闭：它的进程在运行 terminal 时消失了。");
  expect(closed.stdout).toBe("New.\n");
  await leave(world, "three-left");
  expect((await world.run(["ps"])).stdout).toContain(WHY);
  const chat = await world.run(["--resume", "three-left"], "typed\n");
  expect(chat.stderr).toContain(`${WHY}\nThis session has an unfinished turn`);
  expect(chat.stdout).toBe("Typed.\n");
});
