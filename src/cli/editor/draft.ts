import { charactersOf } from "../../session/text-width.ts";

/** A pasted text that is shown as its size; what is sent is the text. */
export interface Chip {
  readonly label: string;
  readonly text: string;
}

/** What the caret steps over: a character as people see it, or a chip. */
export type Cell = string | Chip;

/** Pasted lines, and characters, from which on a text becomes a chip (product.md §4.1). */
const CHIP_LINES = 10;
const CHIP_CHARS = 2_000;

/** Controls but line breaks and tabs: no text of a person holds them. */
const CONTROL = /[^\P{Cc}\n\t]/gu;

const SPACE = /^\s$/u;

/** A text that is being written, with a caret in it. */
export class Draft {
  private cells: Cell[] = [];
  private at = 0;
  /** Cut last, to be put back. */
  private cut: Cell[] = [];

  get empty(): boolean {
    return this.cells.length === 0;
  }

  /** What it says, chips as their text. */
  get text(): string {
    return this.cells.map((cell) => (typeof cell === "string" ? cell : cell.text)).join("");
  }

  get shown(): readonly Cell[] {
    return this.cells;
  }

  get caret(): number {
    return this.at;
  }

  set(text: string): void {
    this.cells = [];
    this.at = 0;
    this.paste(text);
  }

  clear(): void {
    this.cells = [];
    this.at = 0;
  }

  /** A mark that joins the character before it becomes part of that. */
  insert(raw: string): void {
    const text = raw.replaceAll(CONTROL, "");
    const before = this.cells[this.at - 1];
    const joined = typeof before === "string" && before !== "\n" ? before : "";
    const from = joined === "" ? this.at : this.at - 1;
    const cells = charactersOf(joined + text);
    this.cells.splice(from, this.at - from, ...cells);
    this.at = from + cells.length;
  }

  /** A text from elsewhere: a large one becomes a chip. */
  paste(raw: string): void {
    const text = raw.replaceAll(/\r\n?/gu, "\n").replaceAll(CONTROL, "");
    const lines = text.split("\n").length;
    if (lines <= CHIP_LINES && text.length <= CHIP_CHARS) return this.insert(text);
    const label = lines > CHIP_LINES ? `[paste ${lines} lines]` : `[paste ${text.length} characters]`;
    this.cells.splice(this.at, 0, { label, text });
    this.at++;
  }

  /** Takes back what was inserted last before the caret, so many UTF-16 units of it. */
  takeBack(length: number): string {
    let taken = "";
    while (taken.length < length && this.at > 0) {
      const [cell = ""] = this.cells.splice(--this.at, 1);
      taken = (typeof cell === "string" ? cell : cell.text) + taken;
    }
    return taken;
  }

  /** A backslash before the caret means that the line goes on (`\` and Enter); true when it did. */
  breakLine(): boolean {
    if (this.cells[this.at - 1] !== "\\") return false;
    this.backspace();
    this.insert("\n");
    return true;
  }

  backspace(): void {
    if (this.at > 0) this.cells.splice(--this.at, 1);
  }

  delete(): void {
    this.cells.splice(this.at, 1);
  }

  left(): void {
    this.at = Math.max(0, this.at - 1);
  }

  right(): void {
    this.at = Math.min(this.cells.length, this.at + 1);
  }

  wordLeft(): void {
    while (this.at > 0 && this.isSpace(this.at - 1)) this.at--;
    while (this.at > 0 && !this.isSpace(this.at - 1)) this.at--;
  }

  wordRight(): void {
    while (this.at < this.cells.length && this.isSpace(this.at)) this.at++;
    while (this.at < this.cells.length && !this.isSpace(this.at)) this.at++;
  }

  home(): void {
    this.at = this.lineStart();
  }

  end(): void {
    this.at = this.lineEnd();
  }

  /** One line up, or down; false when there is none. */
  moveLine(step: -1 | 1): boolean {
    const start = this.lineStart();
    const column = this.at - start;
    if (step < 0 && start === 0) return false;
    if (step > 0 && this.lineEnd() === this.cells.length) return false;
    this.at = step < 0 ? start - 1 : this.lineEnd() + 1;
    this.at = Math.min(this.lineStart() + column, this.lineEnd());
    return true;
  }

  cutToEnd(): void {
    const end = this.lineEnd();
    this.cutRange(this.at, end === this.at ? Math.min(end + 1, this.cells.length) : end);
  }

  cutToStart(): void {
    this.cutRange(this.lineStart(), this.at);
  }

  cutWord(): void {
    const end = this.at;
    this.wordLeft();
    this.cutRange(this.at, end);
  }

  putBack(): void {
    this.cells.splice(this.at, 0, ...this.cut);
    this.at += this.cut.length;
  }

  private cutRange(from: number, to: number): void {
    if (to === from) return;
    this.cut = this.cells.splice(from, to - from);
    this.at = from;
  }

  private isSpace(index: number): boolean {
    const cell = this.cells[index];
    return typeof cell === "string" && SPACE.test(cell);
  }

  private lineStart(): number {
    return this.at === 0 ? 0 : this.cells.lastIndexOf("\n", this.at - 1) + 1;
  }

  private lineEnd(): number {
    const end = this.cells.indexOf("\n", this.at);
    return end < 0 ? this.cells.length : end;
  }
}
