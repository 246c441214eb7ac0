import { DELEGATE_TASK } from "../../protocol/delegation.ts";
import type { Tool } from "../../protocol/tool.ts";

type Named = Pick<Tool, "name" | "toolset" | "outlives">;

/**
 * What no child has, whoever asks for it (hermes.md §16, security.md §3.10): it asks nobody, writes to nobody, runs no code
 * that calls tools, plans nothing for later, and changes nothing that outlives its session.
 */
const BARRED: ReadonlySet<string> = new Set([
  "clarify",
  "memory",
  "message",
  "send_message",
  "execute_code",
  "cron",
  "cronjob",
]);

/**
 * The tools of a child: those of its parent, of them those that were asked for by name or by set, and never one that is
 * barred. `delegates`: it may have children of its own.
 */
export const childTools = <T extends Named>(
  parent: readonly T[],
  asked: readonly string[] | undefined,
  delegates: boolean,
): readonly T[] =>
  parent.filter((tool) => {
    if (tool.name === DELEGATE_TASK) return delegates;
    if (BARRED.has(tool.name) || tool.outlives !== undefined) return false;
    return (
      asked === undefined || asked.includes(tool.name) || (tool.toolset !== undefined && asked.includes(tool.toolset))
    );
  });
