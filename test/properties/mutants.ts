/** Plants bugs in the sources of a copy of this project, one at a time, and runs the tests that must find them. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { PLANTED, type PlantedBug, PROPERTIES } from "./planted.ts";

const ROOT = join(import.meta.dirname, "../..");
const PARTS = ["src", "test", "package.json", "tsconfig.json", "vitest.config.ts"];
/** What is searched for each bug: the same scripts and races every time. */
const SEARCH = { RUNS: "60", RACES: "200", SEED: "1", SHRINK: "0" };

/** What became of a run of tests: how it was red, or undefined when it was green. */
type Red = string | undefined;

export interface Finding {
  readonly name: string;
  /** The test that failed, and why; undefined: nobody found the bug. */
  readonly caught: Red;
}

/** Rejects when the tests are red without a bug, and when a bug cannot be planted or does not even load. */
export async function plantBugs(onFinding: (finding: Finding) => void): Promise<void> {
  const left = [...PLANTED];
  const gardens = Array.from({ length: availableParallelism() }, () => new Garden());
  const giveUp = (): never => process.exit(130);
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, giveUp);
  const clean = (): void => gardens.forEach((garden) => garden.clear());
  process.once("exit", clean);
  try {
    // All at once, so that the time they take is that of a busy machine.
    await Promise.all(gardens.map((garden) => garden.prepare()));
    const work = async (garden: Garden): Promise<void> => {
      for (let bug = left.shift(); bug !== undefined; bug = left.shift())
        onFinding({ name: bug.name, caught: await garden.plant(bug) });
    };
    await Promise.all(gardens.map(work));
  } finally {
    clean();
    process.off("exit", clean);
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.off(signal, giveUp);
  }
}

/** A copy of the project. */
class Garden {
  private readonly folder = mkdtempSync(join(tmpdir(), "evander-planted-"));
  private limitMs = 600_000;
  private running: number | undefined;

  async prepare(): Promise<void> {
    for (const part of PARTS) cpSync(join(ROOT, part), join(this.folder, part), { recursive: true });
    symlinkSync(join(ROOT, "node_modules"), join(this.folder, "node_modules"));
    const tests = [...new Set(PLANTED.flatMap((bug) => bug.tests ?? PROPERTIES))];
    const startedAt = performance.now();
    const red = await this.run(tests);
    if (red !== undefined) throw new Error(`The tests are red without a planted bug, which shows nothing: ${red}`);
    this.limitMs = 30_000 + Math.ceil(3 * (performance.now() - startedAt));
  }

  async plant({ file, find, replace, tests = PROPERTIES }: PlantedBug): Promise<Red> {
    const path = join(this.folder, file);
    const source = readFileSync(path, "utf8");
    if (source.split(find).length !== 2) throw new Error(`${file} does not hold once: ${find}`);
    writeFileSync(
      path,
      source.replace(find, () => replace),
    );
    const red = await this.run(tests);
    writeFileSync(path, source);
    return red;
  }

  clear(): void {
    this.kill();
    rmSync(this.folder, { recursive: true, force: true });
  }

  private async run(tests: readonly string[]): Promise<Red> {
    const report = join(this.folder, "report.json");
    rmSync(report, { force: true });
    const vitest = join(this.folder, "node_modules/vitest/vitest.mjs");
    // The time limits of the tests are those of a calm machine; a turn that never ends is stopped from here.
    const args = ["--project", "unit", "--no-file-parallelism", "--bail=1", `--testTimeout=${this.limitMs}`];
    const child = spawn(
      process.execPath,
      [vitest, "run", ...args, "--reporter=json", `--outputFile=${report}`, ...tests],
      // A group of its own: a turn that never ends may not listen any more.
      { cwd: this.folder, env: { ...process.env, ...SEARCH }, stdio: "ignore", detached: true },
    );
    this.running = child.pid;
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      this.kill();
    }, this.limitMs);
    const [code] = (await once(child, "close")) as [number | null];
    clearTimeout(timer);
    this.running = undefined;
    if (late) return "it never ends";
    return code === 0 ? undefined : readReport(report);
  }

  private kill(): void {
    if (this.running !== undefined) process.kill(-this.running, "SIGKILL");
    this.running = undefined;
  }
}

interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly message?: string;
    readonly assertionResults: readonly {
      readonly status: string;
      readonly title: string;
      readonly failureMessages?: readonly string[];
    }[];
  }[];
}

/** The first test that failed. A file that could not be loaded shows nothing. */
function readReport(path: string): string {
  const { testResults } = JSON.parse(readFileSync(path, "utf8")) as Report;
  for (const { assertionResults } of testResults)
    for (const { status, title, failureMessages = [] } of assertionResults)
      if (status === "failed") return `${title}: ${reasonIn(failureMessages.join("\n"))}`;
  const unloaded = testResults.find(({ status }) => status === "failed");
  if (unloaded !== undefined) throw new Error(`${unloaded.name} could not be loaded: ${unloaded.message ?? ""}`);
  return "an error that no test waited for";
}

/** What a property has found stands behind the example it was found with. */
function reasonIn(message: string): string {
  const lines = message.split("\n").map((line) => line.trim());
  const got = lines.find((line) => line.startsWith("Got ")) ?? lines[0] ?? "";
  return got.replace(/^(?:Got )?(?:\w*Error\b[^:]*: )*/u, "").slice(0, 160);
}
