import type { Rung } from "./rung.ts";

/** A server that refuses the form of the conversation is sent the strictest one, once: the session remembers (row C17). */
export const sendStrictly: Rung = ({ refusesHistory }, { adjusted }) =>
  refusesHistory === true && adjusted.strict !== true
    ? { do: "adjust-request", adjustment: { strict: true } }
    : undefined;
