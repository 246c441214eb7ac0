import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { stripVTControlCharacters } from "node:util";

const PROGRAM = join(dirname(fileURLToPath(import.meta.url)), "../../dist/main.js");

/** What is not shown in this time never will be, ms. */
const PATIENCE_MS = 60_000;

export interface PtyOptions {
  /** Where the program runs; the state of its terminal is kept there, in `.tty`. */
  readonly cwd: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** Run in the shell before the program, such as a limit on the size of files. */
  readonly before?: string;
}

/**
 * The built program at a terminal of its own, 80 columns by 24 rows. The terminal comes from `script`, which is part of
 * util-linux; its line discipline is the real one.
 */
export class Pty implements AsyncDisposable {
  /** All that the terminal was sent. */
  text = "";
  readonly ended: Promise<number | null>;
  private readonly child: ChildProcess;
  private readonly cwd: string;
  private readonly waiters = new Set<() => void>();
  private over = false;

  constructor({ cwd, args, env, before = "true" }: PtyOptions) {
    if (spawnSync("script", ["--version"]).status !== 0)
      throw new Error("These tests need `script` of util-linux for a terminal: install util-linux (bsdutils).");
    this.cwd = cwd;
    const quoted = [process.execPath, PROGRAM, ...args].map((word) => `'${word.replaceAll("'", String.raw`'\''`)}'`);
    const run = `sh -c 'echo $$ > .tty-pid; exec "$@"' sh ${quoted.join(" ")}`;
    const shell = `stty cols 80 rows 24; stty -g > .tty-before; ${before}; ${run}; code=$?; stty -g > .tty-after; exit $code`;
    this.child = spawn("script", ["-qfec", shell, "/dev/null"], {
      cwd,
      env: { EVANDER_SANDBOX_MODE: "off", ...env, SHELL: "/bin/sh" },
      stdio: "pipe",
    });
    this.child.stdin?.on("error", () => undefined);
    this.child.stdout?.setEncoding("utf8").on("data", (text: string) => this.take(text));
    this.ended = this.end();
  }

  type(keys: string): void {
    this.child.stdin?.write(keys);
  }

  /** What people read: without escape sequences. */
  get plain(): string {
    return stripVTControlCharacters(this.text);
  }

  /** Resolves when a text has been shown behind the last place of another one. */
  async shown(text: string, behind = ""): Promise<void> {
    const deadline = setTimeout(() => this.wake(), PATIENCE_MS);
    const startedMs = performance.now();
    while (!this.has(text, behind)) {
      if (this.over || performance.now() - startedMs >= PATIENCE_MS)
        throw new Error(`The terminal never showed ${JSON.stringify(text)}:\n${this.plain}`);
      await new Promise<void>((resolve) => this.waiters.add(resolve));
    }
    clearTimeout(deadline);
  }

  /** The number of the program's process. */
  get pid(): number {
    return Number(readFileSync(join(this.cwd, ".tty-pid"), "utf8"));
  }

  /** The terminal is as the program found it. */
  get restored(): boolean {
    const settings = (when: string): string => readFileSync(join(this.cwd, `.tty-${when}`), "utf8");
    return (
      settings("after") === settings("before") &&
      this.text.lastIndexOf("\u001B[?2004h") <= this.text.lastIndexOf("\u001B[?2004l")
    );
  }

  /** Closes the terminal, as its window is closed. */
  hangUp(): void {
    this.child.kill("SIGKILL");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.over) this.hangUp();
    await this.ended;
  }

  private async end(): Promise<number | null> {
    const [code] = (await once(this.child, "close")) as [number | null];
    this.over = true;
    this.wake();
    return code;
  }

  private has(text: string, behind: string): boolean {
    const at = behind === "" ? 0 : this.plain.lastIndexOf(behind);
    return at >= 0 && this.plain.includes(text, at + behind.length);
  }

  private take(text: string): void {
    this.text += text;
    this.wake();
  }

  private wake(): void {
    for (const waiter of this.waiters) waiter();
    this.waiters.clear();
  }
}
