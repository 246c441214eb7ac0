import type { Rung } from "./rung.ts";

/** A server that cannot be told not to call is asked again without tools, once: the session remembers (row B4). */
export const stripTools: Rung = (failure, { adjusted }) =>
  failure.refusesToolChoice === true && adjusted.toolChoice !== false
    ? { do: "adjust-request", adjustment: { toolChoice: false } }
    : undefined;
