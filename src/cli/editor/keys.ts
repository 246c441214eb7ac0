import { emitKeypressEvents, type Key } from "node:readline";
import { PassThrough } from "node:stream";
import type { Input } from "../io.ts";
import { FirstLook } from "./first-look.ts";

/** What a person does at the keyboard. */
export type Action =
  | { readonly do: "insert"; readonly text: string }
  /** A whole text at once. So much of it (`typed`, UTF-16 units) was taken for typing and stands before the caret. */
  | { readonly do: "paste"; readonly text: string; readonly typed: number }
  /** `early`: typed before anybody looked at the terminal. */
  | { readonly do: "submit"; readonly early: boolean }
  | { readonly do: "line-break" | "interrupt" | "end" | "closed" | "suspend" | "redraw" }
  /** `twice`: two presses came as one. */
  | { readonly do: "stop"; readonly twice: boolean }
  | { readonly do: EditKey };

export type EditKey =
  | "backspace"
  | "delete"
  | "left"
  | "right"
  | "word-left"
  | "word-right"
  | "home"
  | "end-of-line"
  | "up"
  | "down"
  | "take-back"
  | "cut-to-end"
  | "cut-to-start"
  | "cut-word"
  | "put-back"
  | "complete";

/** Keys closer than this come from a paste, ms (product.md §4.1). */
const BURST_MS = 8;

/** The second came before the first was known to stand alone. */
const TWO_ESCAPES = "\u001B\u001B";
const TWICE: Action = { do: "stop", twice: true };

/** By name of the key as node:readline gives it, with the modifiers that count in front. */
const KEYS: ReadonlyMap<string, Action> = new Map<string, Action>([
  ["enter", { do: "line-break" }],
  ["meta+return", { do: "line-break" }],
  ["meta+enter", { do: "line-break" }],
  ["ctrl+c", { do: "interrupt" }],
  ["ctrl+d", { do: "end" }],
  // A lone escape is told from the beginning of a sequence by time, and comes with its own modifier.
  ["meta+escape", { do: "stop", twice: false }],
  ["ctrl+z", { do: "suspend" }],
  ["ctrl+l", { do: "redraw" }],
  ["backspace", { do: "backspace" }],
  ["ctrl+h", { do: "backspace" }],
  ["delete", { do: "delete" }],
  ["left", { do: "left" }],
  ["ctrl+b", { do: "left" }],
  ["right", { do: "right" }],
  ["ctrl+f", { do: "right" }],
  ["ctrl+left", { do: "word-left" }],
  ["meta+left", { do: "word-left" }],
  ["meta+b", { do: "word-left" }],
  ["ctrl+right", { do: "word-right" }],
  ["meta+right", { do: "word-right" }],
  ["meta+f", { do: "word-right" }],
  ["home", { do: "home" }],
  ["ctrl+a", { do: "home" }],
  ["end", { do: "end-of-line" }],
  ["ctrl+e", { do: "end-of-line" }],
  ["up", { do: "up" }],
  ["ctrl+p", { do: "up" }],
  ["down", { do: "down" }],
  ["ctrl+n", { do: "down" }],
  ["meta+up", { do: "take-back" }],
  ["ctrl+k", { do: "cut-to-end" }],
  ["ctrl+u", { do: "cut-to-start" }],
  ["ctrl+w", { do: "cut-word" }],
  ["meta+backspace", { do: "cut-word" }],
  ["ctrl+y", { do: "put-back" }],
  ["tab", { do: "complete" }],
]);

/** Reads keys off a terminal in raw mode, and tells typing from pasting, with and without the terminal's help. */
export class Keys {
  private readonly source: Input;
  private readonly act: (action: Action) => void;
  private readonly stream = new PassThrough();
  /** Between the marks of a bracketed paste. */
  private pasted: string | undefined;
  /** Length of what was typed so closely that it may be the first line of a paste. */
  private run = 0;
  private lastMs = -Infinity;
  /** Enter was pressed, or a paste without marks goes on: what came since, with its line break. */
  private held: string | undefined;
  private lastWasReturn = false;
  private timer: NodeJS.Timeout | undefined;
  private check: NodeJS.Immediate | undefined;
  /** What is read now was typed before anybody looked: lines as they stand, however close they come. */
  private readonly first = new FirstLook();

