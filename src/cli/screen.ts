import type { TurnEvent } from "../protocol/fact.ts";
import type { Message } from "../protocol/message.ts";
import { oneLine, printable } from "../session/plain-text.ts";
import { type Io, say } from "./io.ts";
import { Renderer } from "./render.ts";

/** The answer on stdout, everything else as lines on stderr, and neither in the middle of the other. */
export class Screen {
  private readonly io: Io;
  private readonly streams: boolean;
  private readonly renderer = new Renderer();
  private readonly wait: WaitLine;
  private inLine = false;

  /** `streams`: the answer is written as it arrives. */
  constructor(io: Io, streams: boolean) {
    this.io = io;
    this.streams = streams;
    this.wait = new WaitLine(io);
  }

  know(history: readonly (Message | undefined)[]): void {
    this.renderer.know(history);
  }

  event(event: TurnEvent): void {
    // Thoughts are not shown, so the wait goes on.
    if (event.type === "reasoning-delta") return;
    this.wait.stop();
    for (const { channel, text } of this.renderer.render(event)) {
      if (channel === "status") this.status(text);
      else if (this.streams) this.answer(text);
    }
    if (event.type === "attempt-start") this.waitFor(event.model);
  }

  /** A line of its own. */
  status(text: string): void {
    this.wait.stop();
    this.freshLine();
    say(this.io.stderr, text);
  }

  /** The turn is over: whoever writes next begins a line. */
  done(): void {
    this.wait.stop();
    this.freshLine();
  }

  private answer(text: string): void {
    const shown = forStdout(this.io, text);
    this.io.stdout.write(shown);
    if (shown !== "") this.inLine = !shown.endsWith("\n");
  }

  private waitFor(model: string): void {
    this.wait.start(model, () => this.freshLine());
  }

  private freshLine(): void {
    if (this.inLine) this.io.stdout.write("\n");
    this.inLine = false;
  }
}

/** A model's text commands no terminal; to a file or a program it goes as it is. */
export const forStdout = ({ stdout }: Io, text: string): string => (stdout.isTTY === true ? printable(text) : text);

const TICK_MS = 1_000;
const ERASE = "\r\u001B[2K";

/** Says, at a terminal, that a model has not answered yet, and for how long. */
class WaitLine {
  private readonly io: Io;
  private timer: NodeJS.Timeout | undefined;
  private drawn = false;

  constructor(io: Io) {
    this.io = io;
  }

  start(model: string, before: () => void): void {
    const { stderr } = this.io;
    if (stderr.isTTY !== true) return;
    let seconds = 0;
    this.timer = setInterval(() => {
      if (!this.drawn) before();
      this.drawn = true;
      const line = `waiting for ${oneLine(model)} … ${++seconds}s`;
      stderr.write(`${ERASE}${line.slice(0, (stderr.columns ?? 80) - 1)}`);
    }, TICK_MS);
  }

  stop(): void {
    clearInterval(this.timer);
    this.timer = undefined;
    if (this.drawn) this.io.stderr.write(ERASE);
    this.drawn = false;
  }
}
