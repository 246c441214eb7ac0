import { createInterface, type Interface } from "node:readline";
import { type Io, say } from "./io.ts";
import { openTerminal, type Terminal, withBreaks } from "./terminal.ts";

export interface InputEvents {
  /** A line that does not wait for its turn, nor answers a question; it was dealt with when this returns true. */
  readonly urgent: (line: string) => boolean;
  /** Ctrl-C at a terminal. */
  readonly interrupted: () => void;
  /** A line came while nobody waited for one. */
  readonly queued: (line: string) => void;
  /** The input ended while nobody waited for a line. */
  readonly ended: () => void;
}

const PROMPT = "› ";

/** The lines of one person or one pipe: messages in the order they came, and answers to questions. */
export class InputLines {
  /** There is somebody who can answer. */
  readonly attended: boolean;
  private readonly io: Io;
  private readonly events: InputEvents;
  private readonly terminal: Terminal | undefined;
  private readonly lines: Interface;
  private readonly queue: string[] = [];
  /** Begun before a question came, and no part of its answer. */
  private held = "";
  private waiting = false;
  private closed = false;
  private wake: () => void = () => undefined;

  constructor(io: Io, events: InputEvents) {
    this.io = io;
    this.events = events;
    this.attended = io.stdin.isTTY === true;
    this.terminal = openTerminal(io);
    this.lines = this.open();
    this.lines.on("line", (line) => this.take(withBreaks(line)));
    this.lines.on("close", () => this.end());
    this.lines.on("SIGINT", () => events.interrupted());
  }

  private open(): Interface {
    const { stdin, stderr } = this.io;
    if (this.terminal === undefined)
      return createInterface({ input: stdin, terminal: false, ...(this.attended && { output: stderr }) });
    return createInterface({ input: this.terminal.keys, output: this.terminal.echo, terminal: true });
  }

  /** The next message; undefined when the input has ended. */
  async next(): Promise<string | undefined> {
    if (this.queue.length === 0 && !this.closed) {
      const half = this.held + this.lift();
      this.held = "";
      this.show(PROMPT, half);
      await this.until(() => false);
    }
    return this.queue.shift();
  }

  /**
   * The answer to a question, "" when none came before the input ended or the question was closed. Lines typed before
   * it was asked, and the half of one, are messages and never its answer.
   */
  async question(text: string, isOpen: () => boolean): Promise<string> {
    const messages = this.queue.splice(0);
    this.held += this.lift();
    this.show(text, "");
    await this.until(() => !isOpen());
    const answer = isOpen() ? this.queue.shift() : undefined;
    if (answer === undefined) this.lift();
    this.queue.unshift(...messages);
    return answer ?? "";
  }

  /** Whoever waits looks again whether it still has to. */
  lookAgain(): void {
    this.wake();
  }

  /** Takes back what is not sent yet. */
  drop(): string[] {
    return this.queue.splice(0);
  }

  close(): void {
    this.lines.close();
  }

  private async until(over: () => boolean): Promise<void> {
    while (this.queue.length === 0 && !this.closed && !over())
      await new Promise<void>((resolve) => (this.wake = resolve));
    if (this.waiting && this.attended) say(this.io.stderr, "");
    this.hide();
  }

  private take(line: string): void {
    const expected = this.waiting;
    // What is typed from here on waits for its own turn, also when it came in the same chunk.
    this.hide();
    if (this.events.urgent(line)) return;
    if (!expected && this.attended) {
      if (line.trim() === "") return;
      this.events.queued(line);
    }
    this.queue.push(line);
    this.wake();
  }

  private end(): void {
    if (this.closed) return;
    this.closed = true;
    this.terminal?.leave();
    if (!this.waiting) this.events.ended();
    this.wake();
  }

  private show(prompt: string, half: string): void {
    this.waiting = true;
    if (!this.attended) return;
    if (this.closed) {
      this.io.stderr.write(prompt);
      return;
    }
    if (this.terminal !== undefined) this.terminal.echo.quiet = false;
    this.lines.setPrompt(prompt);
    this.lines.prompt(true);
    if (half !== "") this.lines.write(half);
  }

  private hide(): void {
    this.waiting = false;
    if (this.terminal !== undefined) this.terminal.echo.quiet = true;
  }

  /** Takes what is half typed off the editor. */
  private lift(): string {
    if (this.terminal === undefined || this.closed) return "";
    const half = this.lines.line;
    this.terminal.echo.quiet = true;
    this.lines.write(null, { ctrl: true, name: "e" });
    this.lines.write(null, { ctrl: true, name: "u" });
    return half;
  }
}
