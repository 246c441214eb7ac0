import type { AgentOptions } from "../agent/options.ts";
import type { RuntimeOptions, RuntimeReviews } from "../cli/adapters.ts";
import { namedModel } from "../config/model-asked.ts";
import type { Agent } from "../agent/agent.ts";
import type { ReviewOutcome } from "../session/review/outcome.ts";

type Options = Pick<RuntimeOptions, "model" | "settings" | "staysOpen">;

interface ProgramReviews {
  readonly options: Pick<AgentOptions, "review">;
  readonly on: (agent: Pick<Agent, "leave">) => RuntimeReviews | undefined;
}

/** Conversations that stay open are looked back at; not those with the practice model, which learns nothing. */
export function programReviews({ model, settings, staysOpen }: Options): ProgramReviews {
  const { when, model: other, ...intervals } = settings.review;
  const isWanted = staysOpen === true && when !== "never" && model.type === "found";
  if (!isWanted) return { options: {}, on: () => undefined };
  const listeners: ((outcome: ReviewOutcome) => void)[] = [];
  const own = other === undefined || settings.offline === true ? {} : { model: namedModel(other) };
  const onReview = (outcome: ReviewOutcome): void => {
    for (const listener of listeners) listener(outcome);
  };
  return {
    options: { review: { ...intervals, ...own, onReview } },
    on: (agent) => ({
      follow: (told) => listeners.push(told),
      leave: (sessionId) => agent.leave(sessionId),
    }),
  };
}
