import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { openStore } from "../../src/agent/agent.ts";
import { type Agent, agent, type AgentOptions, type StartOptions, type Store, type Tool } from "../../src/index.ts";
import { type Folders, rootFolders } from "../../src/config/folders.ts";
import { settingsFrom } from "../../src/config/settings.ts";
import { trustFolder } from "../../src/config/trust.ts";
import { lastingTools } from "../../src/program/lasting-tools.ts";
import { openNotes } from "../../src/program/notes.ts";
import type { NoteBook } from "../../src/protocol/memory.ts";
import type { SkillShelf } from "../../src/protocol/skill.ts";
import { skillsOn } from "../../src/program/skills.ts";
import { type BuiltInOptions, builtInTools } from "../../src/tools/built-in.ts";
import type { EndlessProvider } from "../support/endless-provider.ts";
import { NOTES, SKILL } from "./effects.ts";
import { type Order, ordered } from "./obedient.ts";

/** Who is there to be asked: nobody, nobody who is asked, somebody later, a person who says no or yes. */
export type Answer = (typeof ANSWERS)[number];
export const ANSWERS = ["never", "all", "park", "no", "yes"] as const;

export const SESSION = "s";
/** The chat in which its turns are asked for. */
const ROUTE = { channel: "telegram", chatId: "7" } as const;

type Always = Partial<Omit<AgentOptions, "tools">> & {
  /** Tools that stand beside those of the program, of the folder that all of it plays in. */
  readonly tools?: (folder: string) => readonly Tool[];
};

/** One agent after the other on one folder, with real notes, real tools and a model that obeys. */
export class Stage implements AsyncDisposable {
  readonly folder: string = mkdtempSync(join(tmpdir(), "evander-injection-"));
  readonly work: string = join(this.folder, "work");
  readonly data: string = join(this.folder, "data");
  readonly book: NoteBook = openNotes({ data: this.data });
  readonly shelf: SkillShelf;
  /** For whoever looks into earlier sessions. */
  private readonly earlier: Store = openStore(join(this.folder, "store"));
  /** What a person was asked. */
  readonly questions: string[] = [];
  readonly provider: EndlessProvider;
  readonly answer: Answer;
  private readonly always: Partial<AgentOptions>;
  private readonly beside: readonly Tool[];
  private readonly open: Agent[] = [];

  /** `always`: what all its agents are made with. */
  constructor(provider: EndlessProvider, answer: Answer, { tools, ...always }: Always = {}) {
    this.provider = provider;
    this.always = always;
    this.beside = tools?.(this.folder) ?? [];
    this.answer = answer;
    mkdirSync(this.work);
    mkdirSync(join(this.data, "memory"), { recursive: true });
    writeFileSync(join(this.data, "memory/MEMORY.md"), `${NOTES.memory}\n`);
    writeFileSync(join(this.data, "memory/USER.md"), `${NOTES.user}\n`);
    mkdirSync(join(this.data, "skills/deploy"), { recursive: true });
    writeFileSync(join(this.data, "skills/deploy/SKILL.md"), SKILL);
    trustFolder(this.data, this.work);
    const io = { env: { EVANDER_HOME: this.data }, home: this.folder, platform: process.platform };
    this.shelf = skillsOn(io, join(this.folder, "bundled"))({ folders: this.folders, cwd: this.work });
  }

  /** A new process that can write nothing down. */
  reader(options: Partial<AgentOptions> = {}): Agent {
    return this.begin({ approvals: "never", ...options, tools: builtInTools(this.place) });
  }

  /** A new process. */
  agent(options: Partial<AgentOptions> = {}): Agent {
    return this.begin({ ...options, tools: [...this.tools(), ...(options.tools ?? [])] });
  }

  /** As the program has them. */
  tools(): readonly Tool[] {
    const { folders, data: limitsFolder, earlier: store } = this;
    const settings = settingsFrom(new Map());
    const lasting = lastingTools({ folders, settings, limitsFolder, store }, this.shelf);
    return [...builtInTools(this.place), ...lasting, ...this.beside];
  }

  private begin(options: Partial<AgentOptions>): Agent {
    const { answer, provider, folder } = this;
    const bot = agent({
      baseUrl: provider.server.baseUrl,
      model: "obedient",
      store: join(folder, "store"),
      approvals: answer === "no" || answer === "yes" ? "ask" : answer,
      consolidate: false,
      ...this.always,
      ...options,
    });
    this.open.push(bot);
    return bot;
  }

  private get folders(): Folders {
    return rootFolders({ env: { EVANDER_HOME: this.data }, home: this.folder, platform: process.platform });
  }

  private get place(): BuiltInOptions {
    return { cwd: this.work, home: this.folder, env: { PATH: process.env["PATH"] } };
  }

  /** One turn, its questions answered. */
  async turn(bot: Agent, prompt: string, options: StartOptions = {}): Promise<string> {
    const turn = bot.start(prompt, { sessionId: SESSION, route: ROUTE, ...options });
    for await (const event of turn) {
      if (event.type !== "approval-requested") continue;
      const lane = await bot.sessions.lane(options.sessionId ?? SESSION);
      for (const call of lane.asked) {
        this.questions.push(call.why);
        if (this.answer === "park") continue;
        await lane.approve(call.callId, this.answer === "yes");
      }
    }
    return (await turn).answer ?? "";
  }

  file(name: string, text: string): void {
    const path = join(this.work, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }

  /** All that later sessions would be told, byte for byte, by file. */
  told(): Readonly<Record<string, string>> {
    const files = ["memory/MEMORY.md", "memory/USER.md"].map((name) => [
      name,
      readFileSync(join(this.data, name), "utf8"),
    ]);
    return Object.fromEntries([...files, ...this.skills()]) as Record<string, string>;
  }

  private skills(): (readonly [string, string])[] {
    const root = join(this.data, "skills");
    if (statSync(root, { throwIfNoEntry: false }) === undefined) return [];
    const names = readdirSync(root, { recursive: true, encoding: "utf8" }).toSorted();
    // What waits for a person, and what was replaced, lies beside them.
    return names
      .filter((name) => !name.startsWith(".") && statSync(join(root, name)).isFile())
      .map((name) => [`skills/${name}`, readFileSync(join(root, name), "utf8")]);
  }

  async close(): Promise<void> {
    for (const bot of this.open.splice(0)) await bot.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
    this.earlier.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** What writes for later sessions, and what a review may read. */
export const LASTING = ["memory", "skills_list", "skill_view", "skill_manage"] as const;

/** What a user asks for who wants this tool to be called. */
export const asks = (tool: string, input: Order["input"] = {}): string => ordered({ tool, input });
