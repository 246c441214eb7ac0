import type { AgentOptions, Around } from "./options.ts";
import { dailyDream } from "./daily-dream.ts";
import type { Opened } from "./extensions.ts";
import type { KeptTurn } from "../protocol/extension.ts";
import type { ModelSource } from "./model-source.ts";
import { textOf } from "../protocol/message.ts";
import type { Clock, Compactor } from "../protocol/ports.ts";
import type { KnownValues } from "../protocol/redact/known.ts";
import type { Store } from "../protocol/store.ts";
import { type LookAt, reviewingFirst, reviewsOf } from "./reviews.ts";
import { type AfterJob, AfterWork, type EndedTurn } from "../session/after-work.ts";
import type { Diagnostic } from "../session/diagnostic.ts";
import type { Sent } from "../session/review/reviews.ts";
import type { RunAt } from "./summaries.ts";
import { titlesBy } from "./titles.ts";

interface Beside {
  readonly options: AgentOptions & Pick<Around, "dream">;
  /** Of the sessions. */
  readonly model: ModelSource;
  readonly store: Store;
  readonly extensions: (() => Promise<Opened>) | undefined;
  readonly run: RunAt;
  readonly known: () => KnownValues;
  readonly clock: Clock;
  readonly log: (diagnostic: Diagnostic) => void;
}

/** Models of their own. */
interface Others extends Readonly<Record<"title" | "dream" | "review", ModelSource | undefined>> {
  readonly look: LookAt;
}

/** What an agent does beside its sessions. */
export interface Afterwards {
  /** When an answer has been delivered; undefined: nothing. */
  readonly after: AfterWork | undefined;
  /** For a session that is left; when all reviews that go on are over. Undefined: none does. */
  readonly leave: (sessionId: string) => Promise<unknown> | undefined;
  /** Before less of a session is sent. */
  readonly compacting: (compactor: Compactor) => Compactor;
}

export function afterwardsOf(
  { options, model, store, extensions, run, known, clock, log }: Beside,
  { title, dream, review, look }: Others,
): Afterwards {
  const reviews = reviewsOf(options, { model: review ?? model, store, log, look });
  const jobs = [
    reviews,
    title && titlesBy({ model: title, store, run, known }),
    options.dream && dailyDream(options.dream, { model: dream ?? model, run, known, log }),
    options.memory && extensions && keepingBy(extensions),
  ].filter((job) => job !== undefined);
  const after = jobs.length === 0 ? undefined : new AfterWork(jobs, { clock, log });
  const lookBack = (sessionId: string, sent?: Sent): void => {
    const found = reviews?.leaving(sessionId, sent);
    if (found !== undefined) after?.do(found.job, found.turn);
  };
  return {
    after,
    leave: (sessionId) => {
      lookBack(sessionId);
      return reviews && after?.going(reviews.name);
    },
    compacting: (compactor) => (reviews === undefined ? compactor : reviewingFirst(compactor, lookBack)),
  };
}

/** A memory outside this program is told of each answer, and looked after when it was not well. */
const keepingBy = (extensions: () => Promise<Opened>): AfterJob => ({
  name: "memory",
  finishes: true,
  begin: async (ended, signal, leaving) => (await extensions()).memory?.keep(keptTurn(ended), signal, leaving),
  close: async () => (await extensions()).memory?.close(),
});

function keptTurn({ sessionId, turnId, result, history, firstSeq }: EndedTurn): KeptTurn | undefined {
  const { ok, interrupted, answer } = result;
  const asked = history[firstSeq];
  if (!ok || interrupted || answer === null || asked === undefined) return undefined;
  return { sessionId, turnId, prompt: textOf(asked), answer };
}
