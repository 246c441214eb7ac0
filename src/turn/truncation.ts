import type { View } from "./state.ts";

export interface Warning {
  readonly do: "warn-truncated";
  /** Tokens: what was sent at least, and what the server has read. */
  readonly estimated: number;
  readonly told: number;
}

/** Once for each turn. */
export function dueWarning({ gauge }: View): Warning | undefined {
  const { truncated } = gauge;
  if (truncated === undefined || truncated.said) return undefined;
  return { do: "warn-truncated", estimated: truncated.estimated, told: truncated.told };
}

/**
 * A server near here has cut off the beginning of the request: what the model says and asks for is not about it (bug
 * report COMP-10). Of others it is not sure enough to stop for.
 */
export function isCutOff({ gauge, setup, provider, model }: View): boolean {
  if (gauge.truncated === undefined || setup.local !== true) return false;
  return provider === setup.provider && model === setup.model;
}

export function truncationText({ gauge }: View): string {
  const { estimated = 0, told = 0 } = gauge.truncated ?? {};
  return `Stopped: the server has read only ${told} of about ${estimated} tokens: it cut off the beginning without a word.`;
}
