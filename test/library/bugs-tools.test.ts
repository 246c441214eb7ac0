import { expect, test } from "vitest";
import type { Tool } from "../../src/index.ts";
import { builtInTools } from "../../src/tools/built-in.ts";
import { bench, type Bench, tool } from "../support/agent-in-folder.ts";
import type { ScriptedCall } from "../support/wire-script.ts";
import { callTools, reply, say } from "../support/wire-script.ts";

interface Ran {
  /** What the model was told for each call, in order. */
  readonly receipts: readonly string[];
  readonly statuses: readonly string[];
  readonly inputs: readonly unknown[];
}

/** One batch of calls, then the answer: what ran and what was said of it. */
async function runCalls(
  on: Bench,
  kind: Pick<Tool, "name" | "parameters"> & Partial<Pick<Tool, "effect">>,
  calls: readonly ScriptedCall[],
): Promise<Ran> {
  const inputs: unknown[] = [];
  const bot = on.agent({ tools: [tool(kind.name, (input) => `${inputs.push(input)}`, kind)] });
  on.provider.script(callTools(calls), say("Done."));
  const result = await bot.run("go", { sessionId: "s" });
  expect(result.exit.reason).toBe("text_response");
  const receipts = (on.provider.requests.at(-1)?.body.messages ?? []).filter(({ role }) => role === "tool");
  const stored = (bot.store.history("s") ?? []).flatMap((message) =>
    message?.role === "tool" ? [message.status] : [],
  );
  return { receipts: receipts.map(({ content }) => String(content)), statuses: stored, inputs };
}

const call = (name: string, raw: string, at = 0): ScriptedCall => ({ id: `c${at}`, name, arguments: raw });

test("[ARG-01] text is decoded only where the schema wants a list or an object and the text holds one", async () => {
  await using on = await bench();
  const properties = {
    queries: { type: "array", items: { type: "string" } },
    filter: { type: "object" },
    note: { type: "string" },
  };
  const raw = String.raw`{"queries":"[\"a\"]","filter":"{\"x\":1}","note":"[1,2]"}`;
  const { inputs } = await runCalls(on, { name: "find", parameters: { type: "object", properties } }, [
    call("find", raw),
  ]);
  expect(inputs).toEqual([{ queries: ["a"], filter: { x: 1 }, note: "[1,2]" }]);
});

test("[E10] [G3] a call that needs no question when it arrives, but one when it is resumed elsewhere, is refused", async () => {
  await using on = await bench(
    callTools([
      { id: "a", name: "push", arguments: {} },
      { id: "b", name: "look", arguments: {} },
    ]),
  );
  const ran: string[] = [];
  const tools = (ask: string | undefined): Tool[] => [
    tool("push", () => `${ran.push("push")}`, { effect: "effect", concurrency: "exclusive", ask: () => "It pushes." }),
    tool("look", () => `${ran.push("look")}`, { ask: () => ask }),
  ];
  const before = on.agent({ tools: tools(undefined), approvals: "park" });
  expect((await before.run("go", { sessionId: "s" })).exit.reason).toBe("parked_for_approval");
  await before.close();
  const after = on.agent({ tools: tools("A link leads out of the folder now."), approvals: "park" });
  const lane = await after.sessions.lane("s");
  expect(await lane.approve("a", true)).toBe(true);
  on.provider.script(say("Done."));
  expect((await lane.resume().result).exit.reason).toBe("text_response");
  expect(ran).toEqual(["push"]);
  expect(lane.history.map((message) => (message?.role === "tool" ? message.status : ""))).toContain("error");
  expect(on.provider.requests.at(-1)?.text).toContain("changed after it was looked at");
});

