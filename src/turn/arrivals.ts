import { remaining } from "./budget.ts";
import type { Injection, Redirect, View } from "./state.ts";

/** How many messages may wait in the inbox of a turn (row B10). */
export const MAX_INBOX = 20;
/** Row B10: so many messages in one drain, so many drains in one turn. */
const MAX_PER_DRAIN = 3;
const MAX_DRAINS = 5;
/** How often in one turn a redirect cancels the request and costs nothing (row B14); later ones wait as injections. */
export const MAX_REDIRECTS = 5;

/** A user message that joins the turn, unless its last word is said already. */
export type DeliverMessage =
  | { readonly do: "deliver-redirect"; readonly redirect: Redirect }
  | { readonly do: "deliver-injection"; readonly injection: Injection };

/** A redirect is due at once: it restarts the iteration whose request it cancelled, or begins the next. */
export function dueRedirect(state: View): DeliverMessage | undefined {
  const [redirect] = state.redirects;
  if (redirect === undefined || state.closing !== "none") return undefined;
  if (!state.iterationOpen && !canGoOn(state)) return undefined;
  return { do: "deliver-redirect", redirect };
}

/** An injection is due behind a tool batch and behind a would-be final answer, never between the halves of a reply. */
export function dueInjection(state: View): DeliverMessage | undefined {
  const [injection] = state.injections;
  if (injection === undefined || state.closing !== "none" || !canGoOn(state)) return undefined;
  if (state.iterationOpen || state.iteration === 0) return undefined;
  if (state.cut !== undefined && state.cut.text !== "") return undefined;
  const open = state.drained === 0 ? state.drains < MAX_DRAINS : state.drained < MAX_PER_DRAIN;
  return open ? { do: "deliver-injection", injection } : undefined;
}

const canGoOn = (state: View): boolean =>
  !state.grace &&
  state.purse?.end === undefined &&
  state.iteration < state.setup.maxIterations &&
  remaining(state.budget) > 0;
