/** A request in the order in which a prefix cache reads it, each part a text. */
export interface CachedHead {
  /** Model, tools, system prompt. */
  readonly opening: readonly string[];
  /** The conversation, block by block. */
  readonly said: readonly SaidBlock[];
}

export interface SaidBlock {
  readonly role: "user" | "assistant" | "result";
  readonly text: string;
  /** A block that an attempt may have said in private: a text, and nothing that calls for an answer. */
  readonly isText: boolean;
}

/**
 * Watches that every request goes on from the one before it in its conversation, so that a prefix cache holds. Only
 * the last texts of the user may go again, with a text of the assistant before them: they may have been that attempt's
 * private messages.
 */
export class HeadWatch {
  readonly #newest = new Map<string, CachedHead[]>();

  /** A violation, or undefined. `declared`: the head is allowed to be new. */
  check(head: CachedHead, declared: boolean): string | undefined {
    const key = head.said[0]?.text ?? "";
    const newest = this.#newest.get(key) ?? [];
    this.#newest.set(key, newest);
    const starts = head.said.every(({ role }) => role === "user");
    const lines = linesOf(head);
    const continued = starts ? -1 : newest.findLastIndex((seen) => goesOn(seen, lines));
    if (continued >= 0) newest[continued] = head;
    else newest.push(head);
    if (declared || starts || continued >= 0 || newest.length === 1) return undefined;
    const common = Math.max(...newest.slice(0, -1).map((seen) => commonLength(linesOf(seen), lines)));
    return `the head changed at block ${common}: ${(lines[common] ?? "its end").slice(0, 200)}`;
  }
}

const linesOf = ({ opening, said }: CachedHead): readonly string[] => [
  ...opening,
  ...said.map(({ role, text }) => `${role} ${text}`),
];

function goesOn(seen: CachedHead, lines: readonly string[]): boolean {
  const whole = linesOf(seen);
  const kept = whole.length - privateBlocks(seen.said);
  return commonLength(whole, lines) >= kept;
}

/** How many of the last blocks may have been private. */
function privateBlocks(said: readonly SaidBlock[]): number {
  const notes = said.length - 1 - said.findLastIndex(({ role, isText }) => role !== "user" || !isText);
  const before = said[said.length - 1 - notes];
  return notes > 0 && before?.role === "assistant" && before.isText ? notes + 1 : notes;
}

function commonLength(a: readonly string[], b: readonly string[]): number {
  const differs = a.findIndex((line, at) => line !== b[at]);
  return differs < 0 ? a.length : differs;
}
