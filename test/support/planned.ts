import { createHash } from "node:crypto";
import type { PlanPart, Verdict } from "../../src/protocol/approval.ts";
import type { Tool } from "../../src/protocol/tool.ts";

/** What of the world a planned call depends on; a test changes it between two looks. */
export interface PlannedWorld {
  folder: string;
  /** Counts as part of what was judged. */
  environment: string;
  deny: string | undefined;
}

export interface Planned extends Tool {
  readonly ran: string[];
  readonly world: PlannedWorld;
}

/** Runs programs that it only notes: each of `words` asks, but `look`; "no …" is not to be allowed for good. */
export function planned(more: Partial<Tool> = {}): Planned {
  const ran: string[] = [];
  const world: PlannedWorld = { folder: "/work", environment: "", deny: undefined };
  return {
    name: "planned",
    description: "Runs a program.",
    parameters: { type: "object", properties: { command: { type: "string" } }, required: ["command"] },
    effect: "effect",
    concurrency: "exclusive",
    verdict: ({ command }) => verdictOf(String(command), world),
    run: ({ command }) => `ran ${ran.push(String(command))}`,
    ...more,
    ran,
    world,
  };
}

function verdictOf(command: string, { folder, environment, deny }: PlannedWorld): Verdict {
  if (deny !== undefined) return { type: "deny", why: deny };
  const parts = command
    .split("&&")
    .map((part) => part.trim().split(/\s+/u))
    .filter(([program]) => program !== "look")
    .map((words) => partOf(words, folder));
  if (parts.length === 0) return { type: "auto" };
  const digest = createHash("sha256")
    .update(JSON.stringify([command.trim(), folder, environment]))
    .digest("hex");
  return { type: "ask", why: "it changes something", plan: { digest, shown: [`In ${folder}`], parts } };
}

function partOf([program = "", ...words]: readonly string[], folder: string): PlanPart {
  const why = `${program} changes something`;
  if (program === "no") return { why, words };
  return { why, words, grant: { tool: "planned", program: `/bin/${program}`, prefix: words.slice(0, 1), folder } };
}
