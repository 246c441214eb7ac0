import type { Rung } from "./rung.ts";

/** How often in one turn the same key is renewed (hermes.md §11.4, row D7). */
export const MAX_REFRESHES = 2;

/** A key that is refused and can be renewed is renewed; what its server forbids it for ever, no other key changes. */
export const refreshKey: Rung = (failure, state) => {
  const { circumstances, key, notRenewed, keysSpent, refreshes } = state;
  if (failure.reason !== "auth" || !failure.shouldRotateCredential || keysSpent || notRenewed) return undefined;
  if (circumstances?.keys?.refreshable !== true || key === undefined) return undefined;
  return (refreshes[key] ?? 0) < MAX_REFRESHES ? { do: "refresh-key" } : undefined;
};
