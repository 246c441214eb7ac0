import { createHash } from "node:crypto";
import type { AgentOptions, Around } from "./options.ts";
import { judgePrompt, promptLine, startOf } from "../context/prompt/restore.ts";
import { promptOf } from "../context/prompt/whole.ts";
import type { OpenedModel } from "./model-source.ts";
import type { BuiltPrompt, SessionPrompt } from "../protocol/prompt.ts";
import type { Clock, ModelName } from "../protocol/ports.ts";
import type { ToolSpec } from "../protocol/tool.ts";
import type { StoredSession } from "../protocol/store.ts";
import type { Diagnostic } from "../session/diagnostic.ts";

/** What an agent says first where its program says nothing. */
const SYSTEM = "You are Evander, a careful assistant. Use the tools when they help; say plainly what you did.";

/** `system`: the words of the program that runs the agent; without `prompt` they are all of it, and no file is read. */
type PromptOptions = Pick<AgentOptions & Around, "system" | "prompt">;

interface PromptPorts {
  /** Those of its sessions. */
  readonly tools: readonly ToolSpec[];
  readonly clock: Pick<Clock, "now">;
  readonly log: (diagnostic: Diagnostic) => void;
}

export interface Prompts {
  /** What runs say that belong to no session and bring no words of their own. */
  readonly short: string;
  /** What a session is told: as it is kept, or built now (row A8). */
  forSession(
    stored: Pick<StoredSession, "sessionId" | "prompt" | "history">,
    model: OpenedModel,
  ): Promise<SessionPrompt>;
}

/** The prompts of an agent's sessions. */
export function promptsOf({ system, prompt: maker }: PromptOptions, { tools, clock, log }: PromptPorts): Prompts {
  const short = system ?? SYSTEM;
  const names = tools.map(({ name }) => name);
  const build = async (model: OpenedModel, started: string): Promise<BuiltPrompt> =>
    maker === undefined
      ? promptOf([{ tier: "context", name: "system", text: short }])
      : maker.build({
          model: nameOf(model),
          contextWindow: model.contextWindow,
          system,
          tools: names,
          started,
          nowMs: clock.now(),
        });
  const forSession: Prompts["forSession"] = async ({ sessionId, prompt, history }, model) => {
    // Whoever wants no prompt has none.
    if (system === "" && maker === undefined) return { text: "" };
    const given = maker === undefined ? system : undefined;
    const state = judgePrompt(prompt, { model: nameOf(model), cwd: maker?.cwd, given });
    log(promptLine(state, { sessionId, messages: history.length }));
    if (state === "present") return { text: prompt.state === "present" ? prompt.text : "" };
    const { text, parts } = await build(model, startOf(prompt));
    const sha256 = createHash("sha256").update(text).digest("hex");
    return { text, built: { type: "prompt-built", state, sha256, parts } };
  };
  return { short, forSession };
}

const nameOf = ({ model, about }: OpenedModel): ModelName => ({
  model,
  provider: about.provider,
});
