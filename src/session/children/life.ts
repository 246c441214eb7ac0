import type { ChildTask } from "../../protocol/delegation.ts";
import type { Fact } from "../../protocol/fact.ts";
import { callsOf } from "../../protocol/message.ts";
import type { MoneyLimit } from "../../protocol/money.ts";
import type { PromptBuilt } from "../../protocol/prompt.ts";
import type { StoredSession } from "../../protocol/store.ts";
import type { Setup } from "../../turn/state.ts";
import type { ToldModel } from "../kit.ts";
import { Lane } from "../lane.ts";
import type { LaneOptions } from "../lane-options.ts";
import { oneLine } from "../plain-text.ts";
import type { SessionOpening, Turn } from "../turn.ts";

/** What a child works with, made anew for each. */
export interface OpenedChild extends Pick<LaneOptions, "backup" | "about" | "extend"> {
  readonly setup: Setup;
  readonly tools: LaneOptions["tools"];
  readonly model: (session: SessionOpening) => ToldModel;
  /** What its model is told first; of one that is taken up, what it was told. */
  readonly prompt: { readonly text: string; readonly built: PromptBuilt };
}

/** What all children of an agent share. */
export type ChildPorts = Pick<LaneOptions, "log" | "trace" | "program"> & {
  readonly newId: () => string;
  readonly ports: LaneOptions["ports"];
};

interface Begun {
  readonly stored: StoredSession;
  readonly opened: OpenedChild;
  readonly limit: MoneyLimit | undefined;
  readonly maxTimeMs: number | undefined;
}

/** The lane of a child. Its one turn has the name of its session: whoever finds one has found both. */
export function childLane({ stored, opened, limit, maxTimeMs }: Begun, shared: ChildPorts): Lane {
  const { newId, ports, ...around } = shared;
  const { prompt } = stored;
  const told = prompt.state === "present" ? { text: prompt.text } : opened.prompt;
  const { setup, about, backup, extend } = opened;
  let named = false;
  return new Lane({
    ...around,
    stored,
    setup,
    about,
    backup,
    extend,
    prompt: told,
    ports,
    tools: opened.tools,
    open: (tools) => opened.model({ nonce: stored.nonce, system: told.text, tools }),
    newId: () => {
      if (named) return newId();
      named = true;
      return stored.sessionId;
    },
    limit: () => limit,
    maxTimeMs,
  });
}

/** What a child is told of its task: all that it knows. */
export const messageFor = ({ goal, context = "" }: ChildTask): string =>
  context.trim() === "" ? goal : `${goal}\n\nWhat you should know:\n${context}`;

/** What whoever watches the parent sees of it, line by line, until it ends. */
export async function relay(turn: Turn, tell: (line: string) => void): Promise<void> {
  for await (const event of turn) {
    const line = "type" in event ? lineOf(event as Fact) : undefined;
    if (line !== undefined) tell(line);
  }
}

function lineOf(fact: Fact): string | undefined {
  switch (fact.type) {
    case "assistant-message":
      return (
        callsOf(fact.message)
          .map(({ name, input }) => oneLine(`${name} ${input}`))
          .join("; ") || undefined
      );
    case "model-failure":
      return oneLine(`the model failed: ${fact.failure.reason}`);
    case "turn-end":
      return `ended: ${fact.outcome.exit}`;
    default:
      return undefined;
  }
}
