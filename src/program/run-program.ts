import { randomUUID } from "node:crypto";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Adapters, Installed, Runtime, RuntimeOptions } from "../cli/adapters.ts";

import { languageFor } from "../cli/flags.ts";
import { type Io, say } from "../cli/io.ts";
import { ProgramRun } from "../cli/program.ts";
import { chosenTools, offUnknown } from "../cli/tool-choice.ts";
import { rootFolders } from "../config/folders.ts";
import { factsOf, findModel, providerQuery, serveModel } from "../agent/find-model.ts";
import type { Around, PromptMaker } from "../agent/options.ts";
import { namedModel } from "../config/model-asked.ts";
import { agentOn, storeFile } from "../agent/agent.ts";
import { openWhenFree } from "../store/sqlite/open-when-free.ts";
import type { AgentOptions } from "../agent/options.ts";
import { closeAll } from "./close-all.ts";
import { openNotes } from "./lasting-tools.ts";
import { mcpSource } from "./mcp-source.ts";
import { knownModels } from "../model/catalogue/facts.ts";
import { childEnvironment } from "../protocol/child-environment.ts";
import { KeyFileError } from "../protocol/keys.ts";
import type { Sentence } from "../protocol/sentence.ts";
import { programDreams } from "./dreams.ts";
import { type Equipment, equipmentOf } from "./equipment.ts";
import { forgetting } from "./results.ts";
import { rulesOf } from "./rules.ts";
import { ownCommands } from "./own-commands.ts";
import { programReviews } from "./reviews.ts";
import { judgedPrompt, newPrompt, windowOf } from "./prompt.ts";
import { checkSandbox } from "./sandbox.ts";
import { checkTurnFiles, openTurnFiles } from "./checkpoints.ts";
import type { ProviderFound } from "../protocol/provider.ts";
import { DELEGATE_TASK } from "../protocol/delegation.ts";
import type { Tool } from "../protocol/tool.ts";
import { processesOf } from "./terminal.ts";
import { memoryStore } from "../store/memory.ts";
import { skillsOn, usableSkills } from "./skills.ts";
import { binaryKind } from "../tools/files/binary.ts";
import { type Reduced, reduceTools } from "../tools/reduce-tools.ts";
import { type Text, wordsIn } from "../words/language.ts";
import { reducedTools } from "../words/reduced-tools.ts";

/**
 * The program behind `version`, wired. What one prompt needs is imported here and lies in one file with it; what other
 * commands need beside that is loaded when they are called. Returns the exit code.
 */
export function runProgram(argv: readonly string[], io: Io, installed: Installed): Promise<number> {
  const program = new ProgramRun(argv, io);
  // The last resort: what nobody caught is still reported in the form that was asked for.
  process.on("uncaughtException", (error) => process.exit(program.crashed(error)));
  return program.end(adaptersOn(io, installed));
}

