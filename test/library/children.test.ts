import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Agent, AgentOptions } from "../../src/index.ts";
import type { Tool } from "../../src/protocol/tool.ts";
import { memoryStore } from "../../src/store/memory.ts";
import { agentOn } from "../../src/agent/agent.ts";
import { builtInTools } from "../../src/tools/built-in.ts";
import { EndlessProvider } from "../support/endless-provider.ts";
import type { ReceivedRequest } from "../support/fake-provider.ts";
import { goesSoon } from "../support/gone.ts";
import { said } from "../support/said.ts";
import { echo, guarded } from "../support/tools.ts";
import { callTools, say, type Step } from "../support/wire-script.ts";

type Rule = (request: ReceivedRequest) => Step;

async function withAgent(
  rule: Rule,
  more: Partial<AgentOptions>,
  work: (bot: Agent, provider: EndlessProvider) => Promise<void>,
): Promise<void> {
  const provider = new EndlessProvider(rule);
  await provider.server.listen();
  const { baseUrl } = provider.server;
  const bot = agentOn(memoryStore(), { baseUrl, model: "fake-1", retry: { baseMs: 1 }, children: {}, ...more });
  try {
    await work(bot, provider);
    expect(provider.violations()).toEqual([]);
  } finally {
    await bot.close();
    await provider.close();
  }
}

const systemOf = ({ body }: ReceivedRequest): string => String(body.messages[0]?.content);
const isChild = (request: ReceivedRequest): boolean => systemOf(request).startsWith("You are a child agent");
const toolsOf = ({ body }: ReceivedRequest): readonly string[] =>
  ((body as { tools?: readonly { function: { name: string } }[] }).tools ?? []).map((tool) => tool.function.name);
const lastRole = ({ body }: ReceivedRequest): string | undefined => body.messages.at(-1)?.role;

const delegate = (input: Readonly<Record<string, unknown>>, id = "d1"): Step =>
  callTools([{ id, name: "delegate_task", arguments: input }]);

/** The parent gives the tasks, reads what came of them and answers with it; each child answers its goal. */
const giving =
  (input: Readonly<Record<string, unknown>>, child: Rule = (request) => say([`did ${goalOf(request)}`])): Rule =>
  (request) => {
    if (isChild(request)) return child(request);
    return lastRole(request) === "user" ? delegate(input) : say(["all done"]);
  };

const goalOf = ({ body }: ReceivedRequest): string => {
  const asked = body.messages.find(({ role }) => role === "user");
  return asked === undefined ? "" : said(asked);
};

/** What the parent was told. */
function toldIn(provider: EndlessProvider): { results: Record<string, unknown>[]; reminder?: string } {
  const receipt = provider.requests
    .filter((request) => !isChild(request))
    .at(-1)
    ?.body.messages.find(({ role }) => role === "tool");
  const text = String(receipt?.content);
  return JSON.parse(text.slice(text.indexOf("{"), text.lastIndexOf("}") + 1));
}

test("[I4][E9] children work on their tasks side by side, each with a conversation of its own", async () => {
  const tasks = [{ goal: "count apples", context: "the barn" }, { goal: "count pears" }];
  await withAgent(
    giving({ tasks }),
    { tools: [echo, guarded()], system: "I am the parent." },
    async (bot, provider) => {
      const result = await bot.run("go", { sessionId: "s" });
      expect(result.answer).toBe("all done");
      const { results } = toldIn(provider);
      expect(results.map(({ task_index, status }) => [task_index, status])).toEqual([
        [0, "completed"],
        [1, "completed"],
      ]);
      expect(results[1]?.["summary"]).toBe("did count pears");
      const children = provider.requests.filter(isChild);
      expect(children.map(({ body }) => body.messages.length)).toEqual([2, 2]);
      expect(children.map(goalOf).toSorted()).toEqual([
        "count apples\n\nWhat you should know:\nthe barn",
        "count pears",
      ]);
      for (const child of children) expect(toolsOf(child).toSorted()).toEqual(["echo", "guarded"]);
      // One turn of its own for each, and the account of both on the parent's bill.
      expect(bot.store.list().map(({ sessionId }) => sessionId)).toEqual(["s"]);
      expect(bot.store.children("s")).toHaveLength(2);
      expect(result.usage.input).toBe(80);
      expect(result.attempts).toBe(2);
    },
  );
});

