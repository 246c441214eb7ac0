/** How long one model call may be silent, in ms (row C6). */
export interface StreamLimits {
  /** Until the first byte of the reply. */
  readonly firstByteMs: number;
  /** Between two pieces of content; comments and pings are not content. */
  readonly idleMs: number;
  /** For the whole call. */
  readonly callMs: number;
}

const DEFAULTS: StreamLimits = { firstByteMs: 120_000, idleMs: 180_000, callMs: 1_800_000 };
const LARGE = { tokens: 50_000, idleMs: 240_000 };
const HUGE = { tokens: 100_000, idleMs: 300_000 };
const BYTES_PER_TOKEN = 4;

/** The limits of one call: what was set explicitly always holds; defaults know local servers and large prompts (row C6). */
export function streamLimits(set: Partial<StreamLimits>, local: boolean, bodyBytes: number): StreamLimits {
  return {
    firstByteMs: set.firstByteMs ?? (local ? Infinity : DEFAULTS.firstByteMs),
    idleMs: set.idleMs ?? (local ? Infinity : idleFor(bodyBytes / BYTES_PER_TOKEN)),
    callMs: set.callMs ?? DEFAULTS.callMs,
  };
}

function idleFor(tokens: number): number {
  if (tokens > HUGE.tokens) return HUGE.idleMs;
  return tokens > LARGE.tokens ? LARGE.idleMs : DEFAULTS.idleMs;
}
