import type { Rung } from "./rung.ts";

/** A server that cannot stream is asked again without, once: the session remembers (row C18). */
export const stopStreaming: Rung = (failure, { adjusted }) =>
  failure.refusesStreaming === true && adjusted.streaming !== false
    ? { do: "adjust-request", adjustment: { streaming: false } }
    : undefined;