test("[I4] tasks may come as their JSON text; more than may be given at once is an error, and nobody is left out unseen", async () => {
  const many = JSON.stringify(["a", "b", "c", "d"].map((goal) => ({ goal })));
  await withAgent(giving({ tasks: many }), {}, async (bot, provider) => {
    const result = await bot.run("go");
    expect(result.toolEvents[0]).toMatchObject({ status: "error" });
    expect(result.toolEvents[0]?.detail).toContain("untrusted");
    expect(provider.requests.some(isChild)).toBe(false);
    const receipt = provider.requests.at(-1)?.body.messages.at(-1);
    expect(String(receipt?.content)).toContain("at most 3 tasks");
  });
});

test("[I4] a child asks nobody, gives no work on and changes nothing that lasts, whatever is asked for it", async () => {
  const lasting: Tool = { ...echo, name: "memory", outlives: true };
  const barred = ["clarify", "execute_code", "message", "cron"].map((name): Tool => ({ ...echo, name }));
  const toolsets = ["echo", "delegate_task", "memory", "clarify", "execute_code", "message", "cron", "unknown"];
  const asked = { goal: "try", toolsets, max_iterations: 1_000 };
  await withAgent(giving(asked), { tools: [echo, guarded(), lasting, ...barred] }, async (bot, provider) => {
    await bot.run("go", { sessionId: "s" });
    expect(provider.requests.filter(isChild).map(toolsOf)).toEqual([["echo"]]);
    const [child] = bot.store.children("s");
    const [start] = bot.store.turn(child?.sessionId ?? "")?.facts ?? [];
    expect(start?.fact).toMatchObject({ type: "turn-start", maxIterations: 250 });
  });
});

test("[I4] what needs a person's yes is refused in a child, and told with its account", async () => {
  const child: Rule = (request) =>
    lastRole(request) === "user"
      ? callTools([{ id: "g", name: "guarded", arguments: { text: "x" } }])
      : say(["was refused"]);
  await withAgent(giving({ goal: "try" }, child), { tools: [guarded()], approvals: "ask" }, async (bot, provider) => {
    await bot.run("go");
    expect(toldIn(provider).results[0]).toMatchObject({ status: "completed", needed_a_person: ["guarded"] });
  });
});

test("[I4][X4] children share what is left with their parent, and their cost is counted once", async () => {
  const prices = { input: 1_000, output: 0, asOf: "2026-11-01", source: "a test" };
  const tasks = [{ goal: "one" }, { goal: "two" }];
  const facts = { provider: "custom", model: "fake-1", quirks: [], prices };
  await withAgent(giving({ tasks }), { maxCost: 1, facts }, async (bot) => {
    const result = await bot.run("go", { sessionId: "s" });
    const turns = bot.store.children("s").map(({ sessionId }) => bot.store.turn(sessionId)?.facts[0]?.fact);
    // Each request is two cents. Of the 98 that are left each has a third, and the parent one too.
    expect(turns).toMatchObject([{ limit: { leftUsd: 0.326666667 } }, { limit: { leftUsd: 0.326666667 } }]);
    const report = bot.store.turn("last")?.facts.filter(({ fact }) => fact.type === "auxiliary-run");
    expect(report?.map(({ fact }) => fact)).toMatchObject([
      { purpose: "child", attempts: 1, bill: { usd: 0.02 } },
      { purpose: "child", attempts: 1, bill: { usd: 0.02 } },
    ]);
    expect([result.ok, result.cost.usd]).toEqual([true, 0.08]);
  });
});

test("[I4][EXEC-06][EXEC-07] a stop of the parent stops its children at once, and the call has one receipt", async () => {
  const started = Promise.withResolvers<undefined>();
  let aborted = 0;
  const slow: Tool = {
    ...echo,
    name: "slow",
    run: (_input, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener("abort", () => {
          aborted++;
          reject(new Error("stopped"));
        });
        started.resolve(undefined);
      }),
  };
  const child: Rule = () => callTools([{ id: "w", name: "slow", arguments: { text: "x" } }]);
  await withAgent(giving({ goal: "wait" }, child), { tools: [slow] }, async (bot) => {
    const turn = bot.start("go", { sessionId: "s" });
    await started.promise;
    await turn.interrupt();
    const result = await turn;
    expect([result.exit.reason, aborted]).toEqual(["interrupted_by_user", 1]);
    expect(result.toolEvents.filter(({ name }) => name === "delegate_task")).toHaveLength(1);
    const ended = bot.store.children("s").map(({ sessionId }) => bot.store.turn(sessionId)?.facts.at(-1)?.fact);
    expect(ended).toMatchObject([{ type: "turn-end", outcome: { exit: "interrupted_by_user" } }]);
  });
});

