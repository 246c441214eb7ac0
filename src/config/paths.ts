import { join } from "node:path";

/**
 * The folder where sessions are kept: `EVANDER_HOME`, else `$XDG_STATE_HOME/evander`, else `~/.local/state/evander`.
 * A relative or empty variable is ignored, as the XDG specification asks.
 */
export function stateFolder(env: NodeJS.ProcessEnv, home: string): string {
  const own = absolute(env["EVANDER_HOME"]);
  if (own !== undefined) return own;
  return join(absolute(env["XDG_STATE_HOME"]) ?? join(home, ".local", "state"), "evander");
}

const absolute = (path: string | undefined): string | undefined => (path?.startsWith("/") ? path : undefined);
