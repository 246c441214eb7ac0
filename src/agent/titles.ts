import type { ModelSource } from "./model-source.ts";
import type { KnownValues } from "../protocol/redact/known.ts";
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

/**
 * A model of their own gives sessions their titles, when the first answer has been delivered (issue 8, hermes.md §20). It
 * is asked once for a session in one process, whatever comes of it.
 */
export function titlesBy({ model, store, run, known }: Naming): AfterJob {
  const asked = new Set<string>();
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
      asked.add(ended.sessionId);
      return give(ended, signal);
    },
  };
}
