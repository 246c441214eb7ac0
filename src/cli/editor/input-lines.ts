import type { Io } from "../io.ts";
import type { Surface } from "../screen/surface.ts";
import { Editor } from "./editor.ts";
import type { History } from "./history.ts";
import type { Expected, LineEvents, LineSource } from "./line-source.ts";
import { PlainLines } from "./plain-lines.ts";

export interface InputEvents extends Omit<LineEvents, "line" | "ended"> {
  /** A line that somebody types while nobody waits for one, and that says something. */
  readonly typed: (line: string) => void;
  /** A line that was typed before this program looked, and that nobody waits for yet. */
  readonly early: (line: string) => void;
  /** The input ended while nobody waited for a line. */
  readonly ended: () => void;
  /** Something was typed that does not count. */
  readonly ignored: (text: string) => void;
}

export interface InputOptions {
  readonly io: Io;
  readonly surface: Surface;
  readonly events: InputEvents;
  /** Stands before messages where no line is edited. */
  readonly plainPrompt: string;
  readonly history?: History | undefined;
}

/** No key counts as an answer before a question has stood for so long without one, ms (product.md §2.3). */
const GUARD_MS = 300;

/** The lines of one person or one pipe: messages in the order they came, and answers to questions. */
export class InputLines {
  /** There is somebody who can answer. */
  readonly attended: boolean;
  private readonly options: InputOptions;
  private readonly source: LineSource;
  private readonly queue: string[] = [];
  private wanted: "message" | "answer" | undefined;
  private answer: string | undefined;
  /** The question that stands. */
  private expected: Expected = { type: "nothing" };
  private closed = false;
  /** Of a question that is closed while it is guarded, one waits on for nothing: it must not take another's place. */
  private readonly waiters: (() => void)[] = [];

  constructor(options: InputOptions) {
    const { io, surface, events, history, plainPrompt } = options;
    this.options = options;
    this.attended = io.stdin.isTTY === true;
    const own: LineEvents = { ...events, line: (text, early) => this.take(text, early), ended: () => this.end() };
    this.source =
      this.attended && surface.live
        ? new Editor({ io, surface, history, events: own })
        : new PlainLines({ io, surface, prompt: plainPrompt, events: own, ignored: events.ignored });
  }

  /** The next message; undefined when the input has ended. */
  async next(): Promise<string | undefined> {
    this.wanted = "message";
    if (this.queue.length === 0 && !this.closed) {
      this.source.expect({ type: "message" });
      await this.until(() => this.queue.length > 0);
    }
    this.wanted = undefined;
    return this.queue.shift();
  }

  /**
   * The answer to a question, undefined when none came before the input ended or the question was closed. What was typed
   * before it had stood for a moment is never its answer.
   */
  async question(text: string, hint: string, isOpen: () => boolean): Promise<string | undefined> {
    this.answer = undefined;
    if (!this.closed) {
      this.source.expect({ type: "question", text });
      await Promise.race([this.source.quiet(GUARD_MS), this.until(() => !isOpen())]);
    }
    if (isOpen() && !this.closed) {
      this.wanted = "answer";
      this.expected = { type: "answer", text, hint };
      this.source.expect(this.expected);
      await this.until(() => this.answer !== undefined || !isOpen());
    }
    this.wanted = undefined;
    this.source.expect({ type: "nothing" });
    return isOpen() ? this.answer : undefined;
  }

  /** Whoever waits looks again whether it still has to. */
  lookAgain(): void {
    this.wake();
  }

  /** Takes back what is not sent yet. */
  drop(): string[] {
    return this.queue.splice(0);
  }

  /** Puts a text where messages are written, for whoever wants to change it. */
  write(text: string): void {
    this.source.write(text);
  }

  close(): void {
    this.source.close();
    this.closed = true;
    this.wake();
  }

  private async until(over: () => boolean): Promise<void> {
    while (!this.closed && !over()) await new Promise<void>((resolve) => this.waiters.push(resolve));
  }

  private wake(): void {
    for (const waiter of this.waiters.splice(0)) waiter();
  }

  private take(line: string, early = false): void {
    const { wanted } = this;
    if (wanted === "answer" && !line.startsWith("/")) {
      this.answer = line;
      this.wanted = undefined;
    } else if (wanted === "message" || !this.attended) {
      this.queue.push(line);
      // What is typed from here on waits for its own turn, also when it came in the same chunk.
      this.wanted = undefined;
    } else if (line.trim() !== "") {
      if (early) this.options.events.early(line);
      else this.options.events.typed(line);
      // A command at a question leaves the question as it was.
      if (wanted === "answer") this.source.expect(this.expected);
    }
    this.wake();
  }

  private end(): void {
    this.closed = true;
    if (this.wanted === undefined) this.options.events.ended();
    this.wake();
  }
}
