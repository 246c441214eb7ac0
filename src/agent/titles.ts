import type { ModelSource } from "./model-source.ts";
import type { KnownValues } from "../protocol/redact/known.ts";
import { RecentMap } from "../protocol/recent-map.ts";
import type { Store } from "../protocol/store.ts";
import type { AfterJob, EndedTurn } from "../session/after-work.ts";
import type { RunAt } from "./summaries.ts";

export interface Naming {
  /** The model that gives titles. */
  readonly model: ModelSource;
  readonly store: Store;
  readonly run: RunAt;
  readonly known: () => KnownValues;
}

/** Sessions that are known to have been asked about; one that is older has its title, or goes by its first words. */
const MOST_ASKED = 1_000;

/**
 * A model of their own gives sessions their titles, when the first answer has been delivered (issue 8, hermes.md §20). It
 * is asked once for a session in one process, whatever comes of it.
 */
export function titlesBy({ model, store, run, known }: Naming): AfterJob {
  const asked = new RecentMap<string, true>(MOST_ASKED);
  const give = async (ended: EndedTurn, signal: AbortSignal): Promise<void> => {
    const { giveTitle } = await import("../session/titling.ts");
    const { redact } = await import("../protocol/redact/redact.ts");
    const shown = (text: string): string => redact(text, known());
    await giveTitle(ended, { store, run: (...how) => run(model, ...how), clean: shown }, signal);
  };
  return {
    name: "title",
    begin(ended, signal) {
      if (!ended.result.ok || asked.has(ended.sessionId)) return undefined;
      asked.set(ended.sessionId, true);
      return give(ended, signal);
    },
  };
}