test("[ARG-03] arguments that are no object are answered with an error, and the siblings run", async () => {
  await using on = await bench();
  const bad = ["null", "[]", "3", '"hi"', '{"a":1}{"a":2}', '{"a":1} trailing words', "{'a':1}", '{"a":1'];
  const good = ['{"a":1}', '{"a":1}{"a":1}', '{"a":1,}'];
  const calls = [...bad, ...good].map((raw, at) => call("look", raw, at));
  const parameters = { type: "object", properties: { a: { type: "integer" } }, required: ["a"] };
  const look = { name: "look", parameters, effect: "effect" } as const;
  const { receipts, statuses, inputs } = await runCalls(on, look, calls);
  expect(statuses).toEqual([...bad.map(() => "error"), ...good.map(() => "ok")]);
  expect(inputs).toEqual(good.map(() => ({ a: 1 })));
  for (const receipt of receipts.slice(0, bad.length)) expect(receipt.length).toBeLessThan(800);
});

test("[ARG-03] blank arguments mean none where none are needed, and are an error where some are", async () => {
  await using on = await bench();
  const { statuses } = await runCalls(on, { name: "now", parameters: { type: "object" } }, [call("now", "  ")]);
  expect(statuses).toEqual(["ok"]);
  await using other = await bench();
  const parameters = { type: "object", properties: { a: { type: "string" } }, required: ["a"] };
  expect((await runCalls(other, { name: "look", parameters }, [call("look", "   ")])).statuses).toEqual(["error"]);
});

test("[ARG-04] arguments that stop in the middle never run the tool", async () => {
  await using on = await bench();
  const parameters = { type: "object", properties: { paths: { type: "array" } }, required: ["paths"] };
  const { receipts, statuses, inputs } = await runCalls(on, { name: "delete_files", parameters }, [
    call("delete_files", '{"paths":["tmp/'),
  ]);
  expect(inputs).toEqual([]);
  expect(statuses).toEqual(["error"]);
  expect(receipts[0]).toMatch(/JSON/);
});

test("[ARG-05] an argument of the wrong kind is named together with what was wanted and what came", async () => {
  await using on = await bench();
  const parameters = { type: "object", properties: { calls: { type: "array" } }, required: ["calls"] };
  const decoded = String.raw`{"calls":"[{\"name\":\"note_search\",\"arguments\":{\"query\":\"tea\"}}]"}`;
  const { receipts, statuses, inputs } = await runCalls(on, { name: "batch", parameters }, [
    call("batch", decoded, 0),
    call("batch", '{"calls":"tea"}', 1),
  ]);
  expect(statuses).toEqual(["ok", "error"]);
  expect(inputs).toEqual([{ calls: [{ name: "note_search", arguments: { query: "tea" } }] }]);
  expect(receipts[1]).toMatch(/calls.*array.*string/);
});

test("[ARG-09] a call without a name is answered shortly, and its replay is legal", async () => {
  await using on = await bench();
  const { receipts, statuses } = await runCalls(on, { name: "look", parameters: { type: "object" } }, [
    call("", "{}", 0),
    call("  ", '{"x":1}', 1),
  ]);
  expect(statuses).toEqual(["error", "error"]);
  for (const receipt of receipts) expect(receipt.length).toBeLessThan(200);
});

test("[UNI-02] lone surrogates in arguments are made well-formed before they are kept, run or sent", async () => {
  await using on = await bench();
  const raw = String.raw`{"q":"서\ud99c울"}`;
  const { inputs } = await runCalls(on, { name: "look", parameters: { type: "object" } }, [call("look", raw)]);
  expect(inputs).toEqual([{ q: "서\uFFFD울" }]);
});

test("[BUDG-01] [B4] out of iterations: one summary without tools, the limit and the counts, and 'continue' works", async () => {
  const more = (at: number): ReturnType<typeof callTools> => callTools([call("look", "{}", at)]);
  await using on = await bench(more(0), more(1), more(2), say("Two of three are done."), say("Now all."));
  const bot = on.agent({ maxIterations: 3, tools: [tool("look", () => "seen")] });
  const result = await bot.run("work", { sessionId: "s" });
  expect(result).toMatchObject({
    answer: "Two of three are done.",
    completed: false,
    exit: { reason: "max_iterations_reached", code: 20 },
    iterations: { used: 3, limit: 3 },
  });
  expect(on.provider.requests[3]?.body.tool_choice).toBe("none");
  expect((await bot.run("continue", { sessionId: "s" })).answer).toBe("Now all.");
});

