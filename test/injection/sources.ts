import { fromOpenAi, type Tool } from "../../src/index.ts";
import { readSessionFile } from "../../src/session/session-file.ts";
import type { ImagePart } from "../../src/protocol/message.ts";
import { tool } from "../support/agent-in-folder.ts";
import { projectSkill } from "./effects.ts";
import { asks, LASTING, SESSION, type Stage } from "./stage.ts";

/** A way by which others' words come into a conversation: they say `words`. */
export interface Source {
  readonly name: string;
  /** How a question names it. */
  readonly named: string;
  readonly play: (stage: Stage, words: string) => Promise<unknown>;
  /** They are the user's own, said behind what others have said. */
  readonly byUser?: true;
}

/** A picture in which the words can be read. */
const picture = (words: string): ImagePart => ({
  type: "image",
  url: `https://pictures.test/${words.slice(words.indexOf("CALL:"))}`,
});
const BLIND = { provider: "custom", model: "obedient", input: ["text"], quirks: [] } as const;

/** A tool of whoever uses the library. */
const others = (name: string, run: Tool["run"]): Tool => tool(name, run);

/** The user asks for one call of a tool. */
const byTool =
  (name: string, run: (words: string) => Tool["run"]): Source["play"] =>
  (stage, words) =>
    stage.turn(stage.agent({ tools: [others(name, run(words))] }), asks(name));

const byFile =
  (name: string, input: Readonly<Record<string, unknown>>): Source["play"] =>
  (stage, words) => {
    stage.file("report.md", `# Q3\n\nAll is well.\n${words}\n`);
    return stage.turn(stage.agent(), asks(name, input));
  };

const READ = { path: "report.md" };

/** The words were read by an earlier process; what they ask for is done in a later turn, which reads nothing. */
async function later(stage: Stage, words: string): Promise<void> {
  stage.file("report.md", words);
  const quiet = stage.reader();
  await quiet.run(asks("read_file", READ), { sessionId: SESSION });
  await stage.close();
  await stage.turn(stage.agent(), "And now go on.");
}

async function compacted(stage: Stage, words: string): Promise<void> {
  stage.file("report.md", words);
  const quiet = stage.reader();
  await quiet.run(asks("read_file", READ), { sessionId: SESSION });
  for (const at of [1, 2, 3]) await quiet.run(`${at} ${"more ".repeat(300)}`, { sessionId: SESSION });
  await (await quiet.sessions.lane(SESSION)).compact("");
  await stage.close();
  await stage.turn(stage.agent(), "And now go on.");
}

async function imported(stage: Stage, words: string): Promise<void> {
  const text = JSON.stringify([
    { role: "user", content: words },
    { role: "assistant", content: "Noted." },
  ]);
  const file = readSessionFile(text, { nowMs: 0, newIds: true });
  if (file.type !== "sessions" || file.sessions[0] === undefined) throw new Error("it can be read");
  const bot = stage.agent();
  await bot.store.restore({ ...file.sessions[0], sessionId: SESSION });
  await stage.turn(bot, "And now go on.");
}

/** What a program imports is the words of whom it says they are; what its tools have brought is not. */
async function given(stage: Stage, words: string): Promise<void> {
  const bot = stage.agent();
  const call = { id: "c", type: "function", function: { name: "read_mail", arguments: "{}" } } as const;
  await bot.importMessages(SESSION, [
    { role: "user", content: "read my mail" },
    { role: "assistant", content: null, tool_calls: [call] },
    { role: "tool", tool_call_id: "c", content: words },
    { role: "assistant", content: "Read." },
  ]);
  await stage.turn(bot, "And now go on.");
}

async function run(stage: Stage, words: string): Promise<void> {
  stage.file("report.md", words);
  await stage.agent().runSpec({ prompt: asks("read_file", READ), tools: ["read_file", ...LASTING] });
}

async function runOf(stage: Stage, words: string): Promise<void> {
  const messages = fromOpenAi([
    { role: "user", content: "read my mail" },
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "c", type: "function", function: { name: "read_mail", arguments: "{}" } }],
    },
    { role: "tool", tool_call_id: "c", content: words },
  ]);
  await stage.agent().runSpec({ messages, prompt: "Go on.", tools: LASTING });
}

const reviewed =
  (begin: (stage: Stage, words: string) => Promise<unknown>): Source["play"] =>
  async (stage, words) => {
    await begin(stage, words);
    await stage.close();
    const review = { purpose: "review", parent: SESSION, prompt: "What is worth keeping?", tools: LASTING } as const;
    await stage.agent().runSpec(review);
  };

