import { StringDecoder } from "node:string_decoder";
import type { Io } from "../io.ts";
import type { Surface } from "../screen/surface.ts";
import { FirstLook } from "./first-look.ts";
import { LastKey } from "./last-key.ts";
import type { Expected, LineEvents, LineSource } from "./line-source.ts";

export interface PlainOptions {
  readonly io: Io;
  readonly surface: Surface;
  /** Stands before what a person types; nothing where nobody does. */
  readonly prompt: string;
  readonly events: LineEvents;
  /** Tells what was typed too early to be an answer. */
  readonly ignored: (text: string) => void;
}

/** Lines of a pipe, or of a terminal whose own line editing is left alone. */
export class PlainLines implements LineSource {
  private readonly options: PlainOptions;
  private readonly decoder = new StringDecoder("utf8");
  private buffer = "";
  private expected: Expected = { type: "nothing" };
  private readonly lastKey = new LastKey();
  private closed = false;
  private readonly first = new FirstLook();

  constructor(options: PlainOptions) {
    this.options = options;
    const { stdin } = options.io;
    stdin.on("data", this.take);
    stdin.on("end", this.ended);
    stdin.on("error", this.ended);
    stdin.on("close", this.ended);
    if (stdin.isTTY === true) this.first.look();
  }

  expect(what: Expected): void {
    const { io, prompt } = this.options;
    if (this.expected.type === "question") this.settle();
    this.expected = what;
    if (io.stdin.isTTY !== true) return;
    if (what.type === "question") this.open(what.text);
    else if (what.type === "answer") io.stderr.write(what.hint);
    else if (what.type === "message") io.stderr.write(prompt);
  }

  quiet(ms: number): Promise<void> {
    return this.lastKey.quiet(ms, () => this.closed);
  }

  /** Nothing can be put where the terminal itself keeps the line: it is shown, to be typed again. */
  write(text: string): void {
    this.options.ignored(text);
  }

  close(): void {
    if (this.closed) return;
    this.closed = true;
    const { stdin } = this.options.io;
    stdin.off("data", this.take);
    stdin.pause();
  }

  /** What a terminal keeps of a half-typed line comes out when it is asked for single keys: no part of the answer. */
  private open(text: string): void {
    const { io } = this.options;
    io.stderr.write(text);
    io.stdin.setRawMode?.(true);
  }

  private settle(): void {
    const { io, ignored } = this.options;
    io.stdin.setRawMode?.(false);
    const early = this.buffer;
    this.buffer = "";
    if (early === "") return;
    io.stderr.write("\n");
    ignored(early);
  }

  private readonly take = (chunk: Buffer): void => {
    this.lastKey.pressed();
    if (this.first.early) this.first.look();
    const raw = this.expected.type === "question";
    const text = this.decoder.write(chunk);
    this.buffer += raw ? this.withoutInterrupt(text.replaceAll("\r", "\n")) : text;
    this.emit();
  };

  /** While single keys come, Ctrl-C is one of them. */
  private withoutInterrupt(text: string): string {
    if (!text.includes("\u0003")) return text;
    this.options.events.interrupted();
    return text.slice(text.lastIndexOf("\u0003") + 1);
  }

  private emit(): void {
    for (let end = this.buffer.indexOf("\n"); end >= 0 && !this.closed; end = this.buffer.indexOf("\n")) {
      const line = this.buffer.slice(0, end).replace(/\r$/u, "");
      this.buffer = this.buffer.slice(end + 1);
      this.options.events.line(line, this.first.early);
    }
  }

  private readonly ended = (): void => {
    if (this.closed) return;
    const rest = this.buffer + this.decoder.end();
    this.buffer = "";
    if (rest !== "") this.options.events.line(rest);
    // Ctrl-D leaves the cursor behind the prompt.
    const { stdin, stderr } = this.options.io;
    if (stdin.isTTY === true && this.expected.type === "message") stderr.write("\n");
    this.close();
    this.options.events.ended();
  };
}
