import { Transform, type TransformCallback, Writable } from "node:stream";
import type { Input, Io, Screened } from "./io.ts";

/** Bracketed paste: a terminal that is asked to puts these around what is pasted (xterm, "Bracketed Paste Mode"). */
const ASK_FOR_PASTES = "\u001B[?2004h";
const NO_MORE_PASTES = "\u001B[?2004l";
const START = Buffer.from("\u001B[200~");
const END = Buffer.from("\u001B[201~");

/** Stands for a line break of a pasted text while the line is edited. */
const BREAK = "\u2424";

/** A line as it was typed or pasted. */
export const withBreaks = (line: string): string => line.replaceAll(BREAK, "\n");

/** What is pasted stays one line of the editor: its breaks become signs, and no key in it is pressed. */
function asOneLine(pasted: string): string {
  const text = pasted.replaceAll(/\r\n?/gu, "\n").replace(/\n+$/u, "");
  return text.replaceAll(/[^\P{Cc}\n\t]/gu, "").replaceAll("\n", BREAK);
}

/** Keys of a terminal, with pastes made fit for a line editor. Bytes: a paste may be cut anywhere. */
export class Keys extends Transform {
  private readonly source: Input;
  private pending: Buffer = Buffer.alloc(0);
  private pasting = false;

  constructor(source: Input) {
    super();
    this.source = source;
    source.pipe(this);
  }

  setRawMode(mode: boolean): void {
    this.source.setRawMode?.(mode);
  }

  /** Lets go of the terminal: nothing is read any more, and nothing keeps the process. */
  leave(): void {
    this.source.unpipe(this);
    this.source.pause();
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.pending = Buffer.concat([this.pending, chunk]);
    while (this.step());
    done();
  }

  override _flush(done: TransformCallback): void {
    this.push(this.pasting ? asOneLine(this.pending.toString()) : this.pending);
    done();
  }

  /** Hands on what is certain; false when more bytes are needed. */
  private step(): boolean {
    const mark = this.pasting ? END : START;
    const at = this.pending.indexOf(mark);
    if (at >= 0) {
      const before = this.pending.subarray(0, at);
      this.push(this.pasting ? asOneLine(before.toString()) : before);
      this.pending = this.pending.subarray(at + mark.length);
      this.pasting = !this.pasting;
      return true;
    }
    if (this.pasting) return false;
    const certain = this.pending.length - halfMark(this.pending);
    if (certain > 0) this.push(this.pending.subarray(0, certain));
    this.pending = this.pending.subarray(certain);
    return false;
  }
}

/** How many bytes at the end may be the beginning of a paste; a lone escape is a key. */
function halfMark(bytes: Buffer): number {
  for (let length = Math.min(START.length - 1, bytes.length); length > 1; length--)
    if (bytes.subarray(bytes.length - length).equals(START.subarray(0, length))) return length;
  return 0;
}

/** What the line editor draws. While it is quiet, keys are kept and nothing of them shows. */
class Echo extends Writable {
  quiet = true;
  readonly isTTY = true;
  private readonly screen: Screened;

  constructor(screen: Screened) {
    super();
    this.screen = screen;
    screen.on("resize", this.resized);
  }

  get columns(): number {
    return this.screen.columns ?? 80;
  }

  leave(): void {
    this.screen.off("resize", this.resized);
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    if (!this.quiet) this.screen.write(chunk);
    done();
  }

  private readonly resized = (): void => {
    this.emit("resize");
  };
}

/** A terminal whose line is edited by us. */
export interface Terminal {
  readonly keys: Keys;
  readonly echo: Echo;
  leave(): void;
}

/** Undefined when keys or screen are no terminal. */
export function openTerminal({ stdin, stderr }: Io): Terminal | undefined {
  if (stdin.isTTY !== true || stderr.isTTY !== true) return undefined;
  stderr.write(ASK_FOR_PASTES);
  const [keys, echo] = [new Keys(stdin), new Echo(stderr)];
  const leave = (): void => {
    keys.leave();
    echo.leave();
    stderr.write(NO_MORE_PASTES);
  };
  return { keys, echo, leave };
}
