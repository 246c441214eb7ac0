import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type Agent, agent, type AgentOptions, type ModelFacts, type TurnEvent } from "../../src/index.ts";
import type { ExitReason, InterruptSource, RefusalReason } from "../../src/protocol/exit.ts";
import type { Fact } from "../../src/protocol/fact.ts";
import { userText } from "../../src/protocol/message.ts";
import type { TurnResult } from "../../src/protocol/result.ts";
import type { Language } from "../../src/words/language.ts";
import { EndlessProvider } from "./endless-provider.ts";
import type { ReceivedRequest } from "./fake-provider.ts";
import { ProgramWorld } from "./program.ts";
import { echo, guarded, stuck } from "./tools.ts";
import { broken, callTools, delta, PAUSE, refuse, reply, say, type Step, stream } from "./wire-script.ts";

/** One way to bring an end about: a fault of the world, and the whole product on top of it. */
export interface Ending {
  readonly fault: string;
  readonly code: number;
  readonly run: (language: Language) => Promise<TurnResult>;
}

type Reason = ExitReason | RefusalReason;

interface Scene {
  readonly bot: Agent;
  readonly provider: EndlessProvider;
  readonly folder: string;
  /** Another agent on the same store, as another process would have it. */
  readonly another: () => Agent;
}

interface Script {
  readonly fault: string;
  readonly code: number;
  /** The answer to each request, however many come. */
  readonly model?: (request: ReceivedRequest) => Step;
  readonly options?: Partial<AgentOptions>;
  readonly act?: (scene: Scene) => Promise<TurnResult>;
}

/** A scene of the library on a real server; an illegal request fails it. */
const scene = ({ fault, code, model = () => say("Done."), options = {}, act }: Script): Ending => ({
  fault,
  code,
  run: async (language) => {
    const folder = mkdtempSync(join(tmpdir(), "evander-ending-"));
    const provider = new EndlessProvider(model);
    await provider.server.listen();
    const { baseUrl } = provider.server;
    const bots: Agent[] = [];
    const open = (): Agent => {
      const retry = { baseMs: 1, maxMs: 1, maxWaitMs: 50 };
      bots.push(agent({ baseUrl, model: "fake-1", store: folder, retry, language, ...options }));
      return bots.at(-1) as Agent;
    };
    try {
      const bot = open();
      const result = act === undefined ? await bot.run("go") : await act({ bot, provider, folder, another: open });
      const violations = provider.violations();
      if (violations.length > 0) throw new Error(violations.join("\n"));
      return result;
    } finally {
      for (const bot of bots) await bot.close();
      await provider.close();
      rmSync(folder, { recursive: true, force: true });
    }
  },
});

/** The same for a command line that never becomes a turn. */
const command = (fault: string, code: number, ...argv: readonly string[]): Ending => ({
  fault,
  code,
  run: async (language) => {
    const search = { type: "none", cause: "no_provider", message: "No model is configured.", next: [] } as const;
    await using world = await ProgramWorld.open(search);
    const { stdout } = await world.run([...argv, "--output", "json", "--lang", language]);
    return JSON.parse(stdout) as TurnResult;
  },
});

const call = (name: string): Step => callTools([{ id: "c1", name, arguments: { text: "x" } }]);
const error = (status: number, message: string, code?: string): Step =>
  refuse(status, { error: { message, ...(code !== undefined && { code }) } });
const first =
  (step: Step, then: Step) =>
  ({ index }: ReceivedRequest): Step =>
    index === 0 ? step : then;
const rejected = (code: number, fault: string, step: Step): Ending => scene({ fault, code, model: () => step });

const stopped = ({ fault, code, by }: { fault: string; code: number; by: InterruptSource }): Ending =>
  scene({
    fault,
    code,
    model: () => call("stuck"),
    options: { tools: [stuck(() => undefined)] },
    act: ({ bot }) => stopAt(bot, "segment-start", by),
  });

