import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { noFindings, type Findings } from "../../src/tools/command-policy/findings.ts";
import { normalise } from "../../src/tools/command-policy/normalise.ts";
import { commandPlace } from "../../src/tools/command-policy/place.ts";
import { planCommand } from "../../src/tools/command-policy/plan-command.ts";
import { walkCommand } from "../../src/tools/command-policy/walk.ts";
import type { CommandPlace } from "../../src/tools/command-policy/options.ts";
import { PROGRAMS, shellCommand, shellNoise } from "./shell-grammar.ts";

export interface Differential {
  readonly commands: number;
  readonly auto: number;
  readonly denied: number;
  /** Programs that a real bash ran. */
  readonly ran: number;
  /** Those that timed out: what they had run until then counts. */
  readonly slow: number;
  readonly counterexamples: readonly string[];
}

interface Box {
  readonly base: string;
  readonly work: string;
  /** Names the log that the programs of the next command write. */
  readonly current: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Programs that run others: real, so that what they do with their words is no guess. */
const WRAPPERS = ["env", "nice", "timeout", "xargs", "stdbuf", "sh", "bash"];
/** Deeper than any command here climbs. */
const DEPTH = "1/2/3/4/5/6/7/8/9";
const LIMIT_MS = 5_000;

/** Runs random commands in a real bash whose programs only note how they were called, and holds the plan against it. */
export async function runDifferential(commands: number, seed: number): Promise<Differential> {
  const counts = { auto: 0, denied: 0, ran: 0, slow: 0 };
  const counterexamples: string[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    const box = openBox();
    try {
      while (next < commands) {
        const command = shellCommand(seed + next++);
        const found = await tryCommand(command, box, counts);
        if (found !== undefined) counterexamples.push(`${found}: ${JSON.stringify(command)}`);
      }
    } finally {
      fs.rmSync(box.base, { recursive: true, force: true });
    }
  };
  await Promise.all([worker(), worker()]);
  return { commands, ...counts, counterexamples };
}

function openBox(): Box {
  const base = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), "evander-shell-")));
  const programs = join(base, "bin");
  const current = join(base, "current");
  const work = join(base, DEPTH, "work");
  for (const folder of [programs, join(base, "home"), work]) fs.mkdirSync(folder, { recursive: true });
  // What the command before has left running knows the name of its own log alone.
  const note = `#!/bin/sh\nread -r log < '${current}'\n{ printf '%s\\0' "\${0##*/}" "$@"; printf '\\n\\0'; } >> "$log"\nprintf '%s\\n' "$@"\n`;
  for (const name of PROGRAMS) fs.writeFileSync(join(programs, name), note, { mode: 0o755 });
  for (const name of WRAPPERS) fs.symlinkSync(realProgram(name), join(programs, name));
  fs.chmodSync(base, 0o755);
  for (const folder of [
    join(base, "home"),
    ...DEPTH.split("/").map((_, at, all) => join(base, ...all.slice(0, at + 1))),
  ])
    own(folder);
  furnish(work);
  const env = { PATH: programs, HOME: join(base, "home"), LANG: "C.UTF-8", FUNCNEST: "30" };
  return { base, work, current, env };
}

function realProgram(name: string): string {
  const path = ["/usr/bin", "/bin", "/usr/local/bin", "/opt/homebrew/bin"].map((folder) => join(folder, name));
  const found = path.find((each) => fs.existsSync(each));
  if (found === undefined) throw new Error(`${name} is on none of the usual paths.`);
  return found;
}

/** As nobody, where that can be chosen: what is generated is no friend. */
const NOBODY = process.getuid?.() === 0 ? 65_534 : undefined;
const own = (path: string): void => {
  if (NOBODY !== undefined) fs.chownSync(path, NOBODY, NOBODY);
};

const FURNITURE = { "a.txt": "a b\nls\n", "b.txt": "rm sourced\n", "x y": "1\n", "d/c.txt": "c\n" };

function furnish(work: string): void {
  fs.rmSync(work, { recursive: true, force: true });
  fs.mkdirSync(join(work, "d"), { recursive: true });
  for (const [name, content] of Object.entries(FURNITURE)) fs.writeFileSync(join(work, name), content);
  for (const path of [work, join(work, "d"), ...Object.keys(FURNITURE).map((name) => join(work, name))]) own(path);
}

const isFurnished = (work: string): boolean =>
  fs.readdirSync(work).length === 4 &&
  fs.readdirSync(join(work, "d")).length === 1 &&
  Object.entries(FURNITURE).every(([name, content]) => fs.readFileSync(join(work, name), "utf8") === content);

