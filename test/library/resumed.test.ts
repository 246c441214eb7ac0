import { expect, test } from "vitest";
import { SessionsWorld } from "../support/sessions-world.ts";
import { explainTurn } from "../../src/session/explain.ts";

test("[G3][J1] a turn that has taken its process down four times ends, and says so", async () => {
  using world = new SessionsWorld();
  const script = { rounds: [["write"]], answer: "done" };
  expect(await world.send("s", "go", script, 5)).toBeUndefined();
  for (let death = 1; death <= 3; death++) {
    world.restart();
    expect(await world.resume("s", script, true, 2), `death ${death}`).toBeUndefined();
  }
  world.restart();
  const result = await world.resume("s", script, true);
  expect(result).toMatchObject({ ok: false, exit: { reason: "internal_error", detail: { resumes: 4 } } });
  expect(result?.exit.explain).toContain("The process that ran the turn went down 4 times, so it is not tried again");
  const turn = world.store.turn("last");
  const told = turn && explainTurn(turn, { nowMs: Date.now(), alive: false, language: "zh" }).join("\n");
  expect(told).toContain("运行本轮的进程已经消失 4 次，因此不再重试");
});