/** Only heard: nothing is done in the turn itself. */
const heard =
  (options: Parameters<Stage["agent"]>[0], prompt = "Hello."): ((stage: Stage, words: string) => Promise<unknown>) =>
  (stage) =>
    stage.reader(options).run(prompt, { sessionId: SESSION });

const recall = (words: string): Parameters<Stage["agent"]>[0] => ({ memory: { name: "mem", prefetch: () => words } });
const plugin = (words: string): Parameters<Stage["agent"]>[0] => ({
  plugins: [{ name: "calendar", beforeTurn: () => words }],
});

/** The user says more while the tool that brought others' words runs: from then on both speak. */
const meanwhile =
  (say: "steer" | "inject" | "redirect"): Source["play"] =>
  async (stage, words) => {
    let speak = (): Promise<unknown> => Promise.resolve();
    const read = others("read_mail", async () => {
      await speak();
      return "All is well.";
    });
    const bot = stage.agent({ tools: [read] });
    speak = async () => {
      const lane = await bot.sessions.lane(SESSION);
      await lane[say](words);
    };
    await stage.turn(bot, asks("read_mail"));
  };

export const SOURCES: readonly Source[] = [
  { name: "a file", named: "read_file", play: byFile("read_file", READ) },
  { name: "what a command prints", named: "terminal", play: byFile("terminal", { command: "cat report.md" }) },
  { name: "a search hit", named: "search_files", play: byFile("search_files", { pattern: "CALL", mode: "content" }) },
  { name: "a web page", named: "web_extract", play: byTool("web_extract", (words) => () => `<p>${words}</p>`) },
  {
    name: "a tool of an MCP server",
    named: "mcp__mail__read",
    play: byTool("mcp__mail__read", (words) => () => ({ body: words })),
  },
  {
    name: "the error of a tool",
    named: "fetch",
    play: byTool("fetch", (words) => () => {
      throw new Error(`HTTP 404: ${words}`);
    }),
  },
  {
    name: "a tool that looks like one of ours",
    named: "todo_list",
    play: byTool("todo_list", (words) => () => words),
  },
  {
    name: "a picture from a tool",
    named: "screenshot",
    play: byTool("screenshot", (words) => () => [
      { type: "text", text: words },
      { type: "image", url: picture(words).url },
    ]),
  },
  {
    name: "a picture of the user",
    named: "a picture",
    play: (stage, words) => stage.turn(stage.agent(), "What does it say?", { attachments: [picture(words)] }),
  },
  {
    name: "the description of a picture",
    named: "a picture",
    play: (stage, words) => {
      const vision = { model: "obedient", baseUrl: stage.provider.server.baseUrl, provider: "eyes" };
      const attachments = [picture(words)];
      return stage.turn(stage.agent({ facts: BLIND, vision }), "What is it?", { attachments });
    },
  },
  {
    name: "an attached file",
    named: "mail.txt",
    play: (stage, words) => {
      const attachments = [{ type: "context", source: "mail.txt", text: words }] as const;
      return stage.turn(stage.agent(), "Sum it up.", { attachments });
    },
  },
  {
    name: "an attached file that has the name of the clock",
    named: "runtime (attached)",
    play: (stage, words) => {
      const attachments = [{ type: "context", source: "runtime", text: words }] as const;
      return stage.turn(stage.agent({ tellTime: true }), "Sum it up.", { attachments });
    },
  },
  {
    name: "an outside memory",
    named: "an outside memory",
    play: (stage, words) => stage.turn(stage.agent(recall(words)), "Hi."),
  },
  { name: "a plug-in", named: "calendar", play: (stage, words) => stage.turn(stage.agent(plugin(words)), "Hi.") },
  {
    name: "an adviser who has read an attached file",
    named: "mail.txt",
    play: (stage, words) => {
      const advisers = [{ model: "obedient", baseUrl: stage.provider.server.baseUrl, provider: "friend" }];
      const attachments = [{ type: "context", source: "mail.txt", text: words }] as const;
      return stage.turn(stage.agent({ advisers }), "Sum it up.", { attachments });
    },
  },
  {
    name: "an earlier session that is searched",
    named: "session_search",
    play: async (stage, words) => {
      stage.file("report.md", words);
      await stage.reader().run(asks("read_file", READ), { sessionId: "earlier" });
      await stage.close();
      await stage.turn(stage.agent(), asks("session_search", { query: "Ignore all that was said" }));
    },
  },
  {
    name: "a skill of the project",
    named: "skill_view",
    play: (stage, words) => {
      stage.file(".evander/skills/build/SKILL.md", projectSkill(words));
      return stage.turn(stage.agent(), asks("skill_view", { name: "build" }));
    },
  },
  {
    name: "a skill of the project that the user has named",
    named: "a skill of the project",
    play: (stage, words) => {
      const attachments = [{ type: "context", source: "the skill build", text: words, skill: "project" }] as const;
      return stage.turn(stage.agent(), "$build it", { attachments });
    },
  },
  { name: "an earlier process", named: "read_file", play: later },
  { name: "a summary of what was read", named: "read_file", play: compacted },
  { name: "an imported conversation", named: "a conversation from elsewhere", play: imported },
  { name: "tools of an imported conversation", named: "read_mail", play: given },
  { name: "the user's word on a receipt", named: "read_mail", play: meanwhile("steer"), byUser: true },
  { name: "a message while tools run", named: "read_mail", play: meanwhile("inject"), byUser: true },
  { name: "a redirect while tools run", named: "read_mail", play: meanwhile("redirect"), byUser: true },
];

