import { StoreError } from "../../protocol/store.ts";
import { printable } from "../../session/plain-text.ts";
import { unsent } from "../../words/chat.ts";
import { type Language, type Text, wordsIn } from "../../words/language.ts";
import type { Surface } from "../screen/surface.ts";

/** What the conversation itself says, each a line. */
export class Voice {
  readonly language: Language;
  private readonly surface: Surface;

  constructor(surface: Surface, language: Language) {
    this.surface = surface;
    this.language = language;
  }

  tell(line: string): void {
    this.surface.line(printable(line));
  }

  say(text: Text): void {
    this.tell(text[this.language]);
  }

  unsent(lines: readonly string[]): void {
    if (lines.length === 0) return;
    this.say(unsent(lines.length));
    for (const line of lines) this.tell(`  ${line}`);
  }

  /** Nobody waits for it, and what goes wrong is told. */
  follow(work: Promise<unknown>): void {
    work.catch((error: unknown) => this.tell(`evander: ${this.words(error)}`));
  }

  private words(error: unknown): string {
    if (error instanceof StoreError) return wordsIn(error.sentence, this.language);
    return error instanceof Error ? error.message : String(error);
  }
}
