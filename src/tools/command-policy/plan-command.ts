import { createHash } from "node:crypto";
import type { Verdict } from "../../protocol/approval.ts";
import { judgeCommand } from "./judge-command.ts";
import type { CommandPlace } from "./options.ts";

/** Changes whenever the same command may be judged otherwise: no yes outlives it. */
const POLICY_VERSION = 1;

export interface PlannedCommand {
  readonly verdict: Verdict;
  /** What runs, byte by byte. */
  readonly runs: string;
}

type Environment = Readonly<Record<string, string>>;

/**
 * Judges a command, and says what exactly would run: judged = shown = executed (security §3.1 C1). Pure as far as `place`
 * is; the same command at the same place makes the same digest. `env` is what the command would see.
 */
export function planCommand(command: string, place: CommandPlace, env: Environment = {}): PlannedCommand {
  const judgement = judgeCommand(command, place);
  const outside = place.whyNotRead(place.cwd, place.cwd);
  if (judgement.type === "read-only" && outside === undefined) return { verdict: { type: "auto" }, runs: command };
  if (judgement.type === "refuse") return { verdict: { type: "deny", why: judgement.why }, runs: command };
  const bound = [POLICY_VERSION, command, place.cwd, Object.entries(env).toSorted(([a], [b]) => (a < b ? -1 : 1))];
  const digest = createHash("sha256").update(JSON.stringify(bound)).digest("hex");
  const why = outside ?? (judgement.type === "ask" ? judgement.why : "");
  return {
    verdict: { type: "ask", why, plan: { digest, shown: [`In ${place.cwd}`], parts: [{ why, words: [] }] } },
    runs: command,
  };
}
