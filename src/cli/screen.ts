import { isFact, type TurnEvent } from "../protocol/fact.ts";
import type { Waiting } from "../protocol/waiting.ts";
import type { Lane } from "../session/lane.ts";
import { printable } from "../session/plain-text.ts";
import { waitingLine } from "../words/waiting.ts";
import { type Io, say } from "./io.ts";
import { Renderer } from "./render.ts";

type Watched = Pick<Lane, "history" | "waiting">;

/** The answer on stdout, everything else as lines on stderr, and neither in the middle of the other. */
export class Screen {
  private readonly io: Io;
  private readonly streams: boolean;
  private readonly renderer: Renderer;
  private readonly wait: WaitLine;
  private lane: Watched | undefined;
  private inLine = false;

  /** `streams`: the answer is written as it arrives. */
  constructor(io: Io, streams: boolean) {
    this.io = io;
    this.streams = streams;
    this.renderer = new Renderer(streams);
    this.wait = new WaitLine(io);
  }

  /** The session whose turn is shown. */
  watch(lane: Watched): void {
    this.lane = lane;
    this.renderer.know(lane.history);
  }

  event(event: TurnEvent): void {
    // Nothing of these is shown, so the wait goes on.
    if (!isFact(event) && event.type !== "text-delta") return;
    this.wait.stop();
    // Also where the work is not shown, what is said behind it begins a line.
    if (event.type === "segment-start") this.freshLine();
    for (const { channel, text } of this.renderer.render(event)) {
      if (channel === "status") this.status(text);
      else if (this.streams) this.answer(text);
    }
    if (isFact(event))
      this.wait.start(
        () => this.lane?.waiting,
        () => this.freshLine(),
      );
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

  private freshLine(): void {
    if (this.inLine) this.io.stdout.write("\n");
    this.inLine = false;
  }
}

/** A model's text commands no terminal; to a file or a program it goes as it is. */
export const forStdout = ({ stdout }: Io, text: string): string => (stdout.isTTY === true ? printable(text) : text);

const TICK_MS = 1_000;
const ERASE = "\r\u001B[2K";

/** Says, at a terminal, what the turn waits for, and for how long. */
class WaitLine {
  private readonly io: Io;
  private timer: NodeJS.Timeout | undefined;
  private drawn = false;

  constructor(io: Io) {
    this.io = io;
  }

  /** `before`: another line may be half written. */
  start(waiting: () => Waiting | undefined, before: () => void): void {
    if (this.io.stderr.isTTY !== true) return;
    this.timer = setInterval(() => this.draw(waiting(), before), TICK_MS);
  }

  stop(): void {
    clearInterval(this.timer);
    this.timer = undefined;
    if (this.drawn) this.io.stderr.write(ERASE);
    this.drawn = false;
  }

  private draw(waiting: Waiting | undefined, before: () => void): void {
    const line = waiting === undefined ? undefined : waitingLine(waiting, Date.now());
    if (line === undefined) return;
    if (!this.drawn) before();
    this.drawn = true;
    const { stderr } = this.io;
    stderr.write(`${ERASE}${printable(line).slice(0, (stderr.columns ?? 80) - 1)}`);
  }
}
