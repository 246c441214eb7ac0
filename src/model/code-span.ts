/**
 * Follows shown text to know whether the next character stands in code (a Markdown span or fence) and whether it is
 * the first on its line. Costs nothing for text without back-ticks and line breaks.
 */
export class CodeSpan {
  /** Only white space since the last line break. */
  blank = true;
  /** Length of the back-tick run that opened the code we are in; 0 outside. */
  #opened = 0;
  #fence = false;
  /** Length of the run that ends the text so far: it may go on. */
  #run = 0;
  #runBlank = false;

  pass(text: string): void {
    if (this.#run > 0 || text.includes("`")) this.#passEach(text);
    else this.#passPlain(text);
  }

  /** Asked only where the next character is no back-tick. */
  inCode(): boolean {
    this.#closeRun();
    return this.#opened > 0;
  }

  #passPlain(text: string): void {
    const line = text.lastIndexOf("\n");
    if (line >= 0) this.#newLine();
    if (this.blank) this.blank = !/\S/.test(line < 0 ? text : text.slice(line + 1));
  }

  #passEach(text: string): void {
    for (let at = 0; at < text.length; at++) {
      const char = text[at] ?? "";
      if (char === "`") {
        if (this.#run++ === 0) this.#runBlank = this.blank;
        continue;
      }
      this.#closeRun();
      if (char === "\n") this.#newLine();
      else if (this.blank) this.blank = !/\S/.test(char);
    }
  }

  #newLine(): void {
    this.blank = true;
    if (!this.#fence) this.#opened = 0;
  }

  #closeRun(): void {
    const length = this.#run;
    if (length === 0) return;
    this.#run = 0;
    this.blank = false;
    if (this.#opened === 0) {
      this.#opened = length;
      this.#fence = length >= 3 && this.#runBlank;
    } else if (this.#fence ? length >= this.#opened && this.#runBlank : length === this.#opened) {
      this.#opened = 0;
      this.#fence = false;
    }
  }
}
