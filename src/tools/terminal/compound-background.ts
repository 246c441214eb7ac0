/**
 * Wraps what stands behind the last `&&` or `||` of a chain that ends in a background `&`: `A && B &` becomes
 * `A && { B & }` (Hermes §26.8). A shell would run the whole chain in a shell of its own, which then keeps the output
 * open as long as B runs. Nothing inside quotes, comments, brackets and braces is touched, and nothing behind the sign of a
 * here-document: its lines are data.
 */
export function wrapBackground(command: string): string {
  const walk = new Walk(command);
  while (walk.step());
  return walk.text();
}

const QUOTES = new Set(["'", '"', "`"]);
const BRACKETS = new Set("(){}");
/** Statements end here, and with them the chain. */
const ENDS = new Set([";", "\n"]);

class Walk {
  readonly #text: string;
  #at = 0;
  #depth = 0;
  /** Behind the last chain operator of this statement; undefined: it has none. */
  #chain: number | undefined;
  #done = "";
  #copied = 0;

  constructor(text: string) {
    this.#text = text;
  }

  text(): string {
    return this.#done + this.#text.slice(this.#copied);
  }

  /** False at the end. */
  step(): boolean {
    const char = this.#text[this.#at];
    if (char === undefined) return false;
    if (char === "\\") this.#at += 2;
    else if (QUOTES.has(char)) this.#quoted(char);
    else if (char === "#" && this.#isWordStart()) this.#comment();
    else if (this.#text.startsWith("<<", this.#at)) this.#document();
    else if (this.#isTest()) this.#test();
    else if (BRACKETS.has(char)) this.#bracket(char);
    else if (this.#depth === 0) this.#operator(char);
    else this.#at += 1;
    return true;
  }

  #quoted(quote: string): void {
    for (this.#at += 1; this.#at < this.#text.length && this.#text[this.#at] !== quote; this.#at += 1)
      if (this.#text[this.#at] === "\\" && quote !== "'") this.#at += 1;
    this.#at += 1;
  }

  #comment(): void {
    const end = this.#text.indexOf("\n", this.#at);
    this.#at = end < 0 ? this.#text.length : end;
  }

  #document(): void {
    this.#at = this.#text[this.#at + 2] === "<" ? this.#at + 3 : this.#text.length;
  }

  /** `[[ a && b ]]`. */
  #isTest(): boolean {
    return this.#text.startsWith("[[ ", this.#at) && this.#isWordStart();
  }

  #test(): void {
    const end = this.#text.indexOf(" ]]", this.#at);
    this.#at = end < 0 ? this.#text.length : end + 3;
  }

  #bracket(char: string): void {
    this.#depth = char === "(" || char === "{" ? this.#depth + 1 : Math.max(0, this.#depth - 1);
    this.#at += 1;
  }

  #isWordStart(): boolean {
    return this.#at === 0 || /[\s;|&(]/u.test(this.#text[this.#at - 1] ?? "");
  }

  #operator(char: string): void {
    const next = this.#text[this.#at + 1];
    if ((char === "&" || char === "|") && next === char) {
      this.#at += 2;
      this.#chain = this.#at;
    } else if (char === "&" && next !== ">" && !/[<>]/u.test(this.#text[this.#at - 1] ?? "")) this.#background();
    else {
      if (ENDS.has(char) || char === "|") this.#chain = undefined;
      this.#at += 1;
    }
  }

  #background(): void {
    const chain = this.#chain;
    this.#at += 1;
    this.#chain = undefined;
    if (chain === undefined) return;
    const last = this.#text.slice(chain, this.#at - 1);
    const [space = ""] = /^\s*/u.exec(last) ?? [];
    this.#done += `${this.#text.slice(this.#copied, chain)}${space}{ ${last.trim()} & }`;
    this.#copied = this.#at;
  }
}
