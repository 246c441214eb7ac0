import type { Caret } from "../editor/layout.ts";
import type { DrawingRoom } from "../../session/picture/draw.ts";
import { columnAfter, textWidth } from "../../session/text-width.ts";
import { drawingRoom, type Io, type Screened } from "../io.ts";

/** Between two drawings of the same rows, ms: 30 a second at most (product.md §4.3). */
const FRAME_MS = 33;

/** A terminal that only writes. */
export const isDumb = ({ env }: Io): boolean => env["TERM"] === "dumb";

/** What is drawn below all that was written, and drawn anew with each change. */
interface Tail {
  readonly rows: readonly string[];
  readonly caret: Caret | undefined;
}

export interface SurfaceOptions {
  /** Nothing that was written is touched again, and no escape sequence is used. */
  readonly plain: boolean;
}

/**
 * The answer on stdout, everything else as lines on stderr, neither in the middle of the other. At a terminal, a few rows
 * below them are alive: what goes on, and what is being typed. What was written once is never touched again.
 */
export class Surface {
  /** The rows below are there. */
  readonly live: boolean;
  private readonly io: Io;
  private readonly coloured: boolean;
  private activityRows: readonly string[] = [];
  private input: Tail = { rows: [], caret: undefined };
  /** Written and not shown yet. */
  private pending: { readonly to: Screened; readonly text: string }[] = [];
  /** What stands on the terminal below the last thing written. */
  private drawn: Tail = { rows: [], caret: undefined };
  /** The answer's last line has begun and not ended. */
  private inLine = false;
  /** Where the terminal's cursor stands in that line. */
  private column = 0;
  /** It stands at the beginning of the row behind one that the answer has filled. */
  private isBehindFull = false;
  private timer: NodeJS.Timeout | undefined;

  constructor(io: Io, { plain }: SurfaceOptions) {
    this.io = io;
    this.live = io.stderr.isTTY === true && !plain;
    this.coloured = this.live && (io.env["NO_COLOR"] ?? "") === "";
    if (this.live) io.stderr.on("resize", this.resized);
  }

  get columns(): number {
    return this.io.stderr.columns || 80;
  }

  /** How many rows may be alive. */
  get room(): number {
    return Math.max(1, (this.io.stderr.rows || 24) - 2);
  }

  /** What a drawing may take. */
  get page(): DrawingRoom {
    return this.live ? drawingRoom(this.io.stderr, this.io.env) : { columns: 80, plain: true };
  }

  dim(text: string): string {
    return this.coloured ? `\u001B[2m${text}\u001B[22m` : text;
  }

  /** A piece of the answer, as it stands. */
  answer(text: string): void {
    if (text === "") return;
    this.inLine = !text.endsWith("\n");
    this.write(this.io.stdout, text);
  }

  /** A line of its own. */
  line(text: string): void {
    this.freshLine();
    this.write(this.io.stderr, `${text}\n`);
    this.flush();
  }

  /** Whoever writes next begins a line. */
  freshLine(): void {
    if (!this.inLine) return;
    this.inLine = false;
    this.write(this.io.stdout, "\n");
  }

  /** What goes on: rows above the input; none takes them away. */
  activity(rows: readonly string[]): void {
    if (!this.live || (rows.length === 0 && this.activityRows.length === 0)) return;
    this.activityRows = rows;
    if (rows.length === 0) this.flush();
    else this.schedule();
  }

  /** What is being typed. */
  typed(rows: readonly string[], caret: Caret | undefined): void {
    if (!this.live || (rows.length === 0 && this.input.rows.length === 0)) return;
    this.input = { rows, caret };
    this.flush();
  }

  /** Everything written is shown, and nothing is alive any more. */
  close(): void {
    this.activityRows = [];
    this.input = { rows: [], caret: undefined };
    this.freshLine();
    this.flush();
    if (this.live) this.io.stderr.off("resize", this.resized);
  }

  /** The rows are drawn anew, as after something else has written. */
  redraw(): void {
    this.drawn = { rows: [], caret: undefined };
    this.flush();
  }

  private write(to: Screened, text: string): void {
    this.pending.push({ to, text });
    if (this.drawn.rows.length === 0) this.flush();
    else this.schedule();
  }

  private schedule(): void {
    this.timer ??= setTimeout(() => this.flush(), FRAME_MS);
  }

  private flush(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    const tail = this.tail();
    if (this.pending.length === 0 && same(tail, this.drawn)) return;
    this.erase();
    for (const { to, text } of this.pending.splice(0)) this.show(to, text);
    this.draw(tail);
  }

  private tail(): Tail {
    const { rows, caret } = this.input;
    const above = this.activityRows.slice(-Math.max(0, this.room - rows.length));
    if (rows.length === 0 || caret === undefined) return { rows: [...above, ...rows], caret: undefined };
    return { rows: [...above, ...rows], caret: { row: caret.row + above.length, column: caret.column } };
  }

  private erase(): void {
    const { rows, caret } = this.drawn;
    this.drawn = { rows: [], caret: undefined };
    if (rows.length === 0) return;
    const up = caret?.row ?? rows.length - 1;
    this.io.stderr.write(`${up > 0 ? `\u001B[${up}A` : ""}\r\u001B[J`);
    if (this.column === 0) return;
    // Back to the end of the answer's line; one that fills its row goes on in the next, where the cursor is.
    if (this.column < this.columns) this.io.stderr.write(`\u001B[A\u001B[${this.column + 1}G`);
    else {
      this.column = 0;
      this.isBehindFull = true;
    }
  }

  /** Behind a full row the cursor stands where its line break would have put it. */
  private show(to: Screened, text: string): void {
    const isTold = to.isTTY === true && this.isBehindFull && text.startsWith("\n");
    if (to.isTTY === true) this.isBehindFull = false;
    const left = isTold ? text.slice(1) : text;
    to.write(left);
    if (to.isTTY === true) this.follow(left);
  }

  private draw(tail: Tail): void {
    this.drawn = tail;
    const { rows, caret } = tail;
    if (rows.length === 0) return;
    const up = rows.length - 1 - (caret?.row ?? rows.length - 1);
    const move = caret === undefined ? "" : `${up > 0 ? `\u001B[${up}A` : ""}\r${right(caret.column)}`;
    this.io.stderr.write(`${this.column > 0 ? "\n" : ""}${rows.join("\n")}${move}`);
  }

  private follow(text: string): void {
    const from = text.lastIndexOf("\n") + 1;
    if (from > 0) this.column = 0;
    this.column = columnAfter(text.slice(from), this.column, this.columns);
  }

  /**
   * The terminal has broken its rows anew: those alive may stand on more of them now. They are taken away; whoever owns
   * them draws them for the new width.
   */
  private readonly resized = (): void => {
    const { rows, caret } = this.drawn;
    const until = caret === undefined ? rows : rows.slice(0, caret.row + 1);
    const high = until.reduce((sum, row) => sum + Math.max(1, Math.ceil(textWidth(row) / this.columns)), 0);
    if (rows.length > 0) this.drawn = { rows, caret: { row: Math.max(0, high - 1), column: 0 } };
    this.column = Math.min(this.column, this.columns);
    this.activityRows = [];
    this.input = { rows: [], caret: undefined };
    this.flush();
  };
}

const right = (columns: number): string => (columns > 0 ? `\u001B[${columns}C` : "");

const same = (a: Tail, b: Tail): boolean =>
  a.rows.length === b.rows.length &&
  a.rows.every((row, at) => row === b.rows[at]) &&
  a.caret?.row === b.caret?.row &&
  a.caret?.column === b.caret?.column;
