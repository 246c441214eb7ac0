import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough, Readable, Writable } from "node:stream";
import type { AgentOptions } from "../../src/agent/options.ts";
import type { Adapters, RuntimeOptions } from "../../src/cli/adapters.ts";
import type { Io, Signal } from "../../src/cli/io.ts";
import { ProgramRun } from "../../src/cli/program.ts";
import { chosenTools } from "../../src/cli/tool-choice.ts";
import { loginByDevice } from "../../src/credentials/device-login.ts";
import { openKeyChest } from "../../src/credentials/chest.ts";
import { factsOf } from "../../src/agent/find-model.ts";
import { agentOn, openStore } from "../../src/agent/agent.ts";
import { classifyGiven } from "../../src/model/classify-given.ts";
import { knownModels } from "../../src/model/catalogue/facts.ts";
import { tryModel } from "../../src/model/try-model.ts";
import { mcpBook } from "../../src/program/mcp-source.ts";
import { openSkillDesk } from "../../src/program/skill-desk.ts";
import type { ProviderAnswer, ProviderRow } from "../../src/protocol/provider.ts";
import type { TurnResult } from "../../src/protocol/result.ts";
import { lastingTools, openNotes } from "../../src/program/lasting-tools.ts";
import { checkSandbox } from "../../src/program/sandbox.ts";
import { checkTurnFiles, keptFiles, openTurnFiles } from "../../src/program/checkpoints.ts";
import { pastDreams } from "../../src/program/dreaming.ts";
import { openHands } from "../../src/program/hands.ts";
import { rulesIn } from "../../src/agent/rules.ts";
import { programReviews } from "../../src/program/reviews.ts";
import { processesOf } from "../../src/program/terminal.ts";
import { programDreams } from "../../src/program/dreams.ts";
import { judgedPrompt, newPrompt, promptMaker, promptPlaces, windowOf } from "../../src/program/prompt.ts";
import { exactTokens } from "../../src/context/exact-tokens.ts";
import { namedSkills } from "../../src/context/skills/refer.ts";
import { skillsOfRun, skillsOn, usableSkills } from "../../src/program/skills.ts";
import { storeCare } from "../../src/program/store-care.ts";
import { replayOf } from "../../src/agent/replaying.ts";
import { keptKeys, ownerSecrets } from "../../src/program/owner-secrets.ts";
import { memoryStore } from "../../src/store/memory.ts";
import { openAudit } from "../../src/store/sqlite/open-audit.ts";
import { binaryKind } from "../../src/tools/files/binary.ts";
import { readPicture } from "../../src/tools/pictures/read-picture.ts";
import type { Tool } from "../../src/protocol/tool.ts";

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A person at a terminal. */
export interface Seat {
  type(keys: string): void;
  /** Where the terminal is closed, or Ctrl-D is pressed at the beginning of a line. */
  leave(): void;
  readonly stdin: Readable;
  readonly ended: Promise<Ran>;
  /**
   * As that of the world, for this run alone: behind the last place where another text was shown. Rejects when the run ends
   * without it.
   */
  shown(text: string, mark?: string): Promise<void>;
}

interface Surroundings {
  readonly terminal?: boolean;
  readonly env?: NodeJS.ProcessEnv;
}

/** Keeps what is written, and tells who waits for a text. */
class Screen extends Writable {
  text = "";
  readonly isTTY: boolean;
  readonly columns = 80;
  private readonly waiters: (() => void)[] = [];

  constructor(isTTY: boolean) {
    super();
    this.isTTY = isTTY;
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.text += chunk.toString("utf8");
    for (const wake of this.waiters.splice(0)) wake();
    done();
  }

  async shown(text: string, times: number, mark: string): Promise<void> {
    while (!this.shows(text, times, mark)) await new Promise<void>((resolve) => this.waiters.push(resolve));
  }

  shows(text: string, times: number, mark: string): boolean {
    return this.behind(mark).split(text).length > times;
  }

  private behind(mark: string): string {
    const at = mark === "" ? 0 : this.text.lastIndexOf(mark);
    return at < 0 ? "" : this.text.slice(at + mark.length);
  }
}

/** The program in this process: real arguments, real store in a folder of its own, a model of the test's choice. */
export class ProgramWorld implements AsyncDisposable {
  readonly folder: string;
  /** What comes of looking for a model. */
  search: ProviderAnswer;
  /** What a survey of providers finds. */
  rows: readonly ProviderRow[] = [];
  /** Whether the model is offered the tools that write for later sessions, behind those of the test. */
  lasting = false;
  /** The skills that come with the program; as usual none. */
  skillsFolder = "";
  private readonly tools: readonly Tool[];
  private readonly owns: boolean;
  private readonly listeners = new Set<(signal: Signal) => void>();
  private sessions = 0;
  private stdout = new Screen(false);
  private stderr = new Screen(false);

