import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Given } from "../../src/protocol/oracle.ts";
import type { TurnResult } from "../../src/protocol/result.ts";
import { assertSound } from "../support/sound.ts";

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "../..");
const PROGRAM = join(ROOT, "dist/main.js");
const KILL_AT = join(ROOT, "test/scenario/kill-at.mjs");

/** In the environment: servers are looked for until they have answered, however long a busy machine takes. */
export const PATIENT: NodeJS.ProcessEnv = { NODE_OPTIONS: `--import ${join(ROOT, "test/scenario/patient.mjs")}` };

export interface ProgramOptions {
  /** See kill-at.mjs. */
  readonly killAt?: string;
  readonly input?: string | Buffer;
  /** Another state folder than the place's own. */
  readonly home?: string;
  /** Put in front of the program's command line, as a shell would run it. */
  readonly under?: readonly string[];
  /** Added to the environment; undefined takes a variable out of it. */
  readonly env?: NodeJS.ProcessEnv;
}

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The built program, running. */
export interface Running {
  readonly child: ChildProcess;
  readonly pid: number;
  readonly ended: Promise<Ended>;
  /** Resolves when stdout holds `text`; rejects when the program ends without it. */
  shows(text: string): Promise<void>;
}

/** A state folder and a working folder of its own, and the environment that leads the program to them. */
export class Place {
  readonly folder: string = mkdtempSync(join(tmpdir(), "evander-scenario-"));
  readonly home: string = join(this.folder, "home");
  readonly work: string = join(this.folder, "work");
  /** The test has damaged a store on purpose, or has put something else in its place. */
  damaged = false;
  /** What else is known of its stores when it goes. */
  given: Given = {};

  constructor(from?: Place) {
    mkdirSync(this.work);
    if (from === undefined) return;
    for (const part of ["home", "work"] as const)
      if (existsSync(from[part])) cpSync(from[part], this[part], { recursive: true });
  }

  /** Whatever was done here, each store is sound. Called when the programs in it have ended. */
  remove(): void {
    try {
      for (const path of this.damaged ? [] : storesIn(this.home)) assertSound(path, this.given);
    } finally {
      rmSync(this.folder, { recursive: true, force: true });
    }
  }

  /** Writes the config of its user: model `m` of the server `mine`, and lines of its own. `servers`: where each is. */
  configure(servers: Readonly<Record<string, { readonly baseUrl: string }>>, lines: readonly string[] = []): void {
    const providers = Object.entries(servers).map(([name, { baseUrl }]) => `  ${name}: {baseUrl: "${baseUrl}"}`);
    mkdirSync(this.home, { recursive: true });
    writeFileSync(
      join(this.home, "config.yaml"),
      ["model: m", "provider: mine", "providers:", ...providers, ...lines].join("\n"),
    );
  }

  /** `baseUrl` undefined: no provider is configured. */
  start(baseUrl: string | undefined, args: readonly string[], options: ProgramOptions = {}): Running {
    const { killAt, home = this.home, under = [] } = options;
    const node = [process.execPath, ...(killAt === undefined ? [] : ["--import", KILL_AT]), PROGRAM, ...args];
    const [command = "", ...rest] = [...under, ...node];
    const env = {
      PATH: process.env["PATH"],
      HOME: this.folder,
      EVANDER_HOME: home,
      // What runs on the machine of whoever tests is no part of the test.
      EVANDER_LOCAL_SERVERS: "off",
      EVANDER_SANDBOX_MODE: "off",
      ...(baseUrl !== undefined && { OPENAI_BASE_URL: baseUrl, OPENAI_MODEL: "m" }),
      ...(killAt !== undefined && { KILL_AT: killAt }),
      ...options.env,
    };
    const child = spawn(command, rest, { cwd: this.work, env, stdio: "pipe" });
    // A program that has gone does not read any more.
    child.stdin.on("error", () => {});
    child.stdin.end(options.input ?? "");
    const ended = collect(child);
    return { child, pid: child.pid ?? 0, ended, shows: (text) => shows(child, ended, text) };
  }

  async run(baseUrl: string | undefined, args: readonly string[], options: ProgramOptions = {}): Promise<Ended> {
    return this.start(baseUrl, args, options).ended;
  }
}

const STORE = "evander.db";

/** That of the folder itself, and those of its profiles. */
function storesIn(home: string): string[] {
  const profiles = join(home, "profiles");
  const names = existsSync(profiles) ? readdirSync(profiles) : [];
  return [join(home, STORE), ...names.map((name) => join(profiles, name, STORE))];
}

async function collect(child: ChildProcess): Promise<Ended> {
  let stdout = "";
  let stderr = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const [code, signal] = (await once(child, "close")) as [number | null, NodeJS.Signals | null];
  return { code, signal, stdout, stderr };
}

async function shows(child: ChildProcess, ended: Promise<Ended>, text: string): Promise<void> {
  let seen = "";
  const shown = new Promise<void>((resolve) => {
    child.stdout?.on("data", (chunk: string) => {
      seen += chunk;
      if (seen.includes(text)) resolve();
    });
  });
  const never = ended.then(({ stdout, stderr }) => {
    if (!stdout.includes(text)) throw new Error(`It never showed ${text}:\n${stdout}\n${stderr}`);
  });
  await Promise.race([shown, never]);
}

/** The one result object of a run with `--output json`; throws when there is anything else on stdout. */
export function resultOf({ stdout, stderr }: Ended): TurnResult {
  const lines = stdout.split("\n").filter((line) => line !== "");
  if (lines.length !== 1) throw new Error(`${lines.length} results:\n${stdout}\n${stderr}`);
  return JSON.parse(lines[0] ?? "") as TurnResult;
}
