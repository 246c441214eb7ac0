import type { SessionSummary, Store } from "../protocol/store.ts";

export type SessionFound =
  | { readonly type: "found"; readonly sessionId: string }
  | { readonly type: "none" }
  /** The newest first. */
  | { readonly type: "several"; readonly sessions: readonly SessionSummary[] };

/** The beginning of an id is taken from so many characters on. */
const PREFIX = 4;

/**
 * The session that is meant by its id, by `last`, by its title in whatever case, or by the beginning of its id. A name
 * that several answer to is nobody's: what somebody asks for is never guessed.
 */
export function findSession(store: Store, asked: string): SessionFound {
  if (store.history(asked) !== undefined) return { type: "found", sessionId: asked };
  if (asked === "last") {
    const sessionId = store.lastSession();
    return sessionId === undefined ? { type: "none" } : { type: "found", sessionId };
  }
  const sessions = store.list();
  const title = asked.trim().toLowerCase();
  const named = sessions.filter((session) => title !== "" && session.title.toLowerCase() === title);
  const begun = asked.length < PREFIX ? [] : sessions.filter(({ sessionId }) => sessionId.startsWith(asked));
  const [one, ...others] = named.length > 0 ? named : begun;
  if (one === undefined) return { type: "none" };
  return others.length === 0
    ? { type: "found", sessionId: one.sessionId }
    : { type: "several", sessions: [one, ...others] };
}