interface Planned {
  readonly type: string;
  readonly found: Findings;
  readonly runs: string;
}

function planned(command: string, place: CommandPlace): Planned {
  const { verdict, runs } = planCommand(command, place);
  const found = noFindings();
  const normal = normalise(command);
  if ("text" in normal) walkCommand(normal.text, place, found);
  return { type: verdict.type, found, runs };
}

type Counts = { auto: number; denied: number; ran: number; slow: number };

/** What of the command is not as it was planned; undefined: all is. */
async function tryCommand(command: string, box: Box, counts: Counts): Promise<string | undefined> {
  const plan = planned(command, placeOf(box));
  const { type, found, runs } = plan;
  if (type === "deny") {
    counts.denied += 1;
    return undefined;
  }
  if (type === "auto") counts.auto += 1;
  const log = newLog(box);
  counts.slow += Number(!(await runInBash(runs, box)));
  const calls = callsIn(fs.readFileSync(log, "utf8"));
  fs.rmSync(log);
  counts.ran += calls.length;
  const changed = !isFurnished(box.work);
  if (changed) furnish(box.work);
  if (type === "auto" && changed) return "judged to only read, and wrote";
  const stray = calls.find((call) => !isPlanned(call, plan));
  return stray === undefined
    ? undefined
    : `${type}, and ran ${JSON.stringify(stray)} of ${JSON.stringify(found.calls)}`;
}

/** The policy with the real folder; the programs are taken for those they are named after. */
const placeOf = ({ work, env, base }: Box): CommandPlace => ({
  ...commandPlace({ cwd: work, home: join(base, "home"), guarded: [] }, work, env),
  program: (name) => (name.includes("/") ? undefined : { path: `/usr/bin/${name}` }),
});

function newLog({ base, current }: Box): string {
  const log = join(base, `log-${randomUUID()}`);
  fs.writeFileSync(log, "");
  fs.chmodSync(log, 0o666);
  fs.writeFileSync(current, `${log}\n`);
  return log;
}

/**
 * What runs unasked is planned word by word. What is asked about is named in the plan, or the plan has a part that says that
 * nobody knows, which no rule ever allows.
 */
function isPlanned(call: readonly string[], { type, found, runs }: Planned): boolean {
  const text = call.join("\0");
  if (found.calls.some((each) => each.join("\0") === text)) return true;
  // What a class of characters stands for is read generously: names may be planned that it leaves out.
  if (runs.includes("[") && found.calls.some((each) => isPartOf(call, each))) return true;
  return type === "ask" && found.all.some(({ learn }) => learn === undefined);
}

/** The same words in the same order, without some of them. */
function isPartOf(call: readonly string[], whole: readonly string[]): boolean {
  let at = 0;
  for (const word of whole) if (word === call[at]) at += 1;
  return call[0] === whole[0] && at === call.length;
}

/** False when it had to be stopped. */
async function runInBash(text: string, { work, env }: Box): Promise<boolean> {
  const child = spawn("/bin/bash", ["--noprofile", "--norc", "-o", "pipefail", "-c", text], {
    cwd: work,
    env,
    stdio: "ignore",
    detached: true,
    ...(NOBODY !== undefined && { uid: NOBODY, gid: NOBODY }),
  });
  let isSlow = false;
  const stop = (): void => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
    } catch {}
  };
  const timer = setTimeout(() => {
    isSlow = true;
    stop();
  }, LIMIT_MS);
  await once(child, "close");
  clearTimeout(timer);
  stop();
  return !isSlow;
}

/** Words end with a NUL, calls with a line of their own. */
const callsIn = (log: string): string[][] =>
  log
    .split("\n\0")
    .filter((call) => call !== "")
    .map((call) => call.split("\0").slice(0, -1));

export interface Noise {
  readonly planned: number;
  readonly crashed: readonly string[];
}

/** Plans what a shell may or may not read. */
export function planNoise(texts: number, seed: number): Noise {
  const base = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), "evander-noise-")));
  const place = commandPlace({ cwd: base, home: join(base, "home"), guarded: [] }, base, {
    PATH: "/usr/bin",
    HOME: base,
  });
  const crashed: string[] = [];
  try {
    for (let at = 0; at < texts; at += 1) {
      const text = shellNoise(seed + at);
      try {
        planCommand(text, place);
      } catch (error) {
        crashed.push(`${String(error)}: ${JSON.stringify(text)}`);
      }
    }
  } finally {
    fs.rmSync(base, { recursive: true, force: true });
  }
  return { planned: texts, crashed };
}
