import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { textOf } from "../../src/protocol/message.ts";
import { bench, tool } from "../support/agent-in-folder.ts";
import { guarded } from "../support/tools.ts";
import { callTools, say, type Step } from "../support/wire-script.ts";

/** What a process that only reads finds in the file. */
const READ = `const { DatabaseSync } = require("node:sqlite");
  const db = new DatabaseSync(process.argv[1], { readOnly: true });
  console.log(JSON.stringify(db.prepare("select cast(body as text) as body from message order by id").all()));`;

const call = (id: string, name: string): { id: string; name: string; arguments: object } => ({
  id,
  name,
  arguments: { text: id },
});

test("[A9] when a request reaches the provider, another process can read what the user said", async () => {
  const seen: string[] = [];
  await using on = await bench();
  const path = join(on.folder, "evander.db");
  const answer = (text: string) => (): Step => {
    seen.push(execFileSync(process.execPath, ["-e", READ, path], { encoding: "utf8" }));
    return say(text);
  };
  on.provider.script(answer("one"), answer("two"));
  const bot = on.agent();
  await bot.run("the very first", { sessionId: "s" });
  await bot.run("and another", { sessionId: "s" });
  expect(seen[0]).toContain("the very first");
  expect(seen[0]).not.toContain("one");
  expect(seen[1]).toContain("and another");
});

test("[B6] each call of a batch that was stopped before it began goes out with one receipt of its own, which says so", async () => {
  await using on = await bench(callTools(["1", "2", "3"].map((id) => call(id, "guarded"))), say("Fine."));
  const guard = guarded();
  const bot = on.agent({ tools: [guard], approvals: "ask" });
  const turn = await bot.sessions.start("s", "do it");
  const lane = await bot.sessions.lane("s");
  for await (const event of turn) if (event.type === "approval-requested") await lane.interrupt("user");
  expect((await turn.result).exit.reason).toBe("interrupted_by_user");
  await bot.close();
  expect((await on.agent({ tools: [guard] }).run("then not", { sessionId: "s" })).answer).toBe("Fine.");
  expect(guard.runs).toEqual([]);
  const sent = (on.provider.requests[1]?.body.messages ?? []).filter(({ role }) => role === "tool");
  expect(sent.map(({ tool_call_id: id }) => id)).toEqual(["1", "2", "3"]);
  for (const { content } of sent) expect(String(content)).toMatch(/^Not run: the turn was stopped/);
});

test("[B7] a stop behind a receipt leaves a closing message of the assistant, in the file and before strict servers", async () => {
  await using on = await bench(callTools([call("1", "stuck")]), say("Fine."));
  const begun = Promise.withResolvers<void>();
  const stuck = tool("stuck", (_input, { signal }) => {
    begun.resolve();
    return new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(new Error("stopped"))));
  });
  const model = "devstral-small-2";
  const bot = on.agent({ model, tools: [stuck] });
  const running = bot.run("do it", { sessionId: "s" });
  await begun.promise;
  await (await bot.sessions.lane("s")).interrupt("user");
  await running;
  await bot.close();
  const later = on.agent({ model, tools: [stuck] });
  const stored = later.store.history("s") ?? [];
  expect(stored.map((message) => message?.role)).toEqual(["user", "assistant", "tool", "assistant"]);
  expect(stored[3] && textOf(stored[3])).not.toBe("");
  expect((await later.run("go on", { sessionId: "s" })).answer).toBe("Fine.");
  const roles = on.provider.requests[1]?.body.messages.map(({ role }) => role);
  expect(roles).toEqual(["system", "user", "assistant", "tool", "assistant", "user"]);
});
