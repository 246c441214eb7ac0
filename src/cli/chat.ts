import { createInterface, type Interface } from "node:readline";
import type { TurnEvent } from "../protocol/fact.ts";
import type { ProviderAnswer } from "../protocol/provider.ts";
import { StoreError } from "../protocol/store.ts";
import { readInput } from "../session/input.ts";
import type { Lane } from "../session/lane.ts";
import type { Turn } from "../session/turn.ts";
import type { Adapters, Runtime } from "./adapters.ts";
import type { Flags } from "./flags.ts";
import { type Io, say } from "./io.ts";
import { endLines } from "./output.ts";
import { diagnosticLog, settingsOf, workingFolder } from "./prompt.ts";
import { existingSession } from "./refusal.ts";
import { Renderer } from "./render.ts";

interface Chat {
  readonly flags: Flags;
  readonly io: Io;
  readonly adapters: Adapters;
}

/** `evander`: a line in, the answer streamed, until the input ends. Without a model it opens with the practice model. */
export async function chat({ flags, io, adapters }: Chat, first: string): Promise<number> {
  const settings = settingsOf(flags);
  const cwd = workingFolder(flags, io);
  const search = await adapters.findModel(flags);
  const store = await adapters.openStore(settings);
  const sessionId = flags.resume === undefined ? adapters.newSessionId() : existingSession(store, flags.resume);
  const attended = io.stdin.isTTY === true;
  const model = search.type === "none" ? ({ type: "practice" } as const) : search;
  const approvals = flags.approve ?? (attended ? "ask" : "never");
  const runtime = await adapters.openRuntime({ model, store, settings, cwd, approvals, log: diagnosticLog(flags, io) });
  for (const line of greeting(search, cwd)) say(io.stderr, line);
  try {
    await new Conversation(io, runtime, sessionId, attended).run(first);
    return 0;
  } finally {
    await runtime.close();
  }
}

function greeting(search: ProviderAnswer, cwd: string): string[] {
  const leave = "A line is a message; Ctrl-C stops a turn, Ctrl-D leaves.";
  switch (search.type) {
    case "found":
      return [`evander · ${search.provider} · ${search.model} (from ${search.source}) · ${cwd}`, leave];
    case "practice":
      return [`evander · practice model · ${cwd}`, leave];
    case "none":
      return [
        `No model found: ${search.message}`,
        "This is the practice model: a small rule-based program, no language model. It works on the files of this folder.",
        ...search.next
          .filter((step) => step.do !== "practice")
          .map(({ text, command }) => `  ${text}${command === null ? "" : `: ${command}`}`),
        leave,
      ];
  }
}

/** The lines of one person, one at a time: a message, or the answer to a question that is open. */
class Conversation {
  private readonly io: Io;
  private readonly runtime: Runtime;
  private readonly sessionId: string;
  private readonly attended: boolean;
  private readonly lines: Interface;
  private readonly queue: string[] = [];
  private readonly renderer = new Renderer();
  private closed = false;
  private wake: (() => void) | undefined;
  private lane: Lane | undefined;
  private column = 0;

  constructor(io: Io, runtime: Runtime, sessionId: string, attended: boolean) {
    this.io = io;
    this.runtime = runtime;
    this.sessionId = sessionId;
    this.attended = attended;
    this.lines = createInterface({ input: io.stdin, ...(attended && { output: io.stderr }), prompt: "› " });
  }

  async run(first: string): Promise<void> {
    if (first !== "") this.queue.push(first);
    this.lines.on("line", (line) => this.take(line));
    this.lines.on("close", () => this.close());
    this.lines.on("SIGINT", () => this.stop());
    const leave = this.io.onSignal(() => this.stop());
    try {
      for (let line = await this.nextLine(); line !== undefined; line = await this.nextLine()) await this.answer(line);
    } finally {
      leave();
      this.lines.close();
    }
  }

  private take(line: string): void {
    this.queue.push(line);
    this.wake?.();
  }

  private close(): void {
    this.closed = true;
    this.wake?.();
  }

  /** Stops the turn that runs; with none, leaves. */
  private stop(): void {
    if (this.lane?.running === undefined) return this.lines.close();
    this.lane.interrupt("user").catch((error: unknown) => say(this.io.stderr, `evander: ${String(error)}`));
    this.wake?.();
  }

  private async nextLine(): Promise<string | undefined> {
    while (this.queue.length === 0) {
      if (this.closed) return undefined;
      if (this.attended) this.lines.prompt();
      await new Promise<void>((resolve) => (this.wake = resolve));
    }
    return this.queue.shift();
  }

  private async answer(line: string): Promise<void> {
    if (line.trim() === "/exit") return this.lines.close();
    const input = readInput(line);
    if (input.type === "blank") return;
    try {
      this.lane = await this.runtime.sessions.lane(this.sessionId);
      await this.show(await this.runtime.sessions.start(this.sessionId, input.text), this.lane);
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      say(this.io.stderr, `evander: ${error.message}`);
    }
  }

  private async show(turn: Turn, lane: Lane): Promise<void> {
    for await (const event of turn) {
      this.write(event);
      if (event.type === "approval-requested") await this.askAll(event.callIds, lane);
    }
    const result = await turn.result;
    this.freshLine();
    for (const line of endLines(result)) say(this.io.stderr, line);
  }

  private write(event: TurnEvent): void {
    for (const { channel, text } of this.renderer.render(event)) {
      if (channel === "status") {
        this.freshLine();
        say(this.io.stderr, text);
      } else {
        this.io.stdout.write(text);
        this.column = text.endsWith("\n") ? 0 : 1;
      }
    }
  }

  private freshLine(): void {
    if (this.column > 0) this.io.stdout.write("\n");
    this.column = 0;
  }

  /** Lines typed before the question was drawn are messages, never its answer. */
  private async askAll(callIds: readonly string[], lane: Lane): Promise<void> {
    for (const callId of callIds) {
      this.freshLine();
      const answer = await this.ask(`Allow ${this.renderer.describe(callId)}? [y/N]`, () =>
        lane.asked.some((call) => call.callId === callId),
      );
      await lane.approve(callId, /^y(es)?$/iu.test(answer.trim()));
    }
  }

  /** The next line, or nothing when the input ended or the question is no longer open. */
  private async ask(question: string, isOpen: () => boolean): Promise<string> {
    const typedAhead = this.queue.splice(0);
    say(this.io.stderr, question);
    while (this.queue.length === 0 && !this.closed && isOpen())
      await new Promise<void>((resolve) => (this.wake = resolve));
    const answer = isOpen() ? (this.queue.shift() ?? "") : "";
    this.queue.unshift(...typedAhead);
    return answer;
  }
}