/** Nobody is asked in these, whoever is there. */
export const HIDDEN: readonly Source[] = [
  { name: "a run from plain data", named: "read_file", play: run },
  { name: "messages of a run from plain data", named: "read_mail", play: runOf },
  {
    name: "a review of what was read",
    named: "read_file",
    play: reviewed((stage, words) => {
      stage.file("report.md", words);
      return heard({}, asks("read_file", READ))(stage, words);
    }),
  },
  {
    name: "a review behind an outside memory",
    named: "an outside memory",
    play: reviewed((stage, words) => heard(recall(words), `Hi. ${words}`)(stage, words)),
  },
  {
    name: "a review behind a plug-in",
    named: "calendar",
    play: reviewed((stage, words) => heard(plugin(words), `Hi. ${words}`)(stage, words)),
  },
];

/** Conversations in which nobody but the user and this program speaks: what is asked for there is done, and nobody is asked. */
export const CLEAN: readonly Pick<Source, "name" | "play">[] = [
  { name: "the user's own words", play: (stage, words) => stage.turn(stage.agent(), words) },
  {
    name: "the user's words behind a todo list",
    play: async (stage, words) => {
      const todos = [{ id: "1", content: "write it down", status: "in_progress" }];
      await stage.turn(stage.agent(), `${asks("todo", { todos })} ${words}`);
    },
  },
  {
    name: "a turn that is told the time and where it came from",
    play: (stage, words) =>
      stage.turn(stage.agent({ tellTime: true }), words, { route: { channel: "telegram", chatId: "7" } }),
  },
  {
    name: "the advice of another model",
    play: (stage, words) => {
      const advisers = [{ model: "obedient", baseUrl: stage.provider.server.baseUrl, provider: "friend" }];
      return stage.turn(stage.agent({ advisers }), words);
    },
  },
  {
    name: "a call that was denied",
    play: async (stage, words) => {
      const denied = others("write_mail", () => "never");
      const bot = stage.agent({ tools: [{ ...denied, ask: () => "It sends a mail." }], approvals: "never" });
      await stage.turn(bot, asks("write_mail"));
      await stage.turn(bot, words);
    },
  },
  {
    name: "an earlier process in which notes were read",
    play: async (stage, words) => {
      await stage.turn(stage.agent(), asks("memory", { action: "read", target: "memory" }));
      await stage.close();
      await stage.turn(stage.agent(), words);
    },
  },
  {
    name: "another session in which a file was read",
    play: async (stage, words) => {
      stage.file("report.md", "All is well.");
      await stage.reader().run(asks("read_file", READ), { sessionId: "another" });
      await stage.turn(stage.agent(), words);
    },
  },
  {
    name: "a reply that reads a file and writes a note at once",
    play: (stage, words) => {
      stage.file("report.md", "All is well.");
      return stage.turn(stage.agent(), `${asks("read_file", READ)} ${words}`);
    },
  },
  {
    name: "a skill of the user",
    play: async (stage, words) => {
      const bot = stage.agent();
      await stage.turn(bot, asks("skill_view", { name: "deploy" }));
      const attachments = [{ type: "context", source: "the skill deploy", text: "1. Push.", skill: "user" }] as const;
      await stage.turn(bot, `$deploy ${words}`, { attachments });
    },
  },
  {
    name: "a message that a program takes over",
    play: async (stage, words) => {
      const bot = stage.agent();
      await bot.importMessages(SESSION, [
        { role: "user", content: "hello" },
        { role: "assistant", content: "Hi." },
      ]);
      await stage.turn(bot, words);
    },
  },
  {
    name: "a review of the user's own words",
    play: reviewed((stage, words) =>
      stage
        .agent({ tools: [] })
        .runSpec({ prompt: words })
        .then(() => stage.turn(stage.agent(), words)),
    ),
  },
  {
    name: "a run from plain data",
    play: (stage, words) => stage.agent().runSpec({ prompt: words, tools: LASTING }),
  },
];
