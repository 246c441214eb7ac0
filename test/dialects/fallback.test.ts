import { expect, test } from "vitest";
import { agent, type ModelChoice } from "../../src/index.ts";
import { tool } from "../support/agent-in-folder.ts";
import type { Side } from "./client.ts";
import { calls, refuses, replies, says, thinks } from "./script.ts";
import { SUBJECTS } from "./subjects.ts";
import { type DialectServer, fakeDialect } from "./wire.ts";

const PAIRS = SUBJECTS.flatMap((from) => SUBJECTS.filter((to) => to !== from).map((to) => ({ from, to })));

const place = ({ wire, model }: Side, server: DialectServer): ModelChoice => ({
  model,
  api: wire.mode,
  provider: wire.mode,
  baseUrl: `${server.origin}${wire.base}`,
  apiKey: "key",
});

test.for(PAIRS)(
  "[D9] [D11] [C2] a turn that $from.wire.mode breaks off behind thoughts and a call is finished by $to.wire.mode, and the next begins at home",
  async ({ from, to }) => {
    await using first = await fakeDialect(from.wire, [
      replies([thinks(["I look ", "first."]), { type: "text", text: "Let me see." }, calls("look", {})]),
      refuses("bad_key"),
      says("Mine again."),
    ]);
    await using second = await fakeDialect(to.wire, [
      replies([thinks("Aha."), calls("look", {})]),
      says("Done there."),
    ]);
    const fallback = [place(to, second)];
    await using bot = agent({ ...place(from, first), tools: [tool("look", () => "seen")], fallback, clock: "fake" });
    const named = { provider: to.wire.mode, model: to.model };
    const begun = bot.start("go", { sessionId: "s" });
    let switched = {};
    for await (const event of begun) if (event.type === "model-switched") switched = event;
    expect(switched).toMatchObject({ ...named, because: "auth" });
    expect(await begun).toMatchObject({ answer: "Done there.", ...named, attempts: 4 });
    expect(await bot.run("and now", { sessionId: "s" })).toMatchObject({ answer: "Mine again.", model: from.model });
  },
);