const adaptersOn = (io: Io, installed: Installed): Adapters => ({
  ...installed,
  newSessionId: () => randomUUID(),
  findModel: (asked) => findModel(asked, io),
  describeModel: factsOf,
  knownModels,
  openKeys: async (asked) => (await import("../agent/provider-keys.ts")).openKeys(asked, io),
  loginByDevice: async (authority, tell) =>
    (await import("../credentials/device-login.ts")).loginByDevice(authority, tell),
  tryModel,
  classifyFailure: async (given) => (await import("../model/classify-given.ts")).classifyGiven(given, Date.now()),
  surveyProviders: async ({ ask, ...asked }) => {
    const query = { ...(await usable(providerQuery(asked, io))), home: io.home };
    const found = await (await import("../model/survey.ts")).surveyProviders(query);
    if (ask === "nothing") return found.map(({ row }) => row);
    if (ask === "lists") return (await import("../model/list-hosted.ts")).listHosted(found);
    return (await import("../model/ask-providers.ts")).askProviders(found, query);
  },
  ownSecrets: async (folders) => {
    const { keptKeys, ownerSecrets } = await import("./owner-secrets.ts");
    return [...ownerSecrets(io.env, folders), ...(await keptKeys(folders))];
  },
  replay: async (turn) => (await import("../agent/replaying.ts")).replayOf(turn),
  checkStore: async (folder) => (await import("../store/sqlite/check.ts")).checkSqliteStore(join(folder, "evander.db")),
  openAudit: async (folder) => (await import("../store/sqlite/open-audit.ts")).openAudit(join(folder, "evander.db")),
  storeCare: async () => (await import("./store-care.ts")).storeCare(),
  openStore: async ({ folder, sync }) => {
    const onNotice = (notice: Sentence): void => say(io.stderr, wordsIn(notice, languageFor({}, io.env)));
    const store = await openWhenFree({ path: storeFile(folder), sync, onNotice });
    makeCache(io);
    return forgetting(store, folder);
  },
  memoryStore: () => Promise.resolve(memoryStore()),
  exactTokens: async (model) => (await import("../context/exact-tokens.ts")).exactTokens(model),
  fileKind: (start) => Promise.resolve(binaryKind(start)),
  readPicture: async (path, name) => (await import("../tools/pictures/read-picture.ts")).readPicture(path, name),
  openTurnFiles,
  checkTurnFiles,
  checkSandbox: (settings) => checkSandbox(settings, io),
  openNotes,
  openRules: async (folders, cwd) => (await import("../agent/rules.ts")).rulesIn(folders, cwd),
  openSkills: skillsOn(io, installed.skillsFolder),
  openSkillDesk: async (place) => (await import("./skill-desk.ts")).openSkillDesk(place, io, installed.skillsFolder),
  openMcpBook: async (place) => (await import("./mcp-source.ts")).mcpBook(place, io),
  openRuntime: (options) => openRuntime(options, io, installed),
  openHands: async (options) => (await import("./hands.ts")).openHands(options, io, installed),
  backgroundProcesses: processesOf,
  pastDreams: async (folders) => (await import("./dreaming.ts")).pastDreams(folders),
});

/** A file of keys that cannot be used is its user's to mend. */
async function usable<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof KeyFileError)) throw error;
    throw (await import("../cli/config/pool.ts")).keyFileRefusal(error);
  }
}

/** The practice model is tried as any other. */
async function tryModel(model: Parameters<Adapters["tryModel"]>[0]): ReturnType<Adapters["tryModel"]> {
  const served = await serveModel(model);
  try {
    return await (await import("../model/try-model.ts")).tryModel(served.model);
  } finally {
    await served.close();
  }
}

/** Whoever keeps sessions here may keep compiled code too (bin/evander.cjs). */
function makeCache(io: Io): void {
  try {
    mkdirSync(rootFolders(io).cache, { recursive: true, mode: 0o700 });
  } catch {
    // It only saves time.
  }
}

/** In a larger window there is room for any prompt and all tools, tokens. */
const SMALL_WINDOW = 65_536;

/** The tools that leave the model room to work beside its prompt. */
async function fittingTools(tools: readonly Tool[], model: ProviderFound, maker: PromptMaker): Promise<Reduced> {
  const isSmall = (windowOf(model) ?? Infinity) <= SMALL_WINDOW;
  const { text } = isSmall ? await newPrompt(maker, model, tools) : { text: "" };
  return reduceTools(tools, { ...model.facts, ...model }, text);
}

/** Whoever sees a wait can end it. */
const ATTENDED_WAIT_MS = 600_000;

