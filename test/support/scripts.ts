import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ToolCallPart } from "../../src/protocol/message.ts";
import type { Tool, ToolContext, ToolResult } from "../../src/protocol/tool.ts";
import { builtInTools } from "../../src/tools/built-in.ts";
import type { Toolbox } from "../../src/tools/toolbox.ts";

/** A working folder, a home, and a folder of its own for what runs of scripts put aside. */
export class ScriptPlace implements Disposable {
  readonly root: string = realpathSync(mkdtempSync(join(tmpdir(), "evander-scripts-")));
  readonly cwd: string = join(this.root, "work");
  readonly #usual = process.env["TMPDIR"];

  constructor() {
    for (const name of ["work", "home", "tmp", "runs"]) mkdirSync(join(this.root, name));
    process.env["TMPDIR"] = join(this.root, "runs");
  }

  tools(more: readonly Tool[] = [], env: NodeJS.ProcessEnv = process.env): Tool[] {
    return [...builtInTools({ cwd: this.cwd, home: join(this.root, "home"), env }), ...more];
  }

  /** Nothing of a run is left behind, however it ended. */
  [Symbol.dispose](): void {
    const left = readdirSync(join(this.root, "runs"));
    if (this.#usual === undefined) delete process.env["TMPDIR"];
    else process.env["TMPDIR"] = this.#usual;
    rmSync(this.root, { recursive: true, force: true });
    assert.deepEqual(left, []);
  }
}

export interface ScriptHow extends Partial<ToolContext> {
  /** Seconds. */
  readonly timeout?: number;
}

export const scriptCall = (language: string, code: string, timeout?: number): ToolCallPart => ({
  type: "tool-call",
  callId: "c1",
  name: "execute_code",
  input: JSON.stringify({ language, code, ...(timeout !== undefined && { timeout_s: timeout }) }),
});

/** As a turn runs it that a person has said yes to. */
export async function runScript(
  { port }: Toolbox,
  language: string,
  code: string,
  { timeout, ...how }: ScriptHow = {},
): Promise<ToolResult> {
  const call = scriptCall(language, code, timeout);
  await port.ready?.();
  const { ask, plan } = port.inspect(call);
  return port.run(call, {
    callId: "c1",
    sessionId: "s1",
    history: [],
    signal: new AbortController().signal,
    output: () => undefined,
    ...(ask !== undefined && { approved: ask, byPerson: true }),
    ...(plan !== undefined && { approvedPlan: plan.digest }),
    unasked: "rules",
    ...how,
  });
}

export const scriptText = async (...given: Parameters<typeof runScript>): Promise<string> =>
  (await runScript(...given)).text;
