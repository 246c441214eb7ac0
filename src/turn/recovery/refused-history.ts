import type { Rung } from "./rung.ts";

/** A server that refuses the form of the conversation is sent the strictest one, once: the session remembers (row C17). */
export const sendStrictly: Rung = (failure, state) =>
  failure.refusesHistory === true && !state.strict ? { do: "adjust-request", adjustment: { strict: true } } : undefined;
