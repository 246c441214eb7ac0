import { randomBytes } from "node:crypto";
import { mkdtemp, readdir, realpath, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Sandbox, Start } from "../../protocol/sandbox.ts";
import type { ToolContext } from "../../protocol/tool.ts";
import { NEVER_ASK } from "../terminal/interactive.ts";
import { limitNote } from "../terminal/limits.ts";
import { MARKER } from "../terminal/process-tree.ts";
import { type CommandEnd, runCommand } from "../terminal/run-command.ts";
import { limitsOf, type TerminalSettings } from "../terminal/settings.ts";
import { JAVASCRIPT_CLIENT, JAVASCRIPT_START, PYTHON_CLIENT, PYTHON_START } from "./clients.ts";
import type { Script } from "./script.ts";
import type { Language } from "./languages.ts";
import { serveCalls } from "./serve-calls.ts";

export interface Around {
  /** What a script gets to see. */
  readonly env: Readonly<Record<string, string>>;
  readonly context: ToolContext;
  readonly settings: TerminalSettings;
  readonly sandbox: Sandbox | undefined;
}

/** Characters: the path of a socket has 107 at most. */
const LONGEST_FOLDER = 70;

/** Runs a script to its end. Throws for one that was stopped; what it printed is in the message. */
export async function runScript(script: Script, around: Around): Promise<string> {
  const temporary = await realpath(tmpdir());
  const above = temporary.length > LONGEST_FOLDER ? "/tmp" : temporary;
  await removeLost(above);
  const folder = await mkdtemp(join(above, `evander-script-${process.pid}-`));
  try {
    return await runIn(folder, script, around);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Before that a process may be one that is not seen from here, as in another container. */
const LOST_MS = 3_600_000;

/** A process that was killed has left the folder of its script. */
async function removeLost(above: string): Promise<void> {
  for (const name of await readdir(above)) {
    const pid = /^evander-script-(?<pid>\d+)-/u.exec(name)?.groups?.["pid"];
    if (pid === undefined || isAlive(Number(pid))) continue;
    const folder = join(above, name);
    const { mtimeMs } = await stat(folder).catch(() => ({ mtimeMs: Infinity }));
    // Folders of others on this machine stay.
    if (Date.now() - mtimeMs > LOST_MS) await rm(folder, { recursive: true, force: true }).catch(() => undefined);
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return !(error instanceof Error && "code" in error && error.code === "ESRCH");
  }
}

async function runIn(folder: string, script: Script, { env, context, settings, sandbox }: Around): Promise<string> {
  const { timeoutMs } = script;
  const limits = limitsOf(settings);
  const marker = randomBytes(16).toString("hex");
  await using calls = await serveCalls(folder, context);
  const start = await write(folder, script, { ...env, ...NEVER_ASK, ...ALWAYS, [MARKER]: marker });
  const confined = await sandbox?.confine(start, { sockets: [calls.socket] });
  const end = await runCommand({
    launch: { ...(confined ?? start), apart: true },
    limits,
    marker,
    timeoutMs,
    signal: context.signal,
    onOutput: (text) => context.output(text),
  });
  // Where it lay says nothing, and is another place each time.
  const text = endText(end, calls.count()).replaceAll(`${folder}/`, "");
  const note = end.code === 0 ? undefined : limitNote(text, limits);
  const whole = note === undefined ? text : `${text}\n${note}`;
  if (end.type === "exited") return whole;
  throw new Error(whole);
}

/** Nothing is left beside the modules of the project, and what is printed is UTF-8. */
const ALWAYS: Readonly<Record<string, string>> = { PYTHONDONTWRITEBYTECODE: "1", PYTHONUTF8: "1" };

const FILES: Readonly<
  Record<
    Language,
    { readonly script: string; readonly start: string; readonly files: Readonly<Record<string, string>> }
  >
> = {
  python: {
    script: "script.py",
    start: "start.py",
    files: { "evander_tools.py": PYTHON_CLIENT, "start.py": PYTHON_START },
  },
  javascript: {
    script: "script.mjs",
    start: "start.mjs",
    files: { "evander_tools.mjs": JAVASCRIPT_CLIENT, "start.mjs": JAVASCRIPT_START },
  },
};

async function write(
  folder: string,
  { language, file, code, cwd }: Script,
  env: Readonly<Record<string, string>>,
): Promise<Start> {
  const { script, start, files } = FILES[language];
  for (const [name, text] of Object.entries({ ...files, [script]: code }))
    await writeFile(join(folder, name), text, { mode: 0o600, flag: "wx" });
  return { file, args: [...(language === "python" ? ["-u"] : []), join(folder, start)], cwd, env };
}

/** What a model is told of a script that has ended. */
function endText(end: CommandEnd, calls: number): string {
  const output = end.output.text();
  const errors = end.errors.text();
  const left =
    end.left.length === 0 ? [] : [`[When it had ended, ${end.left.length} of its processes still ran and were ended.]`];
  const told =
    output === "" && errors === ""
      ? ["(no output)"]
      : [trimmed(output), trimmed(errors === "" ? "" : `[stderr]\n${errors}`)];
  return [headline(end, calls), ...told.filter((text) => text !== ""), ...left].join("\n");
}

const trimmed = (text: string): string => text.replace(/\n+$/u, "");

function headline(end: CommandEnd, calls: number): string {
  const so = ` after ${(end.ms / 1_000).toFixed(1)} s; ${calls === 1 ? "1 tool call" : `${calls} tool calls`}`;
  switch (end.type) {
    case "exited":
      return end.code === null ? `Killed by ${end.killedBy ?? "a signal"}${so}.` : `Exit code ${end.code}${so}.`;
    case "timeout":
      return `Stopped${so}: the timeout was reached. Give a larger timeout_s, or do less at once.`;
    case "interrupted":
      return `Stopped by the user${so}.`;
    case "flooded":
      return `Stopped${so}: it wrote too much output. Print only what you need.`;
    case "unknown":
      return `Killed${so}, but the process did not go away.`;
  }
}
