import type { Io } from "../io.ts";
import type { Surface } from "../screen/surface.ts";
import { Draft } from "./draft.ts";
import type { History } from "./history.ts";
import { type Action, type EditKey, Keys } from "./keys.ts";
import { around, layOut } from "./layout.ts";
import { LastKey } from "./last-key.ts";
import type { Expected, LineEvents, LineSource } from "./line-source.ts";

/** Bracketed paste: a terminal that is asked to puts marks around what is pasted (xterm, "Bracketed Paste Mode"). */
const ASK_FOR_PASTES = "\u001B[?2004h";
const NO_MORE_PASTES = "\u001B[?2004l";

const PROMPT = "› ";
/** The command that a second escape stands for, and how soon it has to come, ms. */
const EDIT = "/edit";
const AGAIN_MS = 1_000;
/** Rows of a message that are seen while it is written. */
const MOST_ROWS = 10;

export interface EditorOptions {
  readonly io: Io;
  readonly surface: Surface;
  /** Absent where messages are no history: at the question of a turn alone. */
  readonly history?: History | undefined;
  readonly events: LineEvents;
}

/** A line at a terminal, written with all that people are used to. */
export class Editor implements LineSource {
  private readonly options: EditorOptions;
  private readonly keys: Keys;
  private readonly message = new Draft();
  private readonly answer = new Draft();
  private expected: Expected = { type: "nothing" };
  private readonly lastKey = new LastKey();
  private closed = false;
  private escapedMs = -Infinity;
  private readonly unlisten: () => void;

  constructor(options: EditorOptions) {
    this.options = options;
    const { io } = options;
    io.stderr.write(ASK_FOR_PASTES);
    this.unlisten = io.onExit(() => io.stderr.write(NO_MORE_PASTES));
    this.keys = new Keys(io.stdin, (action) => this.act(action));
    io.stderr.on("resize", this.draw);
  }

  expect(what: Expected): void {
    this.expected = what;
    if (what.type === "answer") this.answer.clear();
    this.draw();
  }

  quiet(ms: number): Promise<void> {
    return this.lastKey.quiet(ms, () => this.closed);
  }

  write(text: string): void {
    this.message.set(text);
    this.draw();
  }

  close(): void {
    if (this.closed) return;
    this.closed = true;
    const { io, surface } = this.options;
    io.stderr.off("resize", this.draw);
    this.keys.leave();
    surface.typed([], undefined);
    io.stderr.write(NO_MORE_PASTES);
    this.unlisten();
  }

  private get draft(): Draft {
    return this.expected.type === "answer" ? this.answer : this.message;
  }

  private act(action: Action): void {
    if (this.closed) return;
    this.lastKey.pressed();
    switch (action.do) {
      case "submit":
        if (!this.draft.breakLine()) this.submit(action.early);
        break;
      case "insert":
        this.draft.insert(action.text);
        break;
      case "paste":
        this.draft.paste(this.draft.takeBack(action.typed) + action.text);
        break;
      case "line-break":
        this.draft.insert("\n");
        break;
      case "interrupt":
        return this.interrupt();
      case "stop":
        return this.escape(action.twice);
      case "end":
        if (!this.draft.empty) this.draft.delete();
        else return this.end();
        break;
      case "closed":
        return this.end();
      case "suspend":
        return this.suspend();
      case "redraw":
        this.options.surface.redraw();
        break;
      default:
        this.edit(action.do);
    }
    this.draw();
  }

  private edit(key: EditKey): void {
    const { draft } = this;
    switch (key) {
      case "backspace":
        return draft.backspace();
      case "delete":
        return draft.delete();
      case "left":
        return draft.left();
      case "right":
        return draft.right();
      case "word-left":
        return draft.wordLeft();
      case "word-right":
        return draft.wordRight();
      case "home":
        return draft.home();
      case "end-of-line":
        return draft.end();
      default:
        return this.editMore(key, draft);
    }
  }

  private editMore(
    key: Exclude<
      EditKey,
      "backspace" | "delete" | "left" | "right" | "word-left" | "word-right" | "home" | "end-of-line"
    >,
    draft: Draft,
  ): void {
    switch (key) {
      case "up":
        if (!draft.moveLine(-1)) this.replace(this.options.history?.previous(this.message.text));
        return;
      case "down":
        if (!draft.moveLine(1)) this.replace(this.options.history?.next());
        return;
      case "take-back":
        return this.replace(this.options.events.takeBack() ?? this.options.history?.previous(this.message.text));
      case "cut-to-end":
        return draft.cutToEnd();
      case "cut-to-start":
        return draft.cutToStart();
      case "cut-word":
        return draft.cutWord();
      case "put-back":
        return draft.putBack();
      case "complete":
        draft.insert(this.options.events.complete(draft.text) ?? "");
    }
  }

  private replace(text: string | undefined): void {
    if (text !== undefined && this.expected.type !== "answer") this.message.set(text);
  }

  private submit(early: boolean): void {
    const { draft, expected } = this;
    const { surface, events, history } = this.options;
    const { text } = draft;
    if (text === "" && expected.type !== "answer") return;
    const { rows } = layOut(this.prompt, draft.shown, 0, surface.columns);
    draft.clear();
    if (draft === this.message) history?.add(text);
    this.expected = { type: "nothing" };
    this.draw();
    // What was asked for stays to be read; what was not is told by whoever takes it.
    if (expected.type === "message" || expected.type === "answer") for (const row of rows) surface.line(row);
    events.line(text, early);
  }

  private interrupt(): void {
    const { draft, expected } = this;
    if (expected.type === "message" && !draft.empty) {
      draft.clear();
      return this.draw();
    }
    this.options.events.interrupted();
  }

  /** Stops what runs; where nothing does, a second press on an empty line asks for the last message, to change it. */
  private escape(twice: boolean): void {
    if (this.expected.type !== "message") return this.options.events.interrupted();
    const now = performance.now();
    const again = twice || now - this.escapedMs < AGAIN_MS;
    this.escapedMs = again ? -Infinity : now;
    if (!again || !this.draft.empty) return;
    this.message.set(EDIT);
    this.submit(false);
  }

  private end(): void {
    this.close();
    this.options.events.ended();
  }

  private suspend(): void {
    const { io, surface } = this.options;
    surface.typed([], undefined);
    this.keys.leave();
    io.stderr.write(NO_MORE_PASTES);
    io.suspend(() => {
      io.stderr.write(ASK_FOR_PASTES);
      this.keys.enter();
      surface.redraw();
      this.draw();
    });
  }

  private get prompt(): string {
    const { expected } = this;
    return expected.type === "answer" ? expected.text + expected.hint : PROMPT;
  }

  private readonly draw = (): void => {
    if (this.closed) return;
    const { surface } = this.options;
    const { draft, expected } = this;
    const above = expected.type === "question" ? [expected.text] : [];
    const hidden = draft.empty && expected.type !== "message" && expected.type !== "answer";
    if (hidden) return surface.typed(above, undefined);
    const whole = layOut(this.prompt, draft.shown, draft.caret, surface.columns);
    const { rows, caret } = around(whole, Math.min(MOST_ROWS, surface.room - above.length));
    surface.typed([...above, ...rows], { row: caret.row + above.length, column: caret.column });
  };
}
