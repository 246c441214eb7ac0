import type { Store } from "../../src/protocol/store.ts";
import { decideQuestion, openQuestions } from "../../src/session/approvals.ts";

/** What a person says to all that stands open in a store: `allow` decides call by call. */
export async function decideOpen(store: Store, allow: (index: number) => boolean): Promise<void> {
  for (const [index, question] of openQuestions(store).entries()) {
    const isYesOrNo = question.call.question === undefined;
    await decideQuestion(store, question, isYesOrNo ? { allow: allow(index) } : { words: `word ${index}` });
  }
}
