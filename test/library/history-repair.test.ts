import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { bench, tool } from "../support/agent-in-folder.ts";
import { callTools, say } from "../support/wire-script.ts";

const rolesOf = (messages: readonly { readonly role: string; readonly tool_call_id?: string }[]): string[] =>
  messages.map(({ role, tool_call_id: id }) => (id === undefined ? role : `${role} ${id}`));

const call = (id: string, name: string): { id: string; name: string; arguments: object } => ({
  id,
  name,
  arguments: { id },
});

test("[HIST-02] [F2] a history cut in the middle of a call, without its beginning, is sent legally", async () => {
  await using on = await bench(say("Went on."));
  const bot = on.agent();
  const edit = { id: "k9", type: "function", function: { name: "edit", arguments: "{}" } };
  await bot.importMessages("s", [
    { role: "assistant", content: "[summary]" },
    { role: "assistant", content: null, reasoning_content: "only thoughts" },
    { role: "assistant", content: null, tool_calls: [edit] },
    { role: "user", content: "and" },
    { role: "tool", tool_call_id: "gone", content: "orphan" },
    { role: "user", content: "so" },
  ]);
  expect((await bot.run("go on", { sessionId: "s" })).answer).toBe("Went on.");
  const sent = on.provider.requests[0]?.body.messages.slice(1) ?? [];
  expect(rolesOf(sent)).toEqual(["user", "assistant", "tool k9", "user"]);
  expect(sent[3]?.content).toBe("and\n\nso\n\ngo on");
});

test("[G3] [F2] a store that lost messages gives a session that goes on", async () => {
  await using on = await bench(callTools([call("c1", "ls"), call("c2", "ls")]), say("Two."), say("Still here."));
  const ls = { parameters: { type: "object", properties: { id: {} } } };
  const first = on.agent({ tools: [tool("ls", (_input, { callId }) => callId, ls)] });
  await first.run("list", { sessionId: "s" });
  await first.close();
  on.given = undefined;
  const db = new DatabaseSync(join(on.folder, "evander.db"));
  db.exec("delete from message where seq in (0, 3)");
  db.close();
  const second = on.agent({ tools: [tool("ls", () => "")] });
  expect((await second.run("go on", { sessionId: "s" })).answer).toBe("Still here.");
  const sent = on.provider.requests.at(-1)?.body.messages.slice(1) ?? [];
  expect(rolesOf(sent)).toEqual(["user", "assistant", "tool c1", "tool c2", "assistant", "user"]);
  expect(sent[3]?.content).toMatch(/Interrupted/);
});

test("[A4] lone surrogates and NUL in a history from elsewhere are gone before anything keeps them", async () => {
  await using on = await bench();
  const bot = on.agent();
  await bot.importMessages("s", [
    { role: "user", content: [{ type: "text", text: "a\uD800b" }] },
    { role: "assistant", content: "ok\0", reasoning_content: "r\uDC00", reasoning_details: [{ "k\uD800": "d\uD800" }] },
  ]);
  const kept = JSON.stringify(bot.store.history("s"));
  expect(kept).not.toMatch(/\\u(?:0000|d[89a-f])/i);
  expect(kept.split("\uFFFD")).toHaveLength(6);
});
