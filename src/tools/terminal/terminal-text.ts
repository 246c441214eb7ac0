type State = "text" | "escape" | "sequence" | "string" | "string-escape";

/** Control characters other than tab and line feed. */
const CONTROL = /[^\P{Cc}\t\n]/u;

/**
 * Plain text from what a program wrote for a terminal: escape sequences (colours, cursor, titles) and control
 * characters go, CR LF becomes LF, a lone CR becomes a line break. Chunks may be cut anywhere; linear in their length.
 */
export class TerminalText {
  #state: State = "text";
  #carriageReturn = false;

  push(chunk: string): string {
    if (this.#state === "text" && !this.#carriageReturn && !CONTROL.test(chunk)) return chunk;
    let plain = "";
    for (const char of chunk) plain += this.#next(char);
    return plain;
  }

  /** A CR that ended the last chunk. */
  end(): string {
    const rest = this.#carriageReturn ? "\n" : "";
    this.#carriageReturn = false;
    return rest;
  }

  #next(char: string): string {
    switch (this.#state) {
      case "text":
        return this.#text(char);
      case "escape":
        this.#state = afterEscape(char);
        return "";
      case "sequence":
        if (char >= "@" && char <= "~") this.#state = "text";
        return "";
      case "string":
        if (char === "\u0007" || char === "\u009C") this.#state = "text";
        else if (char === "\u001B") this.#state = "string-escape";
        return "";
      case "string-escape":
        this.#state = char === "\\" ? "text" : "string";
        return "";
    }
  }

  #text(char: string): string {
    const before = this.#carriageReturn && char !== "\n" ? "\n" : "";
    this.#carriageReturn = char === "\r";
    if (char === "\u001B") this.#state = "escape";
    else if (char === "\u009B") this.#state = "sequence";
    else if (char === "\u009D") this.#state = "string";
    else if (!CONTROL.test(char)) return before + char;
    return before;
  }
}

function afterEscape(char: string): State {
  if (char === "[") return "sequence";
  if (char === "]" || char === "P" || char === "_" || char === "^" || char === "X") return "string";
  // Intermediates such as "(" come before the one final character.
  return char >= " " && char <= "/" ? "escape" : "text";
}
