import type { RuleBook } from "../protocol/approval.ts";

/** Rules whose book is opened when a call is first judged by them: a start does not pay for it. */
export function rulesLater(open: () => Promise<RuleBook>): RuleBook {
  let book: RuleBook | undefined;
  const opened = async (): Promise<RuleBook> => (book ??= await open());
  return {
    async ready() {
      // What cannot be opened allows nothing.
      await opened().then(
        (own) => own.ready(),
        () => undefined,
      );
    },
    covers: (parts, sessionId) => book?.covers(parts, sessionId),
    async used(ids) {
      await book?.used(ids);
    },
    learn: async (grants, scope, sessionId) => (await opened()).learn(grants, scope, sessionId),
    list: async () => (await opened()).list(),
    forget: async (id) => (await opened()).forget(id),
  };
}
