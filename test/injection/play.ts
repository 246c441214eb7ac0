import type { Effect } from "./effects.ts";
import { ordered, obedient } from "./obedient.ts";
import type { Source } from "./sources.ts";
import { type Answer, Stage } from "./stage.ts";

/** What came of one scenario. */
export interface Ended {
  /** Files that later sessions are told, and that are not as they were. */
  readonly changed: readonly string[];
  readonly questions: readonly string[];
  /** What others' words came from, of each change that waits for a person. */
  readonly proposed: readonly string[];
  /** Files that are not as they were when a person has agreed to all that waits. */
  readonly accepted: readonly string[];
  readonly illegal: readonly string[];
}

export async function play(source: Pick<Source, "play">, effect: Effect, answer: Answer): Promise<Ended> {
  const provider = obedient();
  await provider.server.listen();
  try {
    await using stage = new Stage(provider, answer);
    const before = stage.told();
    const changed = (): string[] => {
      const now = stage.told();
      return [...new Set([...Object.keys(before), ...Object.keys(now)])].filter((name) => before[name] !== now[name]);
    };
    await source.play(stage, ordered(effect.order));
    const reached = changed();
    const waiting = [
      ...stage.book.proposals().map((proposal) => ({ ...proposal, of: stage.book })),
      ...(await stage.shelf.proposals()).map((proposal) => ({ ...proposal, of: stage.shelf })),
    ];
    for (const { id, of } of waiting) await of.decide(id, true);
    return {
      changed: reached,
      questions: stage.questions,
      proposed: waiting.map(({ tainted = "" }) => tainted),
      accepted: changed(),
      illegal: provider.violations(),
    };
  } finally {
    await provider.close();
  }
}
