import type { ChildOptions } from "./children-later.ts";
import type { DailyDream } from "./daily-dream.ts";
import type { PromptAsked } from "../context/prompt/build.ts";
import type { BuiltPrompt } from "../protocol/prompt.ts";
import type { AskSummary } from "./summaries.ts";
import type { ModelOptions, Shared } from "./model-source.ts";
import type { RunResult, TurnHandle } from "../session/turn-handle.ts";
import type { RunSpec } from "../session/run-spec.ts";
import type { Hooks, MemoryProvider, Middleware, Plugin } from "../protocol/extension.ts";
import type { Guardrails } from "../protocol/guardrails.ts";
import type { OtherRuntime } from "../protocol/ports.ts";
import type { ModelChoice } from "../protocol/provider.ts";
import type { Tool } from "../protocol/tool.ts";
import type { ToolSource } from "../protocol/tool-source.ts";
import type { Diagnostic } from "../session/diagnostic.ts";
import type { ReviewOutcome } from "../session/review/outcome.ts";
import type { SessionsOptions } from "../session/sessions.ts";
import type { Inspector } from "../protocol/approval.ts";
import type { ToolboxOptions } from "../tools/toolbox.ts";
import type { ApprovalPolicy, RetryPolicy } from "../turn/state.ts";

export interface AgentOptions extends ModelOptions {
  readonly system?: string;
  readonly tools?: readonly Tool[];
  /**
   * More tools, which come and go: each turn has what is there as it begins, behind `tools`, whose names nobody else gets.
   * Closed with the agent.
   */
  readonly toolSource?: ToolSource;
  /**
   * The models that take over, in this order, when one fails in a way that waiting does not help, or not soon. The next
   * turn tries the agent's own model first again, unless that has said that a limit is used up.
   */
  readonly fallback?: readonly ModelChoice[];
  /** Describes the pictures of a user message where the agent's model is known not to see. */
  readonly vision?: ModelChoice;
  /**
   * Models that are asked, all at once, how they would answer each message, before the agent's own model is: what they
   * say joins the message, and what they take the bill of the turn.
   */
  readonly advisers?: readonly ModelChoice[];
  /** Is asked once per turn what it recalls for the prompt, which joins the message; see docs/extending.md. */
  readonly memory?: MemoryProvider;
  /**
   * Sums up what is left out of a long conversation; the agent's own model where this one fails, and when absent. `false`:
   * no model does, and what is left out goes without a summary.
   */
  readonly summary?: ModelChoice | false;
  /** Gives sessions their titles, when the first answer has been delivered; they are called by their first words when absent. */
  readonly title?: ModelChoice;
  /**
   * Looks back at its conversations, beside them, for what is worth keeping with the tools `memory` and `skill_manage`; see
   * docs/memory.md. Not done when absent, nor where there are no such tools.
   */
  readonly review?: ReviewOptions;
  /**
   * Gives the model the tool `delegate_task`: child agents with a part of its tools and a conversation of their own. Absent:
   * there are none, unless the tool is among `tools`.
   */
  readonly children?: ChildOptions;
  /** Whether a long conversation is also summed up between two turns, while nobody waits; it is when absent. */
  readonly consolidate?: boolean;
  /** Folder of the store. Absent: nothing outlives the process. */
  readonly store?: string;
  /** `full` syncs every commit to disk; the default syncs what must survive power loss. */
  readonly sync?: "four" | "full";
  /** Model calls per turn; `Infinity` only when written out. */
  readonly maxIterations?: number;
  /** How long a turn may run in one go, ms, up to 2^31 - 1; it then ends as `time_limit`, and what was shown is kept. */
  readonly maxTimeMs?: number;
  /**
   * What a turn may spend, US dollars; no limit when absent. It then ends as `money_limit`, or asks where somebody can
   * answer. A model whose price nobody knows is not asked under a limit.
   */
  readonly maxCost?: number;
  /** The same for all turns of a session, with what was done on its account. */
  readonly maxSessionCost?: number;
  /** The same for all turns of this store since midnight, as it stands when a turn begins. */
  readonly maxDayCost?: number;
  /** Tells the model with each message what time it is on this machine. Not done when absent; a route is told anyway. */
  readonly tellTime?: boolean;
  /** The longest reply to ask for, tokens; absent leaves it to the server. */
  readonly maxOutput?: number;
  /** Takes every turn over whole, with a model and tools of its own (row B12). Absent: the loop asks the model. */
  readonly runtime?: OtherRuntime;
  /** What happens to a call that needs a person; `never` when absent. */
  readonly approvals?: ApprovalPolicy;
  /** A person attends: what the model asks (`clarify`) is waited for, whatever `approvals` lets run. */
  readonly attended?: boolean;
  /** How long a yes holds until its call runs, minutes, 1 to 60; 10 when absent. After that the call is asked about anew. */
  readonly approvalMinutes?: number;
  readonly retry?: Partial<RetryPolicy>;
  /** Watch the loop, in this order; see docs/extending.md. */
  readonly hooks?: readonly Hooks[];
  /** Work at the two ends of a turn, in this order. */
  readonly plugins?: readonly Plugin[];
  /** Stand around model calls and before tool calls; the first is the outermost. */
  readonly middleware?: readonly Middleware[];
  /** Look at each call before it may run, behind the verdict of its tool and in this order. */
  readonly inspectors?: readonly Inspector[];
  /** How long one call of those, or of the memory, may take before nobody waits for it any more, ms; 5,000 when absent. */
  readonly extensionLimitMs?: number;
  /** Sentences about hooks, plug-ins or middleware that could not be loaded: told in every result. */
  readonly extensionTroubles?: readonly string[];
  /** Guards against calls that repeat themselves; they stop a turn unless `hardStop` is false. */
  readonly guardrails?: Partial<Guardrails>;
  /** The first call that ends with an error ends the turn as `tool_error`. */
  readonly failOnToolError?: boolean;
  /**
   * Values that no model, screen, log or store may get, of eight characters and more, beside the keys of the models: they are
   * masked in whatever form they come, in results of tools and in answers.
   */
  readonly secrets?: readonly string[];
  /** For logs: one line per turn, and one when the system prompt of a session is taken up or built. */
  readonly onDiagnostic?: (diagnostic: Diagnostic) => void;
  /**
   * Is handed each turn that answers a message injected too late for its own turn. Absent: such messages come back
   * in `pendingSteer`.
   */
  readonly onFollowUp?: (turn: TurnHandle) => void;
}

