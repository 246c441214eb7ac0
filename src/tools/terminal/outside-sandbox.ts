import { createHash } from "node:crypto";
import type { Plan } from "../../protocol/approval.ts";
import type { PlannedCommand } from "../command-policy/plan-command.ts";

const WHY = "it is to run outside of the sandbox, with all that you may do";

/**
 * The plan of a command that is to leave the sandbox: a person is asked, whatever it does, and no rule ever answers for
 * them (security §3.3). A yes to it is none to the same command inside, nor the other way round.
 */
export function outsideOf(planned: PlannedCommand, cwd: string): PlannedCommand {
  const { verdict, runs } = planned;
  if (verdict.type === "deny") return planned;
  const inside: Partial<Plan> = verdict.type === "ask" ? { ...verdict.plan } : {};
  const digest = createHash("sha256")
    .update(JSON.stringify(["outside", runs, cwd, inside.digest]))
    .digest("hex");
  const shown = ["Runs outside of the sandbox", ...(inside.shown ?? [])];
  const parts = [{ why: WHY, words: [] }, ...(inside.parts ?? [])];
  return { ...planned, verdict: { type: "ask", why: WHY, plan: { digest, shown, parts } } };
}
