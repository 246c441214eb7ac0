import type { ToolPort } from "../protocol/ports.ts";
import type { ToolSpec } from "../protocol/tool.ts";

/** The tools of one turn, from its beginning to its end. */
export interface TurnTools {
  /** What its models are told of. */
  readonly specs: readonly ToolSpec[];
  readonly port: ToolPort;
}

/** The tools of turns, some of which come and go (row A3). */
export interface ToolShelf {
  /** What the last turn that began was given. */
  readonly newest: TurnTools;
  /**
   * What there is now; the same object as long as nothing has changed. `called`: what a turn that is taken up has called,
   * which is waited for. It must not reject.
   */
  take(called: readonly string[]): Promise<TurnTools>;
}

/** Tools that neither come nor go. */
export const standing = (tools: TurnTools): ToolShelf => ({ newest: tools, take: () => Promise.resolve(tools) });
