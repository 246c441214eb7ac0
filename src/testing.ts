export { replay } from "./agent/replay-file.ts";
export { expectTurn, type TurnExpectation } from "./testing/expect-turn.ts";
export { script, ScriptedModel, type ScriptRequest } from "./testing/script.ts";
export { fail, say, type SayOptions, type ScriptStep, type ScriptUsage } from "./testing/steps.ts";
export { VirtualClock } from "./testing/virtual-clock.ts";
export type { Difference, Replay } from "./protocol/replay.ts";
