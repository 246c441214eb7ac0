import type { OpenAiMessage } from "../../src/protocol/openai.ts";
import type { Fact } from "../../src/protocol/fact.ts";
import type { TurnResult } from "../../src/protocol/result.ts";
import { SUMMARY_SYSTEM } from "../../src/context/compaction/words.ts";
import { Bench, tool } from "../support/agent-in-folder.ts";
import { EndlessProvider } from "../support/endless-provider.ts";
import type { ReceivedRequest } from "../support/fake-provider.ts";
import { callTools, refuse, reply, type Step } from "../support/wire-script.ts";

/** Tokens. */
export const SMALL = 32_768;
const LARGE = 1_000_000;
const REPLY = 4_096;

/** What the user asks last. */
export const INSTRUCTION: string = [
  'Now fix the login in src/auth/session.ts: "remember me" must last 30 days, not 30 minutes.',
  "Change no other file, and say in one line what you did. 完成后用中文告诉我。",
].join("\n");

/** What of the list is open. */
export const OPEN: readonly string[] = [
  "Fix the login in src/auth/session.ts",
  "Tell Anna about the migration of table users_old",
];
const DONE = "Read the 60 notes of the audit";

/** How the session comes to the small model. */
export const WAYS = ["a switch in the middle of a turn", "the fallback chain", "another process"] as const;
export type Way = (typeof WAYS)[number];

export interface SmallTurn {
  readonly result: TurnResult;
  readonly facts: readonly Fact[];
  /** Of the session, by the count of a server, before the small model was asked. */
  readonly sessionTokens: number;
  /** What the small model was asked, but for summaries. */
  readonly asked: readonly ReceivedRequest[];
  /** Requests that the small model refused as too large. */
  readonly refused: number;
  /** Asked of either model. */
  readonly summaries: number;
  /** Of what was asked. */
  readonly illegal: readonly string[];
}

/** As servers count English text, about. */
export const tokensOf = ({ text }: Pick<ReceivedRequest, "text">): number => Math.ceil(text.length / 4);

/** A session of 200,000 tokens goes on with a model that takes 32,768; `summary`: a model says what is left out. */
export async function playSmallModel(way: Way, summary: boolean = true): Promise<SmallTurn> {
  const isChain = way === "the fallback chain";
  const own = summary ? {} : { summary: false as const };
  const first = isChain ? refuse(429, { error: { message: "slow down" } }) : callTools([LOOK], { newHead: true });
  await using world = await new Bench([]).listen();
  const large = new CountingServer(LARGE, () => first);
  const small = new CountingServer(SMALL, (usage) => reply({ text: ANSWER, usage }));
  const there = { provider: "small", model: "small-1", baseUrl: await small.listen(), contextWindow: SMALL };
  const here = { provider: "large", model: "large-1", baseUrl: await large.listen(), contextWindow: LARGE };
  const look = tool("look", async () => {
    await turn.switchModel(there);
    return "The file is src/auth/session.ts.";
  });
  const writer = world.agent({ ...here, ...own, tools: [look], ...(isChain && { fallback: [there] }) });
  await writer.importMessages("s", longSession());
  const bot = way === "another process" ? world.agent({ ...there, ...own, tools: [look] }) : writer;
  if (bot !== writer) await writer.close();
  const turn = bot.start(INSTRUCTION, { sessionId: "s" });
  const result = await turn;
  const facts = world.facts();
  const illegal = [...(await large.close()), ...(await small.close())];
  const { asked, refused } = small;
  const summaries = large.summaries + small.summaries;
  const sessionTokens = tokensOf({ text: JSON.stringify(longSession()) });
  return { result, facts, sessionTokens, asked, refused, summaries, illegal };
}

const LOOK = { id: "look-1", name: "look", arguments: {} };
export const ANSWER = "登录已修复：记住我现在保持 30 天。";

/** Counts what it is asked, refuses what does not fit, sums up, and tells in its replies how much it has read. */
class CountingServer {
  readonly asked: ReceivedRequest[] = [];
  refused = 0;
  summaries = 0;
  readonly #window: number;
  readonly #reply: (usage: object) => Step;
  readonly #provider = new EndlessProvider((request) => this.#answer(request), { heads: "free" });

  constructor(window: number, answer: (usage: object) => Step) {
    this.#window = window;
    this.#reply = answer;
  }

  /** Returns its base URL. */
  async listen(): Promise<string> {
    return (await this.#provider.server.listen()).baseUrl;
  }

  /** Returns what it found illegal. */
  async close(): Promise<readonly string[]> {
    const illegal = this.#provider.violations();
    await this.#provider.close();
    return illegal;
  }

  #answer(request: ReceivedRequest): Step {
    const tokens = tokensOf(request);
    if (tokens + REPLY > this.#window) {
      this.refused++;
      return refuse(400, { error: { message: "prompt is too long", code: "context_length_exceeded" } });
    }
    const usage = { prompt_tokens: tokens, completion_tokens: 20, total_tokens: tokens + 20 };
    if (request.text.includes(JSON.stringify(SUMMARY_SYSTEM).slice(1, 60))) {
      this.summaries++;
      return reply({ text: "## Goal\nThe audit of the login.\n## Done\n1. The notes were read.", usage });
    }
    this.asked.push(request);
    return this.#reply(usage);
  }
}

/** Sixty notes, each read by a tool and told in a few words: about 200,000 tokens. */
function longSession(): OpenAiMessage[] {
  const notes = Array.from({ length: 60 }, (_, at) => at + 1);
  return [
    { role: "user", content: "Audit the login. Read all 60 notes first." },
    ...asks("todo-0", "todo", {}, JSON.stringify({ todos: TODOS, counts: { total: 3 } })),
    ...notes.flatMap((note): OpenAiMessage[] => [
      ...asks(`note-${note}`, "look", { note }, noteText(note)),
      { role: "assistant", content: `Note ${note} is read: ${SENTENCE}` },
      { role: "user", content: `Go on with note ${note + 1}.` },
    ]),
    { role: "assistant", content: "All notes are read." },
  ];
}

const TODOS = [
  { id: "1", content: DONE, status: "completed" },
  { id: "2", content: OPEN[0], status: "in_progress" },
  { id: "3", content: OPEN[1], status: "pending" },
];

const SENTENCE = "the session ends after half an hour although the user has asked to be remembered. ";
const noteText = (note: number): string => `Note ${note}. ${SENTENCE.repeat(160)}`;

const asks = (id: string, name: string, input: object, output: string): OpenAiMessage[] => [
  {
    role: "assistant",
    content: null,
    tool_calls: [{ id, type: "function", function: { name, arguments: JSON.stringify(input) } }],
  },
  { role: "tool", tool_call_id: id, content: output },
];
