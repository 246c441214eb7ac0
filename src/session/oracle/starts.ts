import type { Fact } from "../../protocol/fact.ts";
import { callsOf } from "../../protocol/message.ts";
import { type Effect, HARMLESS } from "../../protocol/tool.ts";
import type { Moment, Tell, Watch } from "./walk.ts";

const BEGINNINGS: ReadonlySet<Fact["type"]> = new Set([
  "steer-placed",
  "injection-delivered",
  "redirect-delivered",
  "attempt-start",
  "segment-start",
  "approval-requested",
  "turn-parked",
]);

const STOPS: ReadonlySet<Fact["type"]> = new Set(["interrupt-requested", "deadline-reached", "guardrail-halt"]);

interface Asked {
  readonly effect: Effect;
  started: boolean;
}

/** I5: an effect is started once, is known to have started before it is known to be done, and nothing begins behind a stop. */
export function watchStarts(tell: Tell): Watch {
  const asked = new Map<string, Asked>();
  let stop: Fact["type"] | undefined;
  const start = (callId: string): void => {
    const call = asked.get(callId);
    if (call?.started === true && call.effect === "effect") tell("effect-twice", callId);
    if (call !== undefined) call.started = true;
  };
  return {
    fact: ({ fact }: Moment) => {
      if (stop !== undefined && BEGINNINGS.has(fact.type)) tell("begun-after-stop", `${fact.type}, ${stop}`);
      if (STOPS.has(fact.type)) stop = fact.type;
      switch (fact.type) {
        case "turn-start":
          stop = undefined;
          return asked.clear();
        case "assistant-message":
          return callsOf(fact.message).forEach(({ callId }, at) => {
            const { effect } = fact.inspections?.[at] ?? HARMLESS;
            asked.set(callId, { effect, started: false });
          });
        case "segment-start":
          return fact.callIds.forEach(start);
        case "receipt": {
          const { callId, status } = fact.message;
          const call = asked.get(callId);
          if (status === "ok" && call?.effect === "effect" && !call.started) tell("effect-unrecorded", callId);
          return;
        }
        default:
      }
    },
  };
}
