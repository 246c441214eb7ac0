import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate, setTimeout } from "node:timers/promises";
import { type Agent, agent, type AgentOptions, type TurnEvent } from "../../src/index.ts";
import { textOf } from "../../src/protocol/message.ts";
import { builtInTools } from "../../src/tools/built-in.ts";
import { tool } from "../support/agent-in-folder.ts";
import { EndlessProvider } from "../support/endless-provider.ts";
import type { ReceivedRequest } from "../support/fake-provider.ts";
import { McpPlace } from "../support/mcp.ts";
import { said } from "../support/said.ts";
import { assertSound } from "../support/sound.ts";
import { callTools, delta, refuse, say, type Step, stream } from "../support/wire-script.ts";

/** Where a turn stands when it is interrupted. */
export interface State {
  readonly name: string;
  /** What the model says to the first message, and to nothing else. */
  readonly first: (token: string) => Step;
  /** The event that shows the place; absent: the provider has fallen silent. */
  readonly seen?: (event: TurnEvent) => boolean;
  /** What the model, or another one, says to a request that is not that of the turn itself. */
  readonly other?: Step;
  /** The history is long, and a request with all of it is refused. */
  readonly long?: true;
  readonly options?: Partial<AgentOptions>;
}

/** All in ms from the interrupt on; undefined: there was none. */
export interface Interrupted {
  readonly acknowledgedMs: number;
  /** The provider saw its connection closed. */
  readonly closedMs: number | undefined;
  /** No process of the command was left. */
  readonly goneMs: number | undefined;
  readonly survivors: number;
  /** From the end of the turn until the next message was kept. */
  readonly nextMs: number;
}

const HANGS = { end: "open" } as const;
const isEvent =
  (type: TurnEvent["type"]) =>
  (event: TurnEvent): boolean =>
    event.type === type;
const begun = (event: TurnEvent): boolean => event.type === "tool-output-delta" && event.text.includes("begun");
const command = (line: (token: string) => string) => (token: string) =>
  callTools([{ id: "t", name: "terminal", arguments: { command: line(token) } }]);
/** What a command itself may not leave behind, a script of it may. */
const script = (text: (token: string) => string) =>
  command((token) => `printf '%s' '${text(token)}' > run.sh; bash run.sh`);
const calls = (name: string, count: number) => () =>
  callTools(Array.from({ length: count }, (_, n) => ({ id: `c${n}`, name, arguments: { n } })));

/** Comes back when it is aborted, as tools do. */
const waits = tool(
  "wait",
  (_input, { signal }) =>
    new Promise((_resolve, reject) =>
      signal.addEventListener("abort", () => reject(new Error("stopped")), { once: true }),
    ),
);
const asks = tool("ask", () => Promise.resolve("done"), { effect: "effect", ask: () => "May it?" });

export const STATES: readonly State[] = [
  { name: "the first byte is waited for", first: () => stream([], HANGS) },
  {
    name: "an answer streams",
    first: () => stream([delta({ role: "assistant", content: "half" })], HANGS),
    seen: isEvent("text-delta"),
  },
  {
    name: "a retry is waited for",
    first: () => refuse(503, { error: { message: "busy" } }),
    seen: isEvent("retry-scheduled"),
    options: { retry: { baseMs: 30_000, maxMs: 60_000 } },
  },
  {
    name: "a command that ignores SIGTERM runs",
    first: command((token) => `trap '' TERM; echo begun; while :; do sleep 0.2; done # ${token}`),
    seen: begun,
  },
  {
    name: "a tree of 100 processes runs",
    first: script((token) => `for i in $(seq 100); do sleep ${token} & done; echo begun; wait`),
    seen: begun,
  },
  {
    name: "a process in a session of its own runs",
    first: script((token) => `setsid sleep ${token} & echo begun; wait`),
    seen: begun,
  },
  {
    name: "a question stands",
    first: calls("ask", 1),
    seen: isEvent("approval-requested"),
    options: { approvals: "ask" },
  },
  { name: "three calls run side by side", first: calls("wait", 3), seen: isEvent("segment-start") },
  {
    name: "a child agent works",
    first: () => callTools([{ id: "d", name: "delegate_task", arguments: { goal: "work" } }]),
    other: stream([], HANGS),
  },
  {
    name: "a summary is written",
    first: () => refuse(400, { error: { message: "prompt is too long", code: "context_length_exceeded" } }),
    other: stream([], HANGS),
    long: true,
  },
  { name: "a server of tools is called", first: calls("mcp__silent__echo", 1), seen: isEvent("segment-start") },
];

let runs = 0;

