import type { Tool } from "./tool.ts";

/** Tools that come and go while a program runs, such as those of servers (rows A3, A17). */
export interface ToolSource {
  /**
   * What is there now, the same objects as long as nothing has changed: asked as a turn begins, and never in one. It waits
   * for what is on its way for a moment at most, and never rejects. `called`: tools that a turn which is taken up again has
   * called; whoever brings those is waited for longer.
   */
  tools(called?: readonly string[]): Promise<readonly Tool[]>;
  close(): Promise<void>;
}