/** The practice model is served in this process, over the same wire as any other. */
async function openRuntime(options: RuntimeOptions, io: Io, installed: Installed): Promise<Runtime> {
  const { model, store, settings, language, staysOpen, tools, log, trace, ...more } = options;
  const { shelf, revoked, prompt, builtIn, own, told, chargeTo, ...keeps } = await equipmentOf(options, io, installed);
  const dreams = programDreams(options, builtIn);
  const reviews = programReviews(options);
  // What refuses comes before what has to be closed.
  const all = [...builtIn, ...own.tools.map(({ tool }) => tool)];
  const chosen = chosenTools(all, tools, settings);
  const served = await serveModel(model);
  const { apiKey, ...choice } = served.model;
  const reduced = await fittingTools(chosen, served.model, prompt);
  const extensions = await loadPlugins(settings.plugins ?? [], io.cwd, { log, before: own.troubles });
  const agent = agentOn(store, {
    tellTime: true,
    consolidate: staysOpen === true && !SELDOM.has(settings.summaryWhen),
    ...choice,
    ...(apiKey !== undefined && { apiKey }),
    ...told,
    prompt,
    tools: reduced.tools,
    ...othersOf(settings, staysOpen === true),
    ...dreams.daily,
    ...reviews.options,
    ...aroundOf(more, io),
    ...keptBeside(keeps),
    ...(await ofServers(options, io, keeps)),
    ...(settings.fallback !== undefined && { fallback: settings.fallback.map(namedModel) }),
    ...passedOn(settings),
    ...attendance(options),
    ...childrenOf(settings, reduced.tools),
    ...rulesOf(options),
    stream: settings.stream,
    language,
    ...extensions,
    failOnToolError: settings.failOnToolError === true,
    onDiagnostic: log,
    trace,
  });
  chargeTo(agent.sessions);
  return {
    sessions: agent.sessions,
    warnings: [...toolWarnings({ model: served.model, reduced, all }, settings), ...revoked],
    tools: reduced.tools,
    contextWindow: windowOf(served.model),
    newPrompt: () => newPrompt(prompt, served.model, reduced.tools),
    judgePrompt: (stored) => judgedPrompt(stored, prompt, served.model),
    skills: () => usableSkills(shelf),
    runCommand: ownCommands(builtIn, told),
    reviews: reviews.on(agent),
    leaveSession: (sessionId) => keeps.processes.leave(sessionId),
    dream: dreams.asked((spec) => agent.runSpec(spec)),
    close: () => closeAll([agent, keeps.processes, keeps.sandbox, keeps.kept, served, keeps.results]),
  };
}

/** What depends on whether somebody sits there. */
const attendance = ({
  approvals,
  attended,
  settings: { approval, retry, guardrails },
}: RuntimeOptions): Pick<AgentOptions, "approvals" | "approvalMinutes" | "attended" | "retry" | "guardrails"> => ({
  approvals,
  ...(approval.minutes !== undefined && { approvalMinutes: approval.minutes }),
  attended,
  retry: attended ? { maxWaitMs: ATTENDED_WAIT_MS, ...retry } : retry,
  guardrails: { hardStop: !attended, ...guardrails },
});

/** Where the tool is not offered there are no children. */
function childrenOf(
  { children: { minutes, nested, ...limits } }: RuntimeOptions["settings"],
  tools: readonly Tool[],
): Pick<AgentOptions, "children"> {
  if (!tools.some(({ name }) => name === DELEGATE_TASK)) return {};
  return {
    children: {
      ...limits,
      depth: nested === true ? 2 : 1,
      ...(minutes !== undefined && { timeoutMs: minutes * 60_000 }),
    },
  };
}

/** What other programs bring: a memory, tools. */
async function ofServers(
  options: RuntimeOptions,
  io: Io,
  around: Pick<Equipment, "sandbox">,
): Promise<Pick<AgentOptions, "toolSource" | "memory">> {
  const toolSource = await mcpSource(options, io, { sandbox: around.sandbox });
  return { ...(await outsideMemory(options.settings, io)), ...(toolSource !== undefined && { toolSource }) };
}

interface Offered {
  readonly model: ProviderFound;
  readonly reduced: Reduced;
  readonly all: readonly Tool[];
}

const toolWarnings = ({ model, reduced, all }: Offered, settings: RuntimeOptions["settings"]): Runtime["warnings"] => [
  ...warned("tools_reduced", reducedBy(model, reduced)),
  ...warned("tools_off_unknown", offUnknown(all, settings)),
];

const warned = (code: Runtime["warnings"][number]["code"], messages: readonly Text[]): Runtime["warnings"] =>
  messages.map((message) => ({ code, message }));

/** What is kept beside the sessions, and goes on beside them. */
const keptBeside = ({ results, processes, kept }: Pick<Equipment, "results" | "processes" | "kept">): Around => ({
  results: results.files,
  beside: processes,
  leaves: (sessionId) => processes.leave(sessionId),
  ...kept?.around,
});