test("[BUDG-02] calls that come although none were allowed are not run, and leave no open call", async () => {
  const summary = reply({ text: "Let me check one more file.", calls: [call("look", "{}", 1)] });
  await using on = await bench(callTools([call("look", "{}", 0)]), summary, say("Next."));
  let ran = 0;
  const bot = on.agent({ maxIterations: 1, tools: [tool("look", () => `${++ran}`)] });
  const result = await bot.run("work", { sessionId: "s" });
  expect(result.exit.reason).toBe("max_iterations_reached");
  expect(ran).toBe(1);
  expect((await bot.run("go on", { sessionId: "s" })).answer).toBe("Next.");
});

test("[ARG-07] [C11] noise around the name of a tool is no reason not to run it", async () => {
  await using on = await bench();
  const names = [
    "functions.read_file",
    "default_api:read_file",
    "Read_File",
    "read-file",
    "tool:read_file",
    "read_file<|channel|>commentary",
    " read_file ",
  ];
  const calls = names.map((name, at) => call(name, `{"at":${at}}`, at));
  const { receipts, statuses, inputs } = await runCalls(
    on,
    { name: "read_file", parameters: { type: "object" } },
    calls,
  );
  expect(inputs).toEqual(names.map((_name, at) => ({ at })));
  expect(new Set(statuses)).toEqual(new Set(["ok"]));
  expect(receipts[0]).toMatch(/^1\n\n\["functions\.read_file" was read as read_file\.\]$/);
});

test("[C11] [E2] duplicates in one reply run once, and each of them has its receipt", async () => {
  await using on = await bench();
  const calls = [call("note", '{"a":1}', 0), call("note", '{"a":1}', 1), call("note", '{"a":2}', 2)];
  const { receipts, statuses, inputs } = await runCalls(on, { name: "note", parameters: { type: "object" } }, calls);
  expect(inputs).toEqual([{ a: 1 }, { a: 2 }]);
  expect(statuses).toEqual(["ok", "cancelled", "ok"]);
  expect(receipts[1]).toMatch(/^Not run again: the same call stands before it/);
});

test("[E1] a tool that returns nothing says so to the model", async () => {
  await using on = await bench(callTools([call("quiet", "{}")]), say("Done."));
  const bot = on.agent({ tools: [tool("quiet", () => "  ")] });
  expect((await bot.run("go")).completed).toBe(true);
  expect(on.provider.requests[1]?.body.messages.at(-1)?.content).toBe("(quiet completed with no output)");
});

test("[A6] [E9] the todo list outlives the process: it is what the session's history says", async () => {
  const todos = (...done: boolean[]): object[] =>
    done.map((is, at) => ({ id: `${at}`, content: `step ${at}`, status: is ? "completed" : "pending" }));
  await using on = await bench(
    callTools([call("todo", JSON.stringify({ todos: todos(false, false) }))]),
    say("Noted."),
  );
  const first = on.agent({ tools: builtInTools({ cwd: on.folder, home: on.folder, env: {} }) });
  await first.run("plan", { sessionId: "s" });
  await first.close();
  on.provider.script(
    callTools([call("todo", '{"todos":[{"id":"0","status":"completed"}],"merge":true}', 1)]),
    say("One is done."),
  );
  const second = on.agent({ tools: builtInTools({ cwd: on.folder, home: on.folder, env: {} }) });
  expect((await second.run("go on", { sessionId: "s" })).completed).toBe(true);
  const receipt = String(on.provider.requests.at(-1)?.body.messages.at(-1)?.content);
  expect(JSON.parse(receipt)).toEqual({
    todos: todos(true, false),
    counts: { total: 2, pending: 1, in_progress: 0, completed: 1, cancelled: 0 },
  });
});
