import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { childEnvironment } from "../../src/protocol/child-environment.ts";
import type { Sandbox } from "../../src/protocol/sandbox.ts";
import { openSandbox } from "../../src/tools/sandbox/open-sandbox.ts";

export interface Ran {
  readonly code: number | null;
  readonly output: string;
}

/** A folder of a person, with a project, state of the program, and keys in it, and a sandbox around the project. */
export class Box implements Disposable {
  readonly folder: string = realpathSync(mkdtempSync(join(tmpdir(), "evander-box-")));
  readonly home: string = join(this.folder, "home");
  readonly work: string = join(this.home, "work");
  readonly state: string = join(this.home, "state");
  readonly sandbox: Sandbox;

  constructor() {
    for (const folder of [this.work, this.state, join(this.home, ".ssh")]) mkdirSync(folder, { recursive: true });
    writeFileSync(join(this.work, "AGENTS.md"), "Be kind.\n");
    const { work: cwd, home, state } = this;
    const nothing = { hosts: [], writes: [], reads: [] };
    this.sandbox = openSandbox({ mode: "workspace", cwd, home, guarded: [state], env: process.env, ...nothing });
  }

  /** A command of bash, as the terminal would start it. */
  async run(command: string, sandbox: Sandbox = this.sandbox, cwd: string = this.work): Promise<Ran> {
    const env = { ...childEnvironment(process.env, []), HOME: this.home, OUTER: this.folder };
    const start = { file: "/bin/bash", args: ["--noprofile", "--norc", "-c", command], cwd, env };
    const { file, args, release, ...how } = await sandbox.confine(start);
    const child = spawn(file, args, {
      ...how,
      stdio: ["ignore", "pipe", "pipe"],
      timeout: 30_000,
      killSignal: "SIGKILL",
    });
    let output = "";
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text) => (output += text));
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once("error", reject);
      child.once("close", (exit) => resolve(exit));
    });
    await release();
    return { code, output };
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
