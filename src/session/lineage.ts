import type { SessionSummary } from "../protocol/store.ts";

/** A session where it stands among those that share a beginning with it. */
export interface Branch {
  readonly session: SessionSummary;
  /** Forks between it and the one that has left no other. */
  readonly depth: number;
  /** What is drawn before it, so that a column of lines is a tree. */
  readonly stem: string;
}

/** All that share a beginning with a session, itself among them, as a tree from its root. Empty when it is not listed. */
export function treeOf(sessions: readonly SessionSummary[], sessionId: string): Branch[] {
  const byId = new Map(sessions.map((session) => [session.sessionId, session]));
  let root = byId.get(sessionId);
  for (let next = root; next !== undefined; next = next.forkOf === null ? undefined : byId.get(next.forkOf.sessionId))
    root = next;
  return root === undefined ? [] : branches(root, forksBySession(sessions), { depth: 0, stem: "", indent: "" });
}

/** The sessions that others have left, each with its tree. */
export function forests(sessions: readonly SessionSummary[]): Branch[][] {
  const forks = forksBySession(sessions);
  return sessions
    .filter(({ sessionId, forkOf }) => forkOf === null && forks.has(sessionId))
    .map(({ sessionId }) => treeOf(sessions, sessionId));
}

type Forks = ReadonlyMap<string, readonly SessionSummary[]>;

/** The oldest first. */
function forksBySession(sessions: readonly SessionSummary[]): Forks {
  const forks = sessions.filter(({ forkOf }) => forkOf !== null);
  const sorted = forks.sort((one, other) => one.createdMs - other.createdMs);
  return Map.groupBy(sorted, ({ forkOf }) => forkOf?.sessionId ?? "");
}

interface Place extends Omit<Branch, "session"> {
  /** What stands before the forks of this one. */
  readonly indent: string;
}

function branches(session: SessionSummary, forks: Forks, { depth, stem, indent }: Place): Branch[] {
  const own = forks.get(session.sessionId) ?? [];
  const below = own.flatMap((fork, at) => {
    const isLast = at === own.length - 1;
    const place = {
      depth: depth + 1,
      stem: indent + (isLast ? "└─ " : "├─ "),
      indent: indent + (isLast ? "   " : "│  "),
    };
    return branches(fork, forks, place);
  });
  return [{ session, depth, stem }, ...below];
}
