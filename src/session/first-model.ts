import type { TurnLog } from "../protocol/ports.ts";
import { unlessAborted } from "../turn/patience.ts";
import type { View } from "../turn/state.ts";
import { type ModelRoutes, successor } from "./model-routes.ts";

/**
 * Whom a turn asks first in this process: its own model, unless that had better not be asked now (row A13); of a turn
 * that is taken up again the one it was handed to, where that can be had here. A stop does not wait for that.
 */
export async function firstModel(state: View, routes: ModelRoutes, log: TurnLog): Promise<void> {
  const { setup, provider, model, closing } = state;
  // Where the history is closed, nobody is asked any more.
  if (closing !== "none") return;
  const isOwn = (): boolean => state.provider === setup.provider && state.model === setup.model;
  if (!isOwn()) {
    const reached = await unlessAborted(routes.reach({ provider, model }), log.signal);
    if (reached !== false || isOwn()) return;
    return log.record({ type: "model-switched", ...successor(setup) });
  }
  if (state.attempt > 0 || setup.runtime !== undefined || routes.chain === undefined) return;
  const standIn = await unlessAborted(routes.standIn(state), log.signal);
  if (standIn !== undefined && standIn !== "aborted" && isOwn()) log.record({ type: "model-switched", ...standIn });
}
