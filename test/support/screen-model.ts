import { columnAfter } from "../../src/session/text-width.ts";

const ESCAPE = String.raw`\u001B`;
const SEQUENCE = new RegExp(String.raw`^${ESCAPE}\[([\d;?]*)([A-Za-z])$`, "u");
const PIECES = new RegExp(String.raw`${ESCAPE}\[[\d;?]*[A-Za-z]|[\r\n]|[^${ESCAPE}\r\n]`, "gu");

/** A terminal as far as our sequences go: what stands on it, and what has left it at the top. */
export class ScreenModel {
  private readonly columns: number;
  private readonly height: number;
  private readonly rows: string[] = [""];
  private top = 0;
  private row = 0;
  private column = 0;

  constructor(columns: number, height: number) {
    this.columns = columns;
    this.height = height;
  }

  /** All rows from the first on, without those that are empty at the end. */
  get lines(): string[] {
    const last = this.rows.findLastIndex((row) => row.trimEnd() !== "");
    return this.rows.slice(0, last + 1).map((row) => row.trimEnd());
  }

  get caret(): { readonly row: number; readonly column: number } {
    return { row: this.row, column: this.column };
  }

  write(text: string): void {
    for (const [piece] of text.matchAll(PIECES)) this.take(piece);
  }

  private take(piece: string): void {
    if (piece === "\n") return this.down();
    if (piece === "\r") {
      this.column = 0;
      return;
    }
    const [, count = "", command] = SEQUENCE.exec(piece) ?? [];
    if (command === undefined) this.put(piece);
    else this.command(command, Number(count || "1"));
  }

  private command(command: string, count: number): void {
    switch (command) {
      case "A":
        if (this.row - count < this.top)
          throw new Error("the cursor went above the screen: a row would be written twice");
        this.row -= count;
        return;
      case "C":
        this.column = Math.min(this.columns - 1, this.column + count);
        return;
      case "G":
        this.column = Math.min(this.columns, count) - 1;
        return;
      case "J":
        this.rows[this.row] = (this.rows[this.row] ?? "").slice(0, this.column);
        this.rows.length = this.row + 1;
        return;
      case "m":
        return;
      default:
        throw new Error(`the model knows no ${command}`);
    }
  }

  private put(character: string): void {
    if (columnAfter(character, 0, this.columns) !== 1)
      throw new Error("the model knows characters of one column alone");
    if (this.column === this.columns) {
      this.down();
      this.column = 0;
    }
    const row = (this.rows[this.row] ?? "").padEnd(this.column);
    this.rows[this.row] = row.slice(0, this.column) + character + row.slice(this.column + 1);
    this.column++;
  }

  /** A line break of a terminal that has translated it: to the beginning of the next row. */
  private down(): void {
    this.row++;
    this.column = 0;
    if (this.rows.length <= this.row) this.rows.push("");
    if (this.row >= this.top + this.height) this.top++;
  }
}
