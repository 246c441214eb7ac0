import type { TurnOutcome } from "../../protocol/outcome.ts";
import type { Moment, Tell, Watch } from "./walk.ts";

type Kind = "steer" | "injection" | "redirect";

interface Arrival {
  readonly kind: Kind;
  readonly id: string;
  readonly text: string;
}

/** I1, I2: what a turn has accepted arrives once, in the order it came, or is given back where the turn ends. */
export function watchArrivals(tell: Tell): Watch {
  let waiting: Arrival[] = [];
  const arrived = new Set<string>();
  const accept = (kind: Kind, id: string, text: string): void => void waiting.push({ kind, id, text });
  const arrive = (kind: Kind, id: string): void => {
    const first = waiting.find((arrival) => arrival.kind === kind);
    const found = waiting.find((arrival) => arrival.kind === kind && arrival.id === id);
    if (found === undefined) tell(arrived.has(id) ? "arrival-twice" : "arrival-unknown", `${kind} ${id}`);
    else if (found !== first) tell("arrival-order", `${kind} ${id}`);
    arrived.add(id);
    waiting = waiting.filter((arrival) => arrival !== found);
  };
  return {
    fact: ({ fact }: Moment) => {
      switch (fact.type) {
        case "turn-start":
          waiting = [];
          arrived.clear();
          return;
        case "steer-accepted":
          return accept("steer", fact.steerId, fact.text);
        case "steer-placed":
          return arrive("steer", fact.steer.steerId);
        case "injection-accepted":
          return accept("injection", fact.injectionId, fact.text);
        case "injection-delivered":
          return arrive("injection", fact.injectionId);
        case "redirect-accepted":
          return accept("redirect", fact.redirectId, fact.text);
        case "redirect-delivered":
          return arrive("redirect", fact.redirectId);
        case "turn-end":
          return checkGivenBack(waiting, fact.outcome, tell);
        default:
      }
    },
  };
}

function checkGivenBack(waiting: readonly Arrival[], outcome: TurnOutcome, tell: Tell): void {
  const back = [...(outcome.pendingSteer ?? []), ...(outcome.undelivered ?? [])];
  for (const { kind, id, text } of waiting) {
    const at = back.indexOf(text);
    if (at < 0) tell("arrival-lost", `${kind} ${id}`);
    else back.splice(at, 1);
  }
  if (back.length > 0) tell("arrival-twice", `${back.length}`);
}
