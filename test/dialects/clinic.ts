import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Agent, AgentOptions, RunOptions, Tool } from "../../src/index.ts";
import { agentOn, openStore } from "../../src/agent/agent.ts";
import type { Around } from "../../src/agent/options.ts";
import { type CacheReport, cacheReport } from "../../src/session/cache/report.ts";
import { tool } from "../support/agent-in-folder.ts";
import type { Received } from "../support/fake-server.ts";
import { PrefixCache } from "../support/prefix-cache.ts";
import { type Act, calls, type Mode, replies, type ScriptPart } from "./script.ts";
import { isObject, type Json, objectsOf } from "./shape.ts";
import { sideOf } from "./subjects.ts";
import { type DialectServer, fakeDialect, scripted } from "./wire.ts";

type Options = AgentOptions & Around;

/** Longer than what servers cache at all: some 3,000 tokens, and 1,500. */
export const LONG_PROMPT: string = `You are careful.\n\n${"A rule that is kept whatever happens. ".repeat(300)}`;
const LONG_SCHEMA = {
  type: "object",
  properties: { path: { type: "string", description: "Where to look. ".repeat(400) } },
};
export const look: Tool = tool("look", (input) => `${JSON.stringify(input)}: ${"a line of a file\n".repeat(400)}`, {
  parameters: LONG_SCHEMA,
});
export const find: Tool = tool("find", () => "nothing", { parameters: { ...LONG_SCHEMA, required: ["path"] } });

/** What a model says to one request; its tokens are counted as a server with a cache counts them. */
type Says = readonly ScriptPart[];

type Answer = Says | Act | (() => Says);

export const looks = (path: string): Says => [calls("look", { path }, { id: `call_${path}` })];
export const answers = (text: string): Says => [{ type: "text", text }];

/** A server that caches like a real one, a store, and agents on it one after the other, each as a new process would. */
export class Clinic implements AsyncDisposable {
  readonly cache: PrefixCache = new PrefixCache();
  readonly server: DialectServer;
  readonly folder: string = mkdtempSync(join(tmpdir(), "evander-clinic-"));
  private readonly mode: Mode;
  private readonly options: Options;
  private readonly tells: boolean;
  /** Of all turns so far, in order. */
  readonly turnIds: string[] = [];
  private bot: Agent | undefined;

  private constructor(mode: Mode, server: DialectServer, { tells = true, ...options }: ClinicOptions) {
    this.mode = mode;
    this.server = server;
    this.tells = tells;
    this.options = options;
  }

  static async open(mode: Mode, options: ClinicOptions = {}): Promise<Clinic> {
    return new Clinic(mode, await fakeDialect(sideOf(mode).wire, [], { heads: "free" }), options);
  }

  /** One turn that is answered so. `more`: the process begins anew, with other options. */
  async turn(acts: readonly Answer[], more?: Options, inputs?: RunOptions): Promise<Agent> {
    const { wire } = sideOf(this.mode);
    this.server.script(...acts.map((act) => scripted(wire, (request) => this.act(act, request))));
    if (more !== undefined) await this.bot?.close();
    if (more !== undefined || this.bot === undefined) this.bot = this.agent(more);
    const { turnId } = await this.bot.run("Go on.", { ...inputs, sessionId: "s" });
    if (turnId !== null) this.turnIds.push(turnId);
    return this.bot;
  }

  /** What is said of the newest turn. */
  report(): CacheReport {
    const store = this.agentNow.store;
    const turn = store.turn("last");
    if (turn === undefined) throw new Error("there is no turn");
    return cacheReport(turn, store);
  }

  get agentNow(): Agent {
    if (this.bot === undefined) throw new Error("there is no agent yet");
    return this.bot;
  }

  private act(answer: Answer, { path, body, headers }: Received<Json>): Act {
    const act = typeof answer === "function" ? answer() : answer;
    if ("do" in act) return act;
    const { wire } = sideOf(this.mode);
    const { opening, said } = wire.head(body);
    const { model } = wire.callOf({ path }, body);
    const account = JSON.stringify([model, body["reasoning_effort"], wire.keyOf(headers)]);
    const pieces = [...opening, ...said.map(({ role, text }) => `${role} ${text}`)];
    const counted = this.cache.take({ account, pieces, marks: marksIn(this.mode, body) });
    const { input } = counted;
    return replies(act, { usage: this.tells ? { ...counted, output: 9 } : { input, output: 9 } });
  }

  private agent(more: Options = {}): Agent {
    const { wire, model: plain } = sideOf(this.mode);
    // Bedrock caches for models of Claude by the names that they have there.
    const model = this.mode === "bedrock_converse" ? "us.anthropic.claude-sonnet-4-5" : plain;
    const place = {
      model,
      api: this.mode,
      provider: "there",
      baseUrl: `${this.server.origin}${wire.base}`,
      apiKey: "k",
    };
    const fixed = { system: LONG_PROMPT, tools: [look], retry: { baseMs: 1, maxMs: 1 }, summary: false } as const;
    return agentOn(openStore(this.folder), { ...place, ...fixed, ...this.options, ...more });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.bot?.close();
    rmSync(this.folder, { recursive: true, force: true });
    await this.server.close();
  }
}

interface ClinicOptions extends Options {
  /** False: the server says nothing of its cache. */
  readonly tells?: boolean;
}

/** Behind which pieces of its head there are marks; undefined: servers of this dialect need none. */
function marksIn(mode: Mode, { tools, toolConfig, system, messages }: Json): number[] | undefined {
  if (mode !== "anthropic_messages" && mode !== "bedrock_converse") return undefined;
  const said = objectsOf(messages).flatMap(({ content }) => objectsOf(content));
  const listed = isObject(toolConfig) ? toolConfig["tools"] : tools;
  // The head of the one begins with the model.
  let pieces = mode === "anthropic_messages" ? 1 : 0;
  const marks: number[] = [];
  for (const block of [...objectsOf(listed), ...objectsOf(system), ...said]) {
    if (block["cachePoint"] === undefined) pieces++;
    if (block["cachePoint"] !== undefined || block["cache_control"] !== undefined) marks.push(pieces);
  }
  return marks;
}