/** A request takes 20 tokens and 5: 60 millionths of a dollar. */
const PRICED = {
  provider: "custom",
  model: "fake-1",
  input: ["text"],
  quirks: [],
  prices: { input: 2, output: 4, asOf: "2026-11-01", source: "a list" },
} as const satisfies ModelFacts;

/** Every end a run of the product can have: how it is brought about here, or why it cannot be yet. */
export const ENDINGS: Readonly<Record<Reason, readonly Ending[] | { readonly later: string }>> = {
  text_response: [scene({ fault: "none", code: 0 })],
  partial_stream_recovery: [
    scene({
      fault: "every reply breaks off behind some text",
      code: 10,
      model: () => broken({ text: "The sum of all the figures is" }, 2, "cut"),
    }),
  ],
  max_iterations_reached: [
    scene({
      fault: "the model asks for one more call than it may",
      code: 20,
      model: first(call("echo"), say("So far: one echo.")),
      options: { tools: [echo], maxIterations: 1 },
    }),
  ],
  time_limit: [
    scene({
      fault: "a tool works longer than the turn may run",
      code: 22,
      model: () => call("stuck"),
      options: { tools: [stuck(() => undefined)], maxTimeMs: 1 },
    }),
  ],
  guardrail_halt: [
    scene({
      fault: "the same call, with the same result, again and again",
      code: 23,
      model: ({ index }) => callTools([{ id: `c${index}`, name: "echo", arguments: { text: "x" } }]),
      options: { tools: [echo] },
    }),
  ],
  tool_error: [
    scene({
      fault: "a tool fails, and the turn is to stop at the first failure",
      code: 31,
      model: () => call("bad"),
      options: {
        tools: [{ ...echo, name: "bad", run: () => Promise.reject(new Error("boom")) }],
        failOnToolError: true,
      },
    }),
  ],
  context_overflow: [rejected(24, "400 context_length_exceeded", error(400, "Too long.", "context_length_exceeded"))],
  ollama_runtime_context_too_small: [
    scene({ fault: "the server has the model loaded with a tiny window", code: 24, options: { contextWindow: 4_100 } }),
  ],
  parked_for_approval: [
    scene({
      fault: "a call needs a person and none is there",
      code: 30,
      model: () => call("guarded"),
      options: { tools: [guarded()], approvals: "park" },
    }),
  ],
  internal_error: [scene({ fault: "the process dies each time the turn is resumed", code: 70, act: resumeOften })],
  store_unavailable: [scene({ fault: "the disk refuses what is saved", code: 73, act: breakStore })],
  empty_response_exhausted: [rejected(76, "every reply is empty", reply({}))],
  output_truncated: [rejected(76, "every reply ends at its limit", reply({ text: "And so on", finish: "length" }))],
  thinking_exhausted: [
    rejected(76, "every reply ends at its limit, all thought", reply({ reasoning: "hm", finish: "length" })),
  ],
  invalid_tool_calls: [
    scene({
      fault: "the model calls what does not exist, each time",
      code: 76,
      model: ({ index }) => callTools([{ id: `c${index}`, name: "nonsense", arguments: {} }]),
      options: { tools: [echo] },
    }),
  ],
  fallback_prior_turn_content: [
    scene({
      fault: "an empty reply behind housekeeping that came with the answer",
      code: 10,
      model: first(reply({ text: "All is done.", calls: [{ id: "c1", name: "todo", arguments: {} }] }), reply({})),
      options: { tools: [{ ...echo, name: "todo" }] },
    }),
  ],
  content_policy: [rejected(80, "400 content_filter", error(400, "This was flagged.", "content_filter"))],
  interrupted_by_user: [
    stopped({ fault: "a stop while a tool runs", code: 130, by: "user" }),
    stopped({ fault: "SIGTERM while a tool runs", code: 143, by: "terminate" }),
  ],
  interrupted_during_api_call: [
    scene({
      fault: "a stop while the model writes",
      code: 130,
      model: () => stream([delta({ content: "Half of" }), PAUSE]),
      act: ({ bot }) => stopAt(bot, "text-delta", "user"),
    }),
  ],
  all_retries_exhausted_no_response: [
    rejected(75, "503 each time", error(503, "Try later.")),
    rejected(75, "429 each time", error(429, "Slow down.")),
  ],
  request_rejected: [
    rejected(77, "401", error(401, "No such key.", "invalid_api_key")),
    rejected(79, "402", error(402, "Insufficient credits.")),
    rejected(78, "404 model_not_found", error(404, "No such model.", "model_not_found")),
    rejected(76, "400", error(400, "Unknown parameter.")),
  ],
  no_provider: [command("no model is named", 78, "-p", "go")],
  usage_error: [
    scene({ fault: "a blank prompt", code: 2, act: ({ bot }) => bot.run(" ") }),
    command("an option that does not exist", 2, "-p", "go", "--nope"),
  ],
  session_not_found: [command("a session that does not exist", 2, "session", "show", "nope")],
  session_busy: [
    scene({ fault: "another process works in the session", code: 75, model: () => stream([PAUSE]), act: meet }),
  ],
  config_invalid: [command("a setting that does not exist", 78, "-p", "go", "--config", "nope=1")],
  pending_tool_result: [
    scene({
      fault: "another runtime has the turn, and the process dies",
      code: 70,
      options: { runtime: { name: "other", answer: () => Promise.reject(new Error("it was asked twice")) } },
      act: dieUnderRuntime,
    }),
  ],
  budget_exhausted: { later: "child agents that share a budget" },
  money_limit: [
    scene({
      fault: "a limit that the next request would pass",
      code: 21,
      model: ({ index }) => callTools([{ id: `c${index}`, name: "echo", arguments: { text: `${index}` } }]),
      options: { tools: [echo], maxCost: 0.000_3, facts: PRICED },
    }),
    scene({ fault: "a limit, and nobody knows the price", code: 21, options: { maxCost: 1 } }),
  ],
  parked_for_answer: { later: "the tool that asks the user" },
  schema_unsatisfied: { later: "answers by schema" },
  error_near_max_iterations: { later: "kept for recordings: the failure itself is named here" },
};