/** Interrupts one turn in a state; throws for a history that is not legal, and for text that was lost. */
export async function interruptIn(state: State): Promise<Interrupted> {
  const folder = mkdtempSync(join(tmpdir(), "evander-interrupts-"));
  const silent = Promise.withResolvers<AbortSignal>();
  // A number of seconds that nobody else sleeps.
  const token = `${3_600 + runs++}.${process.pid}`;
  const answer = ({ body }: ReceivedRequest): Step => {
    const last = body.messages.at(-1);
    if (said(last).endsWith("continue")) return { ...say("went on"), newHead: true };
    return last?.role === "user" && said(last) !== "go" && state.other !== undefined ? state.other : state.first(token);
  };
  const provider = new EndlessProvider(answer, { onSilence: silent.resolve });
  await provider.server.listen();
  await using servers = new McpPlace();
  const bot = agent({
    store: folder,
    model: "m",
    baseUrl: provider.server.baseUrl,
    tools: [...builtInTools({ cwd: folder, home: folder, env: process.env }), waits, asks],
    toolSource: servers.desk([servers.faulty("silent")]),
    approvals: "all",
    children: {},
    ...state.options,
  });
  try {
    if (state.long === true) await bot.importMessages("s", pastTalk());
    const measured = await interrupt(bot, state, { silence: silent.promise, token });
    assert.deepEqual(provider.violations(), []);
    return measured;
  } finally {
    await bot.close();
    await provider.close();
    assertSound(join(folder, "evander.db"), { idle: true, ended: true });
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Around {
  readonly silence: Promise<AbortSignal>;
  readonly token: string;
}

async function interrupt(bot: Agent, state: State, { silence, token }: Around): Promise<Interrupted> {
  const turn = bot.start("go", { sessionId: "s" });
  const there = Promise.withResolvers<void>();
  const watch = async (): Promise<void> => {
    for await (const event of turn) if (state.seen?.(event) === true) there.resolve();
    there.reject(new Error(`it never came to where ${state.name}`));
  };
  const watched = watch();
  const connection = state.seen === undefined || state.name.includes("streams") ? await silence : undefined;
  if (state.seen !== undefined) await there.promise;
  // The first words of a command may come before its processes are what they will be.
  while (state.seen === begun && processesOf(token) === 0) await setTimeout(5);
  await setImmediate();
  const startMs = performance.now();
  const since = (): number => performance.now() - startMs;
  const closed = connection && closedAfter(connection, since);
  const gone = processesOf(token) === 0 ? undefined : goneAfter(token, since);
  assert.equal(await turn.interrupt(), true);
  const acknowledgedMs = since();
  const { interrupted, exit } = await turn;
  assert.equal(interrupted, true, exit.reason);
  await Promise.allSettled([watched, there.promise]);
  checkPartial(bot, state);
  const nextMs = await acceptedAfter(bot);
  const goneMs = await gone;
  return { acknowledgedMs, closedMs: await closed, goneMs, survivors: processesOf(token), nextMs };
}

/** What was shown is kept, and says of itself that it is not whole. */
function checkPartial(bot: Agent, { name }: State): void {
  if (!name.includes("streams")) return;
  const last = bot.store.history("s")?.at(-1);
  assert.deepEqual([last?.role === "assistant" && last.interrupted, last && textOf(last)], [true, "half"]);
}

async function acceptedAfter(bot: Agent): Promise<number> {
  const startMs = performance.now();
  const next = bot.start("continue", { sessionId: "s" });
  for await (const _ of next) break;
  const tookMs = performance.now() - startMs;
  assert.equal((await next).answer, "went on");
  return tookMs;
}

async function closedAfter(connection: AbortSignal, since: () => number): Promise<number> {
  if (!connection.aborted)
    await new Promise<void>((resolve) => connection.addEventListener("abort", () => resolve(), { once: true }));
  return since();
}

async function goneAfter(token: string, since: () => number): Promise<number> {
  while (processesOf(token) > 0 && since() < PATIENCE_MS) await setTimeout(20);
  return since();
}

const PATIENCE_MS = 30_000;

/** Processes with these words in their command line. */
function processesOf(token: string): number {
  return readdirSync("/proc").filter((name) => {
    try {
      return /^\d+$/.test(name) && readFileSync(join("/proc", name, "cmdline"), "utf8").includes(token);
    } catch {
      return false;
    }
  }).length;
}

const pastTalk = (): { role: "user" | "assistant"; content: string }[] =>
  Array.from({ length: 40 }, (_, at) => ({
    role: at % 2 === 0 ? "user" : "assistant",
    content: `Message ${at}. ${"Words of a long talk. ".repeat(40)}`,
  }));
