import { printable } from "../../session/plain-text.ts";

/** Lines of a command that are seen while it runs, and stay when it failed (product.md §4.2). */
const SHOWN_LINES = 6;
/** More of an output than this is never needed to show its last lines, characters. */
const KEPT_CHARS = 8_000;

/** What calls print while they run. */
export class ToolOutput {
  private readonly byCall = new Map<string, { end: string; lines: number }>();

  add(callId: string, text: string): void {
    const call = this.byCall.get(callId) ?? { end: "", lines: 0 };
    call.end = (call.end + text).slice(-KEPT_CHARS);
    call.lines += text.split("\n").length - 1;
    this.byCall.set(callId, call);
  }

  /** The last lines of the call that printed last. */
  lastLines(): string[] {
    const latest = [...this.byCall.values()].at(-1);
    return latest === undefined ? [] : linesOf(latest.end);
  }

  /** The call is over: its last lines, and how many there were. */
  take(callId: string): { readonly lines: readonly string[]; readonly count: number } {
    const call = this.byCall.get(callId);
    this.byCall.delete(callId);
    if (call === undefined) return { lines: [], count: 0 };
    return { lines: linesOf(call.end), count: call.lines + (call.end.endsWith("\n") ? 0 : 1) };
  }

  clear(): void {
    this.byCall.clear();
  }
}

const linesOf = (text: string): string[] =>
  printable(text)
    .replaceAll("\t", "    ")
    .split("\n")
    .map((line) => line.trimEnd())
    .filter((line) => line !== "")
    .slice(-SHOWN_LINES);
