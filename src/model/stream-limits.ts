import { roughTokens } from "../protocol/window.ts";

/** How long one model call may be silent, in ms (row C6). */
export interface StreamLimits {
  /** Until the first byte of the reply. */
  readonly firstByteMs: number;
  /** Between two pieces of content; comments and pings are not content. */
  readonly idleMs: number;
  /** For the whole call. */
  readonly callMs: number;
  /** Instead of the first two, for a server that gives its reply in one piece (row C18). */
  readonly nonStreamIdleMs: number;
}

/** What the defaults depend on. */
export interface CallSize {
  readonly local: boolean;
  readonly bodyBytes: number;
  readonly streaming: boolean;
}

const DEFAULTS: StreamLimits = { firstByteMs: 120_000, idleMs: 180_000, callMs: 1_800_000, nonStreamIdleMs: 90_000 };
const LARGE = { tokens: 50_000, idleMs: 240_000, nonStreamIdleMs: 150_000 };
const HUGE = { tokens: 100_000, idleMs: 300_000, nonStreamIdleMs: 240_000 };

/** The limits of one call: what was set explicitly always holds; defaults know local servers and large prompts (row C6). */
export function streamLimits(set: Partial<StreamLimits>, { local, bodyBytes, streaming }: CallSize): CallLimits {
  const sized = defaultsFor(roughTokens(bodyBytes));
  const limit = (name: keyof StreamLimits): number => set[name] ?? (local ? Infinity : sized[name]);
  const callMs = set.callMs ?? DEFAULTS.callMs;
  if (streaming) return { firstByteMs: limit("firstByteMs"), idleMs: limit("idleMs"), callMs };
  const silence = limit("nonStreamIdleMs");
  return { firstByteMs: silence, idleMs: silence, callMs };
}

/** What one call is watched by. */
export type CallLimits = Omit<StreamLimits, "nonStreamIdleMs">;

function defaultsFor(tokens: number): StreamLimits {
  if (tokens > HUGE.tokens) return { ...DEFAULTS, ...HUGE };
  return tokens > LARGE.tokens ? { ...DEFAULTS, ...LARGE } : DEFAULTS;
}