/** When and how conversations are looked back at. */
export interface ReviewOptions {
  /** Messages of the user without a note between two looks for notes; 10 when absent. */
  readonly turns?: number;
  /** Model calls with tools without a skill written between two looks for skills; 10 when absent. */
  readonly iterations?: number;
  /** Messages of the user without a note in a conversation that is looked back at when it is left or made smaller; 6 when absent. */
  readonly leastTurns?: number;
  /** The model of the conversation, which has read it already, when absent. */
  readonly model?: ModelChoice;
  /** How long one look may take, ms; 600,000 when absent. */
  readonly maxTimeMs?: number;
  /** What one look may spend, US dollars; as much as a turn when absent. */
  readonly maxCost?: number;
  /** Is told what each look has come to, also when that is nothing. */
  readonly onReview?: (outcome: ReviewOutcome) => void;
}

/** How a program says what its sessions are told first. */
export interface PromptMaker {
  /** Where the tools work: a prompt that was built for another folder is built anew. */
  readonly cwd: string;
  readonly build: (asked: Omit<PromptAsked, "skills">) => Promise<BuiltPrompt>;
}

/** Asks the model that sees. */
export type AskVision = (spec: RunSpec, signal: AbortSignal) => Promise<RunResult>;

/** What the program adds to the options of an agent. */
export interface Around
  extends
    Pick<SessionsOptions, "trace" | "program" | "refer" | "news" | "beside">,
    Pick<Shared, "find">,
    Pick<ToolboxOptions, "rules" | "checkpoints" | "results"> {
  /** Where limits are kept that other processes are to know; absent: beside the store, or nowhere. */
  readonly limitsFolder?: string;
  /** Makes the system prompts of its sessions; absent: `system` is all of it. */
  readonly prompt?: PromptMaker;
  /** Tidies the notes once a day, beside its sessions; absent: nobody does unasked. */
  readonly dream?: DailyDream;
  /** More `secrets`, looked up when a tool is first called. Must not reject. */
  readonly secretsLater?: () => Promise<readonly string[]>;
  /** A session that nobody goes on with has ended, such as that of a child agent. Must not reject. */
  readonly leaves?: (sessionId: string) => Promise<void>;
  /** Is handed what asks the model of summaries, where one is named. */
  readonly summaries?: (ask: AskSummary) => void;
  /** Is handed what asks the model that sees: the agent's own where none is named. */
  readonly eyes?: (ask: AskVision) => void;
  /** A person has just chosen the model: nothing stands against it but what its server says. */
  readonly chosen?: boolean;
}
