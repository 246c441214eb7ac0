export { expectTurn, type TurnExpectation } from "./expect-turn.ts";
export { script, ScriptedModel, type ScriptRequest } from "./script.ts";
export { fail, say, type SayOptions, type ScriptStep, type ScriptUsage } from "./steps.ts";
export { VirtualClock } from "./virtual-clock.ts";