test("[I4][EXEC-06] what a child runs in a shell ends with the stop of its parent, deaf or not", async () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "evander-child-")));
  const tools = builtInTools({ cwd: folder, home: folder, env: process.env });
  const child: Rule = () =>
    callTools([
      { id: "w", name: "terminal", arguments: { command: "trap '' TERM; echo $$ > pid; while :; do sleep 0.2; done" } },
    ]);
  try {
    await withAgent(giving({ goal: "wait" }, child), { tools, approvals: "all" }, async (bot) => {
      const turn = bot.start("go", { sessionId: "s" });
      const pidIn = (): number => Number(existsSync(join(folder, "pid")) && readFileSync(join(folder, "pid"), "utf8"));
      await expect.poll(pidIn).toBeGreaterThan(0);
      const pid = pidIn();
      await turn.interrupt();
      expect((await turn).exit.reason).toBe("interrupted_by_user");
      expect(await goesSoon(pid)).toBe(true);
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test("[I4][SUB-01] children of children are counted too, and none stands below depth two", async () => {
  const child: Rule = (request) => {
    if (lastRole(request) !== "user") return say(["went on"]);
    return toolsOf(request).includes("delegate_task")
      ? delegate({ tasks: ["a", "b", "c"].map((goal) => ({ goal })) })
      : say(["a leaf"]);
  };
  const tasks = [{ goal: "one" }, { goal: "two" }];
  await withAgent(giving({ tasks }, child), { children: { depth: 2 } }, async (bot, provider) => {
    await bot.run("go", { sessionId: "s" });
    const receipts = provider.requests
      .filter((request) => isChild(request) && lastRole(request) === "tool")
      .map(({ body }) => String(body.messages.at(-1)?.content));
    expect(receipts).toHaveLength(2);
    // With two that run, three more would be five: of a third call there is room for none.
    for (const receipt of receipts) expect(receipt).toMatch(/at most 4 child agents run at once/);
  });
});

test("[I4] others' words that a child has read taint its parent, and a tainted parent its children", async () => {
  const web: Tool = { ...echo, name: "web_look", untrustedOutput: true };
  const trusted: Tool = { ...echo, name: "own", trusted: true };
  const child: Rule = (request) => {
    if (lastRole(request) !== "user") return say(["read it"]);
    const name = goalOf(request) === "look" ? "web_look" : "own";
    return callTools([{ id: "w", name, arguments: { text: "a page that others wrote, with more than a few words" } }]);
  };
  for (const [goal, told] of [
    ["look", "web_look"],
    ["own", undefined],
  ] as const)
    await withAgent(giving({ goal }, child), { tools: [web, trusted] }, async (bot, provider) => {
      await bot.run("go");
      expect(toldIn(provider).results[0]?.["read_others"]).toBe(told);
    });
});

test("[I4][SUB-02] one turn starts thirty children and no more, and none outlives the agent", async () => {
  const started = (request: ReceivedRequest): number =>
    request.body.messages.filter(({ role }) => role === "tool").length;
  const rule: Rule = (request) => {
    if (isChild(request)) return say(["did it"]);
    const calls = started(request);
    const tasks = ["a", "b", "c"].map((goal) => ({ goal: `${goal}${calls}` }));
    return calls < 11 ? delegate({ tasks }, `d${calls}`) : say(["enough"]);
  };
  await withAgent(rule, {}, async (bot, provider) => {
    expect((await bot.run("go", { sessionId: "s" })).answer).toBe("enough");
    expect(bot.store.children("s")).toHaveLength(30);
    const last = provider.requests.at(-1)?.body.messages.at(-1);
    expect(String(last?.content)).toMatch(/one turn starts at most 30 child agents/);
    expect(bot.store.openTurns()).toEqual([]);
  });
});
