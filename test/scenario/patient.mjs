// Preloaded by a test of what servers and other programs answer: no limit of time ends this process's waiting for them,
// for how fast a busy machine lets them answer is not under test.
const PATIENCE_MS = 45_000;

const limit = AbortSignal.timeout.bind(AbortSignal);
AbortSignal.timeout = (ms) => limit(Math.max(ms, PATIENCE_MS));

/** What an extension may take, and what is done beside the turns when the agent is closed. */
const LIMIT_MS = 5_000;

const later = globalThis.setTimeout;
const patient = (work, ms, ...given) => later(work, ms === LIMIT_MS ? PATIENCE_MS : ms, ...given);
globalThis.setTimeout = Object.defineProperties(patient, Object.getOwnPropertyDescriptors(later));
