export { agent } from "./agent/agent.ts";
export type { Agent, RunOptions, StartOptions } from "./agent/agent.ts";
export type { Branches, BranchOptions } from "./agent/branching.ts";
export type { AgentOptions, ReviewOptions } from "./agent/options.ts";
export type { StreamLimits } from "./model/stream-limits.ts";
export type {
  Grant,
  InspectedCall,
  Inspector,
  Plan,
  PlanPart,
  Rule,
  RuleBook,
  Scope,
  Verdict,
} from "./protocol/approval.ts";
export type { ExitReason, RefusalReason } from "./protocol/exit.ts";
export type { Hooks, MemoryProvider, Middleware, Plugin, PrefetchInput } from "./protocol/extension.ts";
export type { TurnEvent } from "./protocol/fact.ts";
export type { Guardrails } from "./protocol/guardrails.ts";
export type { Message } from "./protocol/message.ts";
export type { ModelFacts } from "./protocol/model-facts.ts";
export { fromOpenAi, type OpenAiMessage, toOpenAi } from "./protocol/openai.ts";
export type { WaitingCall } from "./protocol/outcome.ts";
export type { OtherRuntime, RuntimeReply } from "./protocol/ports.ts";
export type { ModelChoice } from "./protocol/provider.ts";
export type { NextStep, TurnResult } from "./protocol/result.ts";
export { type Fork, type Store, StoreError } from "./protocol/store.ts";
export type { Claim, Effect, Route, Tool, ToolContext } from "./protocol/tool.ts";
export type { ForkOptions } from "./session/branches.ts";
export type { Diagnostic } from "./session/diagnostic.ts";
export type { ParkedTurn } from "./session/parked-turn.ts";
export type { PictureRow, TurnPicture } from "./session/picture/picture.ts";
export { type Beside, pictureOf } from "./session/picture/picture-of.ts";
export { pictureSvg } from "./session/picture/svg.ts";
export type { ReviewOutcome } from "./session/review/outcome.ts";
export type { RunSpec } from "./session/run-spec.ts";
export { type ChatPlace, sessionKey, type SessionKeyOptions } from "./session/session-key.ts";
export type { Sessions } from "./session/sessions.ts";
export type { Turn } from "./session/turn.ts";
export type { RunResult, TurnHandle } from "./session/turn-handle.ts";
export type { StandardSchema } from "./tools/standard-schema.ts";
export { tool, type ToolDefinition } from "./tools/standard-tool.ts";
