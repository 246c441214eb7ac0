import { type Fact, isFact, type TurnEvent } from "../../protocol/fact.ts";
import type { Lane } from "../../session/lane.ts";
import { printable } from "../../session/plain-text.ts";
import type { Language } from "../../words/language.ts";
import { waitingLine } from "../../words/waiting.ts";
import { fitting } from "../../session/text-width.ts";
import { forStdout, type Io } from "../io.ts";
import { Renderer, type Shown } from "./render.ts";
import type { Surface } from "./surface.ts";
import { ToolOutput } from "./tool-output.ts";

type Watched = Pick<Lane, "history" | "waiting">;

export interface ScreenOptions {
  readonly io: Io;
  readonly surface: Surface;
  readonly language: Language;
  /** The answer is written as it arrives. */
  readonly streams: boolean;
  /** Somebody without a terminal that can be redrawn follows: from time to time a line says what is waited for. */
  readonly tellsWaits: boolean;
  /** A line before what the model says, where nothing else shows who speaks; "" for none. */
  readonly mark: string;
}

const TICK_MS = 1_000;

/** Shows a turn as it happens. */
export class Screen {
  private readonly options: ScreenOptions;
  private readonly renderer: Renderer;
  private readonly output = new ToolOutput();
  private lane: Watched | undefined;
  private ticker: NodeJS.Timeout | undefined;
  /** A second has passed in which nothing came. */
  private waits = false;
  /** Why the model is asked again. */
  private reason = "";
  private marked = false;

  constructor(options: ScreenOptions) {
    this.options = options;
    this.renderer = new Renderer(options.streams, options.language);
  }

  /** The session whose turn is shown. */
  watch(lane: Watched): void {
    this.lane = lane;
    this.renderer.know(lane.history);
  }

  event(event: TurnEvent): void {
    if (event.type === "tool-output-delta") return this.toolOutput(event.callId, event.text);
    if (event.type === "activity-delta") return this.tellWait();
    if (!isFact(event) && event.type !== "text-delta") return;
    const { surface } = this.options;
    this.rest();
    if (event.type === "model-failure") this.reason = event.failure.message;
    // Also where the work is not shown, what is said behind it begins a line.
    if (event.type === "segment-start") surface.freshLine();
    for (const shown of this.renderer.render(event)) this.show(shown);
    if (event.type === "receipt") this.foldOutput(event);
    this.await();
  }

  private show({ channel, text }: Shown): void {
    const { surface } = this.options;
    switch (channel) {
      case "status":
        return surface.line(text);
      case "aside":
        // Of no weight: where each line is for good, it is not told.
        return surface.live ? surface.line(surface.dim(text)) : undefined;
      case "answer":
        return this.answer(text);
    }
  }

  private answer(text: string): void {
    const { surface, io, mark, streams } = this.options;
    if (!streams) return;
    if (!this.marked && mark !== "") surface.line(mark);
    this.marked = true;
    surface.answer(forStdout(io, text));
  }

  /** A line of its own. */
  status(text: string): void {
    this.options.surface.line(text);
  }

  /** The turn is over: whoever writes next begins a line. */
  done(): void {
    this.rest();
    this.output.clear();
    this.marked = false;
    this.options.surface.activity([]);
    this.options.surface.freshLine();
  }

  private toolOutput(callId: string, text: string): void {
    this.output.add(callId, text);
    this.draw();
  }

  /** The lines of a call that failed stay; of others only its end is told. */
  private foldOutput({ message, failed }: Extract<Fact, { type: "receipt" }>): void {
    const { lines, count } = this.output.take(message.callId);
    const { surface } = this.options;
    if (failed !== true && message.status !== "error") return;
    if (count > lines.length) surface.line(surface.dim(`    … ${count - lines.length} more`));
    for (const line of lines) surface.line(surface.dim(`    ${line}`));
  }

  private await(): void {
    if (!this.options.surface.live) return;
    this.ticker ??= setInterval(() => {
      this.waits = true;
      this.draw();
    }, TICK_MS);
  }

  private rest(): void {
    clearInterval(this.ticker);
    this.ticker = undefined;
    this.waits = false;
    this.draw();
  }

  private draw(): void {
    const { surface } = this.options;
    const lines = this.output.lastLines().map((line) => surface.dim(fitting(`    ${line}`, surface.columns - 1)));
    const wait = this.waits ? this.waitText() : undefined;
    const rows = wait === undefined ? lines : [...lines, surface.dim(fitting(printable(wait), surface.columns - 1))];
    surface.activity(rows);
  }

  private waitText(): string | undefined {
    const waiting = this.lane?.waiting;
    if (waiting === undefined) return undefined;
    return waitingLine(waiting, Date.now(), { language: this.options.language, reason: this.reason });
  }

  private tellWait(): void {
    const { surface, tellsWaits } = this.options;
    const text = tellsWaits && !surface.live ? this.waitText() : undefined;
    if (text !== undefined) surface.line(printable(text));
  }
}
