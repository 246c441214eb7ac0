import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Message, ToolCallPart } from "../../src/protocol/message.ts";
import type { Inspection, ToolContext } from "../../src/protocol/tool.ts";
import { builtInTools } from "../../src/tools/built-in.ts";
import { createToolbox, type Toolbox } from "../../src/tools/toolbox.ts";

/** A working folder with the built-in tools, and nothing outside of it but an empty folder. */
export class Workspace {
  readonly base: string = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), "evander-hands-")));
  readonly cwd: string = join(this.base, "ws");
  readonly outside: string = join(this.base, "outside");
  readonly toolbox: Toolbox;

  constructor() {
    fs.mkdirSync(this.cwd);
    fs.mkdirSync(this.outside);
    this.toolbox = createToolbox(
      builtInTools({
        cwd: this.cwd,
        home: join(this.base, "home"),
        env: { PATH: process.env["PATH"] },
        guarded: [join(this.cwd, "state")],
      }),
    );
  }

  [Symbol.dispose](): void {
    fs.rmSync(this.base, { recursive: true, force: true });
  }

  put(name: string, content: string | Buffer): string {
    const path = join(this.cwd, name);
    fs.mkdirSync(join(path, ".."), { recursive: true });
    fs.writeFileSync(path, content);
    return path;
  }

  text(name: string): string {
    return fs.readFileSync(join(this.cwd, name), "utf8");
  }

  bytes(name: string): Buffer {
    return fs.readFileSync(join(this.cwd, name));
  }

  inspect(name: string, input: object): Inspection {
    return this.toolbox.port.inspect(callOf("c", name, input));
  }

  session(history: Message[] = []): FileSession {
    return new FileSession(this.toolbox, history);
  }
}

const callOf = (callId: string, name: string, input: object): ToolCallPart => ({
  type: "tool-call",
  callId,
  name,
  input: JSON.stringify(input),
});

/** A conversation whose calls are run one reply after the other, each let through as a person would. */
export class FileSession {
  readonly history: Message[];
  readonly #toolbox: Toolbox;

  constructor(toolbox: Toolbox, history: Message[]) {
    this.#toolbox = toolbox;
    this.history = history;
  }

  read(path: string, more: object = {}): Promise<string> {
    return this.run("read_file", { path, ...more });
  }

  write(path: string, content: string, more: object = {}): Promise<string> {
    return this.run("write_file", { path, content, ...more });
  }

  replace(path: string, old: string, now: string, more: object = {}): Promise<string> {
    return this.run("patch", { path, old_string: old, new_string: now, ...more });
  }

  patch(patch: string): Promise<string> {
    return this.run("patch", { mode: "patch", patch });
  }

  /** Rejects with what the model is told. */
  async run(name: string, input: object, more: Partial<ToolContext> = {}): Promise<string> {
    const [told] = await this.batch([[name, input]], more);
    if (told instanceof Error) throw told;
    return told ?? "";
  }

  /** Calls of one reply, in their order. */
  async batch(
    calls: readonly (readonly [string, object])[],
    more: Partial<ToolContext> = {},
  ): Promise<(string | Error)[]> {
    const parts = calls.map(([name, input], n) => callOf(`c${this.history.length}.${n}`, name, input));
    this.history.push({ role: "assistant", parts });
    const told: (string | Error)[] = [];
    for (const part of parts) told.push(await this.#answer(part, more));
    return told;
  }

  async #answer(part: ToolCallPart, more: Partial<ToolContext>): Promise<string | Error> {
    const { port } = this.#toolbox;
    const { callId } = part;
    const signal = new AbortController().signal;
    await port.ready?.();
    const { ask, plan } = port.inspect(part);
    const yes = { ...(ask !== undefined && { approved: ask }), ...(plan && { approvedPlan: plan.digest }) };
    const context = { callId, sessionId: "s", history: this.history, signal, output: () => {}, ...more };
    try {
      const { text, files } = await port.run(part, { ...context, ...yes });
      this.#receipt({ role: "tool", callId, status: "ok", parts: [{ type: "text", text }], ...(files && { files }) });
      return text;
    } catch (error) {
      const failure = error instanceof Error ? error : new Error(String(error));
      this.#receipt({ role: "tool", callId, status: "error", parts: [{ type: "text", text: failure.message }] });
      return failure;
    }
  }

  #receipt(message: Message): void {
    this.history.push(message);
  }
}
