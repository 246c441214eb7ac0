import type { EndedTurn } from "../after-work.ts";
import type { Diagnostic } from "../diagnostic.ts";
import type { RunSpec } from "../run-spec.ts";
import type { RunResult } from "../turn-handle.ts";
import { NOTES_TOOL, SKILLS_TOOL } from "./due.ts";
import { type ReviewOutcome, writtenIn } from "./outcome.ts";
import { reviewPrompt, type Sought } from "./prompts.ts";
import type { ReviewPorts, Sent } from "./reviews.ts";

const SKILL_TOOLS = ["skills_list", "skill_view", SKILLS_TOOL] as const;

/** What is looked for, and in what of the history. */
export interface Wanted extends Sought {
  readonly sent?: Sent | undefined;
}

/** One look back at a session: a hidden child of it, which may write down what it finds (hermes.md §19). */
export async function lookBack(
  turn: Pick<EndedTurn, "sessionId" | "turnId">,
  wanted: Wanted,
  { tools, run, tell, log, limits }: ReviewPorts,
  signal: AbortSignal,
): Promise<void> {
  const { sessionId, turnId } = turn;
  const names = [...(wanted.notes ? [NOTES_TOOL] : []), ...(wanted.skills ? SKILL_TOOLS : [])];
  const spec: RunSpec = {
    prompt: reviewPrompt(wanted),
    purpose: "review",
    parent: sessionId,
    turnId,
    tools: names.filter((name) => tools.has(name)),
    ...limits,
  };
  const result = await run(spec, signal, wanted.sent);
  const outcome = { sessionId, turnId, reviewId: result.sessionId, ...writtenIn(result.messages) };
  log(lineOf(outcome, result));
  tell(outcome);
}

/** In numbers: what was written stands where it is kept. */
function lineOf(
  { sessionId: session, turnId: turn, reviewId, deeds, waiting }: ReviewOutcome,
  result: RunResult,
): Diagnostic {
  const notes = deeds.filter(({ type }) => type === "note").length;
  const counts = { notes, skills: deeds.length - notes, waiting: waiting.notes + waiting.skills };
  const trouble = [...(result.failed ? [result.error?.message ?? ""] : []), ...result.cleanupErrors];
  const { reason } = result.exit;
  return {
    level: trouble.length > 0 ? "warn" : "info",
    line: ["review", reason, ...Object.entries(counts).map(([key, count]) => `${key}=${count}`), ...trouble].join(" "),
    fields: { event: "review", session, turn, reason, ...(reviewId !== null && { review: reviewId }), ...counts },
  };
}