  private constructor(folder: string, search: ProviderAnswer, tools: readonly Tool[], owns = true) {
    this.owns = owns;
    this.folder = folder;
    this.search = search;
    this.tools = tools;
  }

  static async open(search: ProviderAnswer, tools: readonly Tool[] = []): Promise<ProgramWorld> {
    return new ProgramWorld(await realpath(await mkdtemp(join(tmpdir(), "evander-cli-"))), search, tools);
  }

  static async onServer(baseUrl: string, tools: readonly Tool[] = []): Promise<ProgramWorld> {
    const model = { type: "found", provider: "custom", model: "fake-1", baseUrl, apiKey: undefined } as const;
    return ProgramWorld.open({ ...model, source: "OPENAI_BASE_URL" }, tools);
  }

  /** In a folder of somebody else's, who removes it. */
  static in(folder: string, search: ProviderAnswer): ProgramWorld {
    return new ProgramWorld(folder, search, [], false);
  }

  /** Another process in the same folder. */
  again(): ProgramWorld {
    const world = new ProgramWorld(this.folder, this.search, this.tools, false);
    world.lasting = this.lasting;
    world.skillsFolder = this.skillsFolder;
    return world;
  }

  /** What the terminal sends to the process. */
  signal(signal: Signal): void {
    for (const listener of this.listeners) listener(signal);
  }

  /** One command line, to its end. */
  async run(argv: readonly string[], stdin: string | Readable = "", around: Surroundings = {}): Promise<Ran> {
    const { terminal = false, env = {} } = around;
    const [stdout, stderr] = [new Screen(terminal), new Screen(terminal)];
    Object.assign(this, { stdout, stderr });
    const io: Io = {
      stdin: typeof stdin === "string" ? Readable.from([Buffer.from(stdin)]) : stdin,
      stdout,
      stderr,
      env: { EVANDER_HOME: join(this.folder, "state"), EVANDER_SANDBOX_MODE: "off", ...env },
      cwd: this.folder,
      home: this.folder,
      platform: process.platform,
      systemFolder: join(this.folder, "system"),
      onSignal: (listener) => {
        this.listeners.add(listener);
        return () => this.listeners.delete(listener);
      },
      onExit: () => () => undefined,
      suspend: (resumed) => resumed(),
    };
    const code = await new ProgramRun(argv, io).end(this.adapters(io));
    return { code, stdout: stdout.text, stderr: stderr.text };
  }

