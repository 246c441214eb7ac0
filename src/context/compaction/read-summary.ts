import { callsOf, type Message } from "../../protocol/message.ts";

/** How a run for a summary has ended. */
export interface SummaryRun {
  readonly ok: boolean;
  readonly answer: string | null;
  /** Why it has ended, in a word of the exit reasons. */
  readonly reason: string;
  /** In words; null: none. */
  readonly message: string | null;
  readonly messages: readonly Message[];
}

/** `nothing`: no message was worth keeping. */
export type SummaryRead =
  | { readonly type: "summary"; readonly text: string }
  | { readonly type: "nothing" }
  | { readonly type: "trouble"; readonly trouble: string };

const NOTHING = "(nothing)";

/** What a run gave, or in one line why that is no summary (nanobot.md §5.3). */
export function readSummary(run: SummaryRun): SummaryRead {
  const asks = run.messages.some((message) => message.role === "assistant" && callsOf(message).length > 0);
  if (asks) return trouble("the model called a tool instead of summing up");
  const text = run.answer?.trim() ?? "";
  if (!run.ok) return trouble(failed(run));
  if (text === "") return trouble("the model said nothing");
  if (text.toLowerCase() === NOTHING) return { type: "nothing" };
  if (isRefusal(text)) return trouble("the model refused to sum up");
  return isNoSummary(text) ? trouble("the model gave no summary") : { type: "summary", text };
}

const trouble = (said: string): SummaryRead => ({ type: "trouble", trouble: said });

/** Ends of a run in which the model has said nothing. */
const SILENT: ReadonlySet<string> = new Set(["empty_response_exhausted", "max_iterations_reached", "budget_exhausted"]);

function failed({ reason, message, answer }: SummaryRun): string {
  if (SILENT.has(reason) && (answer ?? "").trim() === "") return "the model said nothing";
  if (reason === "output_truncated" || reason === "thinking_exhausted")
    return "the summary was cut off by the limit on output";
  if (reason === "content_policy") return "the model refused to sum up";
  if (reason === "time_limit") return "the model took too long";
  return message === null ? reason : firstLine(message);
}

/** Without the full stop that whoever tells it adds. */
const firstLine = (text: string): string => (text.trim().split("\n", 1)[0]?.trim() ?? "").replace(/[.。]$/u, "");

/** A refusal is short and has none of the headings. */
const LONGEST_REFUSAL = 600;
const REFUSES =
  /\b(?:can(?:no|['’])t|can not|unable to|won['’]t|not able to)\b.{0,80}\b(?:help|assist|summari[sz]e|comply|provide|do that|continue)\b|无法|不能(?:提供|协助|总结)/isu;

const isRefusal = (text: string): boolean =>
  text.length <= LONGEST_REFUSAL && !/^#{1,4}\s/mu.test(text) && REFUSES.test(text);

/** “OK.”, “Sure, I will do that.”: what it would stand for is lost, and rules leave out less. */
const SHORTEST_WITHOUT_HEADING = 30;

const isNoSummary = (text: string): boolean => text.length < SHORTEST_WITHOUT_HEADING && !/^#{1,4}\s/mu.test(text);
