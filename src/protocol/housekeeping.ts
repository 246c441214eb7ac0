/** Tools that keep the agent's own house: what is said beside them alone may be the answer (row B13). */
const HOUSEKEEPING: ReadonlySet<string> = new Set(["todo", "memory", "skill_manage", "session_search"]);

/** A batch of calls of these tools and of no other; `names` are those of the tools that run. */
export const isHousekeeping = (names: readonly string[]): boolean =>
  names.length > 0 && names.every((name) => HOUSEKEEPING.has(name));