/** A turn that takes its process down with it whenever it goes on. */
function resumeOften(scene: Scene): Promise<TurnResult> {
  const resumed = Array.from({ length: 3 }, () => ({ type: "turn-resumed" }) as const);
  return resumeBehind(resumed, scene);
}

function dieUnderRuntime(scene: Scene): Promise<TurnResult> {
  return resumeBehind([{ type: "attempt-start", attempt: 1, iteration: 1, model: "other" }], scene);
}

/** Another process goes on with a turn of which these facts are on disk. */
async function resumeBehind(facts: readonly Fact[], { bot, another }: Scene): Promise<TurnResult> {
  const stored = await bot.store.open("s");
  const writer = stored.writer(() => undefined);
  const model = { model: "fake-1", provider: "custom", maxIterations: 3 };
  const start: Fact = { type: "turn-start", turnId: "t", seq: 0, message: userText("go"), ...model };
  for (const fact of [start, ...facts]) writer.append(fact);
  await writer.barrier();
  stored.release();
  await bot.close();
  return (await another().sessions.lane("s")).resume().result;
}

async function breakStore({ bot, folder }: Scene): Promise<TurnResult> {
  await bot.run("go", { sessionId: "s" });
  const db = new DatabaseSync(join(folder, "evander.db"));
  db.exec("create trigger refuse before insert on journal begin select raise(abort, 'the disk is broken'); end");
  db.close();
  return bot.run("go on", { sessionId: "s" });
}

async function stopAt(bot: Agent, type: TurnEvent["type"], by: InterruptSource): Promise<TurnResult> {
  const turn = await bot.sessions.start("s", "go");
  const lane = await bot.sessions.lane("s");
  for await (const event of turn) if (event.type === type) await lane.interrupt(by);
  return turn.result;
}

async function meet({ bot, provider, another }: Scene): Promise<TurnResult> {
  const turn = await bot.sessions.start("s", "go");
  await provider.server.paused();
  const result = await another().run("me too", { sessionId: "s" });
  await (await bot.sessions.lane("s")).interrupt("user");
  await turn.result;
  return result;
}
