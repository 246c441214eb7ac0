import { type Message, textOf } from "../../protocol/message.ts";
import type { Given } from "../../protocol/oracle.ts";
import type { Findings, NewWatch } from "./walk.ts";

/** What was heard of people, and how often; what models were told of it, and how often. */
export interface Heard {
  readonly accepted: Map<string, number>;
  readonly told: Map<string, number>;
}

export const newHeard = (): Heard => ({ accepted: new Map(), told: new Map() });

const once = (counts: Map<string, number>, text: string): void => void counts.set(text, (counts.get(text) ?? 0) + 1);

const words = (message: Message): string => textOf(message);

/** Notes only what is asked about. */
export const heardBy =
  ({ accepted, told }: Heard): NewWatch =>
  (_tell, _session, { acknowledged }) => {
    const asked = new Set(acknowledged);
    const note = (counts: Map<string, number>, text: string): void => {
      if (asked.has(text)) once(counts, text);
    };
    return {
      fact: ({ fact }) => {
        switch (fact.type) {
          case "turn-start":
          case "injection-delivered":
          case "redirect-delivered":
            return note(told, words(fact.message));
          case "steer-placed":
            return note(told, fact.steer.text);
          case "steer-accepted":
          case "injection-accepted":
          case "redirect-accepted":
            return note(accepted, fact.text);
          case "interrupt-requested":
            return note(accepted, fact.message ?? "");
          default:
        }
      },
    };
  };

/** Notes which calls were started. */
export const startedIn =
  (started: Set<string>): NewWatch =>
  (_tell, _session, { ran }) => ({
    fact: ({ fact }) => {
      if (ran !== undefined && fact.type === "segment-start") for (const callId of fact.callIds) started.add(callId);
    },
  });

/** I1, I5, as seen from outside: what was acknowledged is there once, and what ran was known to have begun, and ran once. */
export function checkSeen(
  { acknowledged = [], ran = [] }: Given,
  { accepted, told }: Heard,
  started: ReadonlySet<string>,
  findings: Findings,
): void {
  for (const text of acknowledged) {
    const times = told.get(text) ?? 0;
    if (times + (accepted.get(text) ?? 0) === 0) findings.tell("inbound-lost", JSON.stringify(text.slice(0, 60)));
    if (times > 1) findings.tell("inbound-twice", JSON.stringify(text.slice(0, 60)));
  }
  const seen = new Set<string>();
  for (const callId of ran) {
    if (seen.has(callId)) findings.tell("effect-ran-twice", callId);
    seen.add(callId);
    if (!started.has(callId)) findings.tell("effect-ran-unrecorded", callId);
  }
}

/** I10: no text that must be kept out stands in any of the files. */
export function checkSecrets({ canaries = [], files = [] }: Given, findings: Findings): void {
  if (canaries.length === 0) return;
  for (const { name, bytes } of files) {
    const content = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    if (canaries.some((canary) => content.includes(canary))) findings.tell("secret-kept", name);
  }
}

/** I12: nobody who has ended has left anything behind. */
export function checkLeft({ leftOver = [] }: Given, findings: Findings): void {
  for (const what of leftOver) findings.tell("left-over", what);
}
