import { withoutFences } from "../protocol/context.ts";
import { RECALLED } from "../protocol/taint.ts";
import type { Informant, MemoryProvider, Told } from "../protocol/extension.ts";
import { Guard, guest } from "./guard.ts";

/**
 * Asks a memory once per turn what it recalls. One that throws, or has not answered in `limitMs`, costs no more than that
 * and is named; while it is still at it, it is not asked again, in whatever session.
 */
export function recallFrom(provider: MemoryProvider, limitMs: number): Informant {
  const who = guest("memory", provider);
  let late = 0;
  return async ({ sessionId, turnId, prompt, signal: stop }) => {
    if (late > 0)
      return nothingFrom(`${who.label}: prefetch: it has not come back from an earlier turn, so it is left alone`);
    const guard = new Guard({ limitMs, log: () => undefined });
    let running = true;
    let counted = false;
    const back = (): void => {
      running = false;
      if (counted) late -= 1;
    };
    const work = (signal: AbortSignal): Promise<string> => {
      const recalling = (async () => readRecalled(await provider.prefetch({ sessionId, turnId, prompt }, signal)))();
      recalling.then(back, back);
      return recalling;
    };
    const text = await guard.call({ who, what: "prefetch", stop, work });
    if (running && guard.troubles.length > 0) {
      counted = true;
      late += 1;
    }
    return { contexts: contextsOf(text), troubles: guard.troubles };
  };
}

const nothingFrom = (trouble: string): Told => ({ contexts: [], troubles: [trouble] });

/** Other people's code may answer with anything. */
function readRecalled(answered: unknown): string {
  if (typeof answered === "string") return withoutFences(answered.toWellFormed().replaceAll("\0", "")).trim();
  throw new Error("it returned no text");
}

const contextsOf = (text = ""): Told["contexts"] => (text === "" ? [] : [{ type: "context", source: RECALLED, text }]);