const reducedBy = (model: ProviderFound, reduced: Reduced): ReturnType<typeof reducedTools> =>
  reducedTools({ ...model.facts, ...model }, reduced);

/** When nothing is summed up between two turns. */
const SELDOM: ReadonlySet<string | undefined> = new Set(["needed", "never"]);

function passedOn(settings: RuntimeOptions["settings"]): Pick<AgentOptions, (typeof SAME)[number] | "approvalMinutes"> {
  const { minutes } = settings.approval;
  const same = SAME.flatMap((name) => (settings[name] === undefined ? [] : [[name, settings[name]] as const]));
  return { ...Object.fromEntries(same), ...(minutes !== undefined && { approvalMinutes: minutes }) };
}

/** Settings that are options by the same name. */
const SAME = ["effort", "cacheTtl", "maxIterations", "maxTimeMs", "maxCost", "maxSessionCost", "maxDayCost"] as const;

/** Whoever asks once and goes does not wait for a title. */
function othersOf(
  { visionModel, summaryModel, summaryWhen, titleModel, advisers, offline }: RuntimeOptions["settings"],
  staysOpen: boolean,
): Pick<AgentOptions, "vision" | "summary" | "title" | "advisers"> {
  const never = summaryWhen === "never" ? ({ summary: false } as const) : {};
  if (offline === true) return never;
  return {
    ...(summaryModel !== undefined && { summary: namedModel(summaryModel) }),
    ...never,
    ...(titleModel !== undefined && staysOpen && { title: namedModel(titleModel) }),
    ...(visionModel !== undefined && { vision: namedModel(visionModel) }),
    ...(advisers !== undefined && { advisers: advisers.map(namedModel) }),
  };
}

/** A program that a person has named; it is started when it is first asked, in their home folder. */
async function outsideMemory(
  { memoryServer }: RuntimeOptions["settings"],
  { home: cwd, env }: Io,
): Promise<Pick<AgentOptions, "memory">> {
  const [program, ...args] = memoryServer ?? [];
  if (program === undefined) return {};
  const [{ mcpMemory }, { openStdio }, { withoutSecrets }] = await Promise.all([
    import("../extend/mcp-memory.ts"),
    import("../tools/mcp/stdio-link.ts"),
    import("./notes.ts"),
  ]);
  const given = (): Promise<Record<string, string>> => Promise.resolve(childEnvironment(env));
  // Its owner chose where it keeps what it is told: it is not confined.
  const open = (): ReturnType<typeof openStdio> =>
    openStdio({ type: "stdio", command: program, args, cwd, env: given, needs: {} });
  return { memory: mcpMemory({ name: program, open, clean: withoutSecrets }) };
}

/** Another model is looked for in the config that the first one was found by. */
function aroundOf({ asked, limitsFolder, chosen }: Partial<RuntimeOptions>, io: Io): Around {
  const find: Around["find"] =
    asked &&
    (({ model, provider }) => {
      const { model: _model, provider: _provider, ...how } = asked;
      const named = { ...(typeof model === "string" && { model }), ...(provider !== undefined && { provider }) };
      return findModel({ ...how, ...named }, io);
    });
  return { find, ...(limitsFolder !== undefined && { limitsFolder }), ...(chosen !== undefined && { chosen }) };
}

/** Only files that a person has named are loaded, never one that lies in a working folder. */
async function loadPlugins(
  paths: readonly string[],
  cwd: string,
  { log, before }: Pick<RuntimeOptions, "log"> & { readonly before: readonly string[] },
): Promise<Pick<AgentOptions, "hooks" | "plugins" | "middleware" | "extensionTroubles">> {
  const { troubles, ...extensions } =
    paths.length === 0 ? { troubles: [] } : await (await import("../extend/load.ts")).loadExtensions(paths, { cwd });
  const extensionTroubles = [...before, ...troubles];
  for (const line of extensionTroubles) log({ level: "warn", line, fields: { event: "extension" } });
  return { ...extensions, extensionTroubles };
}