  constructor(source: Input, act: (action: Action) => void) {
    this.source = source;
    this.act = act;
    emitKeypressEvents(this.stream);
    this.stream.on("keypress", (text: string | undefined, key: Key) => this.press(text ?? "", key));
    source.on("end", this.ended);
    source.on("error", this.ended);
    source.on("close", this.ended);
    this.enter();
  }

  enter(): void {
    this.source.on("data", this.feed);
    this.source.setRawMode?.(true);
    this.source.resume();
    this.first.look();
  }

  /** Lets go of the terminal: nothing is read any more, and nothing keeps the process. */
  leave(): void {
    this.stopWaiting();
    this.source.off("data", this.feed);
    this.source.setRawMode?.(false);
    this.source.pause();
  }

  private readonly feed = (chunk: Buffer): void => {
    this.stream.write(chunk);
  };

  private readonly ended = (): void => {
    this.settle();
    this.act({ do: "closed" });
  };

  private press(text: string, key: Key): void {
    if (key.name === "paste-start") {
      this.settle();
      this.pasted = "";
    } else if (key.name === "paste-end") this.endPaste();
    else if (this.pasted !== undefined) this.pasted += key.sequence ?? text;
    else this.pressKey(text, key);
  }

  private endPaste(): void {
    const text = this.pasted ?? "";
    this.pasted = undefined;
    this.act({ do: "paste", text: withoutEnd(text), typed: 0 });
  }

  private pressKey(text: string, key: Key): void {
    const now = performance.now();
    const close = now - this.lastMs <= BURST_MS;
    this.lastMs = now;
    if (!close) this.run = 0;
    const isSecondHalf = close && this.lastWasReturn && key.name === "enter";
    this.lastWasReturn = key.name === "return";
    // Some send both halves of a line break for one.
    if (isSecondHalf) return;
    const written = writtenBy(text, key);
    if (this.held !== undefined && written !== undefined) return this.hold(written);
    this.settle();
    const action = actionOf(key);
    // Before a terminal is asked for single keys, it makes a line feed of Enter.
    if (this.first.early && written === "\n") this.act({ do: "submit", early: true });
    else if (nameOf(key) === "return") this.hold("\n");
    else if (action !== undefined) this.act(action);
    else if (written !== undefined) {
      this.run += written.length;
      this.act({ do: "insert", text: written });
    }
  }

  /** Whether Enter sends, or breaks a line of a paste, is seen from what follows it at once. */
  private hold(text: string): void {
    this.held = (this.held ?? "") + text;
    this.stopWaiting();
    // What has arrived already is read before the wait is over, however busy this process was.
    this.timer = setTimeout(() => (this.check = setImmediate(() => this.settle())), BURST_MS);
  }

  private settle(): void {
    this.stopWaiting();
    const { held, run } = this;
    if (held === undefined) return;
    this.held = undefined;
    this.run = 0;
    this.act(held === "\n" ? { do: "submit", early: false } : { do: "paste", text: withoutEnd(held), typed: run });
  }

  private stopWaiting(): void {
    clearTimeout(this.timer);
    clearImmediate(this.check);
  }
}

/** The last line break of a pasted text is how it was selected, and does not send it. */
const withoutEnd = (text: string): string => text.replace(/[\r\n]+$/u, "");

const actionOf = (key: Key): Action | undefined => (key.sequence === TWO_ESCAPES ? TWICE : KEYS.get(nameOf(key)));

function nameOf({ name = "", ctrl, meta }: Key): string {
  return `${ctrl === true ? "ctrl+" : ""}${meta === true ? "meta+" : ""}${name}`;
}

/** The text a key writes, also one that does more than that; undefined for one that writes nothing. */
function writtenBy(text: string, { name, ctrl, meta, sequence }: Key): string | undefined {
  if (ctrl === true || meta === true) return undefined;
  if (name === "return" || name === "enter") return "\n";
  if (name === "tab") return "\t";
  if (text === "" || sequence?.startsWith("\u001B") === true || /\p{Cc}/u.test(text)) return undefined;
  return text;
}
