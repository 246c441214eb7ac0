import type { Store } from "../../protocol/store.ts";
import { leaveForPast, type PastFound } from "../../session/replay/past.ts";
import { wordsIn } from "../../words/language.ts";
import { LIVE_WORDS, noNumber, takesOver } from "../../words/replay.ts";
import { languageFor } from "../flags.ts";
import { type Headless, runFrom } from "../prompt/run.ts";
import { usageRefusal } from "../refusal.ts";
import { fileNamed } from "./replay.ts";
import { existingTurn } from "./turns.ts";

interface Asked {
  readonly turn: string;
  readonly from: string;
}

/** `turn replay --from N`: the rest of a turn anew, by a model that is asked, in a fork of its session. */
export const runLive = (run: Headless, asked: Asked): Promise<number> =>
  runFrom(run, async (store) => {
    const sessionId = run.adapters.newSessionId();
    const found = await leave(store, asked, sessionId);
    if (found.type === "refused") throw usageRefusal(found.message);
    const { past } = found;
    const words = takesOver(past.start.turnId, past.from, sessionId);
    run.output.warning("turn_forked", wordsIn(words, languageFor(run.flags, run.io.env)));
    return { sessionId, past };
  });

async function leave(store: Store, { turn, from }: Asked, sessionId: string): Promise<PastFound> {
  if (fileNamed(turn)) return { type: "refused", message: LIVE_WORDS.inFile };
  if (!/^[1-9]\d{0,8}$/u.test(from)) return { type: "refused", message: noNumber(from) };
  return leaveForPast(store, existingTurn(store, turn), { from: Number(from), sessionId });
}
