import { oneLine } from "../../session/plain-text.ts";
import { queued } from "../../words/chat.ts";
import type { Voice } from "./voice.ts";

/** Messages and commands that come before any line that is typed from now on. */
export class LineQueue {
  private readonly voice: Voice;
  /** Something goes on: whoever adds a line is told that it waits. */
  private readonly busy: () => boolean;
  private readonly lines: string[] = [];

  constructor(voice: Voice, busy: () => boolean) {
    this.voice = voice;
    this.busy = busy;
  }

  take(): string | undefined {
    return this.lines.shift();
  }

  takeLast(): string | undefined {
    return this.lines.pop();
  }

  first(...lines: readonly string[]): void {
    this.lines.unshift(...lines);
  }

  last(line: string): void {
    if (this.busy()) this.wait(line);
    else this.lines.push(line);
  }

  wait(line: string): void {
    this.lines.push(line);
    this.voice.say(queued(oneLine(line)));
  }

  /** Nothing of it is sent, nor are `more`; all of it is told. */
  drop(more: readonly string[] = []): void {
    this.voice.unsent([...this.lines.splice(0), ...more]);
  }
}
