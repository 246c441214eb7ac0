import type { EmptyRung } from "../protocol/fact.ts";
import { type AssistantMessage, assistantText, type Message, userText } from "../protocol/message.ts";
import type { ModelRequest } from "../protocol/ports.ts";
import { roomFor } from "./pressure.ts";
import { outputLimit } from "./recovery/cut-reply.ts";
import type { CutReply, View } from "./state.ts";

/** What the next attempt is to ask. */
export interface Asking {
  readonly grace: boolean;
  readonly rung: EmptyRung | undefined;
  /** About how many tokens the request has; undefined: nobody asks. */
  readonly tokens: number | undefined;
}

/** The request of the attempt that is about to begin. Its private messages are never history. */
export function modelRequest(state: View, asking: Asking, ephemeralSystem: string | undefined): ModelRequest {
  const { provider, model, history, compaction, adjusted, cut, asked } = state;
  const { grace, rung } = asking;
  const noTools = grace || rung === "finalise";
  const wanted = outputLimit(state);
  const weight = weightOf(asking, state, wanted);
  return {
    provider,
    model,
    history,
    compaction,
    tail: grace ? [...cutText(cut), userText(graceNote(state))] : tailOf(rung, state),
    system: asked.system,
    ephemeralSystem,
    noTools,
    continues: cut !== undefined && cut.text !== "",
    maxOutput: weight === undefined || wanted === undefined ? wanted : Math.min(wanted, weight.room),
    ...(weight && { weight }),
    streaming: adjusted.streaming !== false,
    adjusted,
  };
}

function weightOf(
  { tokens }: Asking,
  { contextWindow: window }: View,
  maxOutput: number | undefined,
): ModelRequest["weight"] {
  if (tokens === undefined || window === undefined) return undefined;
  return { tokens, room: roomFor(tokens, window, maxOutput) };
}

function tailOf(rung: EmptyRung | undefined, { cut, thought }: View): readonly Message[] {
  if (rung !== undefined) return RUNGS[rung](thought === undefined ? [] : [{ role: "assistant", parts: [thought] }]);
  if (cut === undefined || (cut.text === "" && cut.droppedTools.length === 0)) return [];
  return [assistantText(cut.text === "" ? "(cut off)" : cut.text), userText(continueNote(cut))];
}

const cutText = (cut: CutReply | undefined): readonly Message[] =>
  cut === undefined || cut.text === "" ? [] : [assistantText(cut.text)];

/** What each rung of row C9 says behind the history, roles in turn; `thoughts` are the model's own. */
const RUNGS: Readonly<Record<EmptyRung, (thoughts: readonly AssistantMessage[]) => readonly Message[]>> = {
  nudge: () => [
    assistantText("(empty)"),
    userText("Your last reply was empty. Look at the results of the tools above, and go on or answer now."),
  ],
  prefill: (thoughts) => thoughts,
  recall: () => [],
  finalise: () => [
    assistantText("(empty)"),
    userText("You have not answered yet. Answer now, in plain text, with what you know. Do not call tools."),
  ],
};

function graceNote({ cut, purse }: View): string {
  const why = purse?.end === undefined ? "The iteration limit is reached." : "The money limit is reached.";
  return cut === undefined || cut.text === ""
    ? `${why} Say in plain text what was done and what is left. Do not call tools.`
    : `${why} Finish what you were saying exactly where it stops, briefly. Do not call tools.`;
}

const NAMED_TOOLS = 3;

function continueNote({ by, text, droppedTools }: CutReply): string {
  const cause = by === "length" ? "was cut off at the output limit" : "was cut off by the network";
  const goOn = "Continue exactly where it stops: repeat nothing, and do not begin again.";
  if (droppedTools.length === 0) return `Your last reply ${cause}. ${goOn}`;
  const more = droppedTools.length > NAMED_TOOLS ? ` and ${droppedTools.length - NAMED_TOOLS} more` : "";
  const calls = `${droppedTools.slice(0, NAMED_TOOLS).join(", ")}${more}`;
  const lost = `Your last reply ${cause} in the middle of a tool call: ${calls} was NOT executed.`;
  const again = "Make the call again, in smaller parts if it is a long one.";
  return text === "" ? `${lost} ${again}` : `${lost} ${again} ${goOn}`;
}
