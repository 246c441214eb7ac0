import { mkdirSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Adapters, Runtime, RuntimeOptions } from "./cli/adapters.ts";
import { type Io, SIGNALS } from "./cli/io.ts";
import { asksForVersion, printVersion } from "./cli/version.ts";
import { rootFolders, systemFolder } from "./config/folders.ts";
import { findModel, providerQuery, serveModel } from "./find-model.ts";
import type { AgentOptions } from "./index.ts";
import type { Tool } from "./protocol/tool.ts";

const version = (): string => {
  const manifest = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as { version: string };
  return manifest.version;
};

const io: Io = {
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  cwd: process.cwd(),
  home: homedir(),
  platform: process.platform,
  systemFolder: systemFolder(process.platform, process.env),
  onSignal: (listener) => {
    for (const signal of SIGNALS) process.on(signal, listener);
    return () => {
      for (const signal of SIGNALS) process.off(signal, listener);
    };
  },
  onExit: (restore) => {
    process.on("exit", restore);
    return () => process.off("exit", restore);
  },
  suspend: (resumed) => {
    process.once("SIGCONT", resumed);
    // The shell waits for all that it started, such as npm.
    process.kill(0, "SIGTSTP");
  },
};

const adapters: Adapters = {
  version,
  docsFolder: fileURLToPath(new URL("../docs", import.meta.url)),
  newSessionId: () => crypto.randomUUID(),
  findModel: (asked) => findModel(asked, io),
  surveyProviders: async ({ ask, ...asked }) => {
    const query = { ...(await providerQuery(asked, io)), home: io.home };
    const found = await (await import("./model/survey.ts")).surveyProviders(query);
    if (ask === "nothing") return found.map(({ row }) => row);
    if (ask === "lists") return (await import("./model/list-hosted.ts")).listHosted(found);
    return (await import("./model/ask-providers.ts")).askProviders(found, query, ask);
  },
  checkStore: async (folder) => (await import("./store/sqlite/check.ts")).checkSqliteStore(join(folder, "evander.db")),
  openStore: async ({ folder, sync }) => {
    const store = (await import("./index.ts")).openStore(folder, sync);
    makeCache();
    return store;
  },
  memoryStore: async () => (await import("./store/memory.ts")).memoryStore(),
  fileKind: async (start) => (await import("./tools/files/binary.ts")).binaryKind(start),
  openRuntime,
};

/** Whoever keeps sessions here may keep compiled code too (bin/evander.cjs). */
function makeCache(): void {
  try {
    mkdirSync(rootFolders(io).cache, { recursive: true, mode: 0o700 });
  } catch {
    // It only saves time.
  }
}

const systemPrompt = (cwd: string): string =>
  [
    "You are Evander, a careful assistant working on the user's files. Use the tools when they help.",
    "Say plainly what you did and what you could not do.",
    `Working folder: ${cwd}`,
  ].join("\n");

/** The tools work in `cwd`; the practice model is served in this process, over the same wire as any other. */
async function openRuntime({
  model,
  store,
  settings,
  cwd,
  guarded,
  approvals,
  language,
  attended,
  tools,
  log,
  trace,
}: RuntimeOptions): ReturnType<Adapters["openRuntime"]> {
  const [{ agentOn }, { builtInTools }, { reduceTools }, { chosenTools }, { reducedTools }] = await Promise.all([
    import("./index.ts"),
    import("./tools/built-in.ts"),
    import("./tools/reduce-tools.ts"),
    import("./cli/tool-choice.ts"),
    import("./words/reduced-tools.ts"),
  ]);
  const system = systemPrompt(cwd);
  const builtIn = builtInTools({ cwd, home: homedir(), env: process.env, guarded });
  // What refuses comes before what has to be closed.
  const chosen = chosenTools(builtIn, tools);
  const served = await serveModel(model);
  const { apiKey, ...choice } = served.model;
  const reduced = reduceTools(chosen, { ...served.model.facts, ...served.model }, system);
  const extensions = settings.plugins === undefined ? {} : await loadPlugins(settings.plugins, log);
  const agent = agentOn(store, {
    tellTime: true,
    ...choice,
    ...(apiKey !== undefined && { apiKey }),
    system,
    tools: reduced.tools,
    ...(settings.effort !== undefined && { effort: settings.effort }),
    ...(settings.cacheTtl !== undefined && { cacheTtl: settings.cacheTtl }),
    ...(settings.maxIterations !== undefined && { maxIterations: settings.maxIterations }),
    ...(settings.maxTimeMs !== undefined && { maxTimeMs: settings.maxTimeMs }),
    approvals,
    retry: settings.retry,
    stream: settings.stream,
    language,
    ...extensions,
    guardrails: { hardStop: !attended, ...settings.guardrails },
    failOnToolError: settings.failOnToolError === true,
    onDiagnostic: log,
    trace,
  });
  const close = async (): Promise<void> => {
    await agent.close();
    await served.close();
  };
  const warnings = reducedTools({ ...served.model.facts, ...served.model }, reduced).map(
    (message) => ({ code: "tools_reduced", message }) as const,
  );
  return { sessions: agent.sessions, warnings, tools: reduced.tools, runCommand: ownCommands(builtIn), close };
}

/** A command that a person types runs as the tool runs it, and needs nobody's yes. */
const ownCommands =
  (tools: readonly Tool[]): Runtime["runCommand"] =>
  async (command, { signal, output }) => {
    const terminal = tools.find(({ name }) => name === "terminal");
    const context = { callId: "own", sessionId: "own", history: [], approved: "typed by a person", signal, output };
    try {
      const text = String(await terminal?.run({ command }, context));
      return { text, failed: terminal?.judge?.(text).failed === true };
    } catch (error) {
      return { text: error instanceof Error ? error.message : String(error), failed: true };
    }
  };

/** Only files that a person has named are loaded, never one that lies in a working folder. */
async function loadPlugins(
  paths: readonly string[],
  log: RuntimeOptions["log"],
): Promise<Pick<AgentOptions, "hooks" | "plugins" | "middleware" | "extensionTroubles">> {
  const { loadExtensions } = await import("./extend/load.ts");
  const { troubles, ...extensions } = await loadExtensions(paths, { cwd: io.cwd });
  for (const line of troubles) log({ level: "warn", line, fields: { event: "extension" } });
  return { ...extensions, extensionTroubles: troubles };
}

/** Whoever reads our output may leave at any time, and a terminal may be closed; the turn goes on (row A2). */
function onOutputError(error: NodeJS.ErrnoException): void {
  if (error.code !== "EPIPE" && error.code !== "EIO") lost = error;
}

/** An output that could not be written whole, on a full disk say, is no success. */
function onExit(): void {
  if (lost === undefined) return;
  process.stderr.write(
    `evander: output_lost: The output could not be written (${lost.message}); write it elsewhere.\n`,
  );
  process.exitCode = LOST_CODE;
}

/** The code of what cannot be kept. */
const LOST_CODE = 73;

let lost: Error | undefined;
process.stdout.on("error", onOutputError);
process.stderr.on("error", () => undefined);
process.on("exit", onExit);
const argv = process.argv.slice(2);
if (asksForVersion(argv)) printVersion(adapters, io, false);
else process.exitCode = await runProgram();

async function runProgram(): Promise<number> {
  const { ProgramRun } = await import("./cli/program.ts");
  const program = new ProgramRun(argv, io);
  // The last resort: what nobody caught is still reported in the form that was asked for.
  process.on("uncaughtException", (error) => process.exit(program.crashed(error)));
  return program.end(adapters);
}
