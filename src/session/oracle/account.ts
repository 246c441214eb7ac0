import type { Given } from "../../protocol/oracle.ts";
import type { Fact } from "../../protocol/fact.ts";
import type { Usage } from "../../protocol/outcome.ts";
import { drawnUsd } from "../../turn/ledger.ts";
import type { View } from "../../turn/state.ts";
import type { Findings, Moment, NewWatch, Tell } from "./walk.ts";

/** What all turns of a store have told of what they took, tokens. */
export interface Count {
  input: number;
  output: number;
}

export const newCount = (): Count => ({ input: 0, output: 0 });

type AttemptStart = Extract<Fact, { type: "attempt-start" }>;

/** I11: attempts are numbered without a gap, each is billed once, and none leaves behind a limit. */
export const watchAccount =
  (count: Count): NewWatch =>
  (tell) => {
    let attempt = 0;
    let limit = Infinity;
    const begin = (fact: AttemptStart, state: View | undefined): void => {
      if (fact.attempt !== attempt + 1) tell("attempt-number", `${fact.attempt} behind ${attempt}`);
      ({ attempt } = fact);
      if (fact.iteration > limit) tell("limit-passed", `iteration ${fact.iteration} of ${limit}`);
      if (state !== undefined) checkMoney(fact, state, tell);
    };
    return {
      fact: ({ fact, state }: Moment) => {
        if (fact.type === "turn-start") {
          attempt = 0;
          limit = fact.maxIterations;
          return;
        }
        if (fact.type === "attempt-start") return begin(fact, state);
        if (!("usage" in fact) || fact.usage === undefined) return;
        checkUsage(fact.usage, fact.type, tell);
        if (fact.type === "auxiliary-run") return;
        count.input += fact.usage.input;
        count.output += fact.usage.output;
        if (state !== undefined && state.ledger.open === undefined) tell("attempt-unbilled", fact.type);
      },
    };
  };

function checkUsage(usage: Usage, what: string, tell: Tell): void {
  const numbers = [usage.input, usage.output, usage.cacheRead, usage.cacheWrite, usage.reasoning, usage.costUsd ?? 0];
  if (!numbers.every((each) => Number.isFinite(each) && each >= 0)) tell("usage-impossible", what);
}

function checkMoney({ attempt, grace }: AttemptStart, { purse, ledger }: View, tell: Tell): void {
  if (purse === undefined) return;
  if (purse.end !== undefined && grace !== true) tell("limit-passed", `attempt ${attempt}`);
  if (drawnUsd(ledger) > purse.limitUsd) tell("limit-passed", `attempt ${attempt}: ${drawnUsd(ledger)} USD`);
}

/** What was counted of requests whose reply has not arrived is on nobody's account yet. */
export function checkCounted({ input, output }: Count, { counted }: Given, findings: Findings): void {
  if (counted === undefined) return;
  const lack = counted.input + counted.output - input - output;
  if (lack < 0 || lack > counted.inFlight) findings.tell("usage-differs", `${lack}`);
}