  /** The same with a person at a terminal. */
  sit(argv: readonly string[], env: NodeJS.ProcessEnv = {}): Seat {
    const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => undefined });
    const ended = this.run(argv, stdin, { terminal: true, env });
    const { stdout, stderr } = this;
    const shown = (text: string, mark = ""): Promise<void> => {
      const never = ended.then(() => {
        if (stdout.shows(text, 1, mark) || stderr.shows(text, 1, mark)) return;
        throw new Error(`It never showed ${text}:\n${stdout.text}\n${stderr.text}`);
      });
      return Promise.race([stdout.shown(text, 1, mark), stderr.shown(text, 1, mark), never]);
    };
    return { type: (keys) => stdin.write(keys), leave: () => stdin.end(), stdin, ended, shown };
  }

  /** Resolves when the newest run has shown this text, so many times, on one of the streams. */
  async shown(text: string, times = 1): Promise<void> {
    await Promise.race([this.stdout.shown(text, times, ""), this.stderr.shown(text, times, "")]);
  }

  /** What the newest run has told people so far. */
  told(): string {
    return this.stderr.text;
  }

  /** `evander -p … --output json`, with its one result. */
  async ask(prompt: string, ...flags: readonly string[]): Promise<TurnResult> {
    const { code, stdout } = await this.run(["-p", prompt, "--output", "json", ...flags]);
    const result = JSON.parse(stdout) as TurnResult;
    if (result.exit.code !== code) throw new Error(`the result says ${result.exit.code}, the process ${code}`);
    return result;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.owns) await rm(this.folder, { recursive: true });
  }

  private adapters(io: Io): Adapters {
    const openSkills = skillsOn(io, this.skillsFolder);
    return {
      findModel: () => Promise.resolve(this.search),
      describeModel: factsOf,
      knownModels,
      loginByDevice,
      openKeys: async (asked) => openKeyChest(asked.keyFolder, Date.now),
      tryModel: (model) =>
        model.type === "found" ? tryModel(model) : Promise.reject(new Error("this world has no practice model")),
      classifyFailure: (given) => classifyGiven(given, Date.now()),
      surveyProviders: () => Promise.resolve(this.rows),
      replay: replayOf,
      ownSecrets: async (folders) => [...ownerSecrets(io.env, folders), ...(await keptKeys(folders))],
      checkStore: () => Promise.resolve({ type: "absent" }),
      openAudit: (folder) => Promise.resolve(openAudit(join(folder, "evander.db"))),
      storeCare: () => Promise.resolve(storeCare()),
      openStore: ({ folder, sync }) => Promise.resolve(openStore(folder, sync)),
      memoryStore: () => Promise.resolve(memoryStore()),
      exactTokens: (model) => exactTokens(model),
      fileKind: (start) => Promise.resolve(binaryKind(start)),
      readPicture,
      openTurnFiles,
      checkTurnFiles,
      checkSandbox: (settings) => checkSandbox(settings, io),
      openNotes,
      openRules: async (folders, cwd) => rulesIn(folders, cwd),
      openSkills,
      backgroundProcesses: processesOf,
      pastDreams: (folders) => Promise.resolve(pastDreams(folders)),
      openHands: (options) =>
        openHands(options, io, { skillsFolder: this.skillsFolder, docsFolder: "", version: () => "" }),
      openRuntime: async (options) => {
        const { tools, model, store, settings, approvals, attended, language, log, trace, ...more } = options;
        if (model.type === "practice") throw new Error("this world has no practice model");
        const { shelf, warnings } = await skillsOfRun(options, io, this.skillsFolder);
        const prompt = promptMaker(promptPlaces(options, io), shelf);
        const chosen = chosenTools([...this.tools, ...(this.lasting ? lastingTools(options, shelf) : [])], tools);
        const kept = keptFiles(options, io);
        const dreams = programDreams(options, chosen);
        const reviews = programReviews(options);
        const { apiKey: _none, ...choice } = model;
        const agent = agentOn(store, {
          ...choice,
          prompt,
          refer: (text) => namedSkills(shelf, text),
          tools: chosen,
          ...(settings.maxIterations !== undefined && { maxIterations: settings.maxIterations }),
          ...(settings.maxTimeMs !== undefined && { maxTimeMs: settings.maxTimeMs }),
          ...(settings.maxCost !== undefined && { maxCost: settings.maxCost }),
          ...(settings.maxSessionCost !== undefined && { maxSessionCost: settings.maxSessionCost }),
          ...(settings.maxDayCost !== undefined && { maxDayCost: settings.maxDayCost }),
          approvals,
          ...(more.folders !== undefined &&
            more.limitsFolder !== undefined && { rules: rulesIn(more.folders, more.cwd) }),
          retry: settings.retry,
          stream: settings.stream,
          language,
          guardrails: { hardStop: !attended, ...settings.guardrails },
          failOnToolError: settings.failOnToolError === true,
          onDiagnostic: log,
          trace,
          ...fallbackIn(settings),
          ...dreams.daily,
          ...reviews.options,
          ...kept?.around,
          ...more,
        });
        const runCommand = (command: string) =>
          Promise.resolve({ text: `Exit code 0 after 0.1 s.\n${command}`, failed: false });
        return {
          sessions: agent.sessions,
          warnings,
          tools: chosen,
          contextWindow: windowOf(model),
          newPrompt: () => newPrompt(prompt, model, chosen),
          leaveSession: () => Promise.resolve(),
          judgePrompt: (stored) => judgedPrompt(stored, prompt, model),
          skills: () => usableSkills(shelf),
          runCommand,
          reviews: reviews.on(agent),
          dream: dreams.asked((spec) => agent.runSpec(spec)),
          close: () => agent.close(),
        };
      },
      skillsFolder: this.skillsFolder,
      openMcpBook: (place) => mcpBook(place, io),
      openSkillDesk: (place) => openSkillDesk(place, io, this.skillsFolder),
      docsFolder: join(import.meta.dirname, "../../docs"),
      newSessionId: () => `session-${++this.sessions}`,
      version: () => "0.0.0-test",
    };
  }
}

/** PROVIDER/MODEL, where the settings say that provider is. */
const fallbackIn = ({ fallback = [], providers }: RuntimeOptions["settings"]): Pick<AgentOptions, "fallback"> => ({
  fallback: fallback.map((name) => {
    const [provider = "", model = ""] = name.split("/");
    return { provider, model, baseUrl: providers.find((it) => it.name === provider)?.baseUrl ?? "" };
  }),
});
