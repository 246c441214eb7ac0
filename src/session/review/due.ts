import { callsOf, type Message, type ToolCallPart } from "../../protocol/message.ts";
import type { EndedTurn } from "../after-work.ts";

/** What keeps notes, and what keeps procedures (hermes.md §16). */
export const NOTES_TOOL = "memory";
export const SKILLS_TOOL = "skill_manage";

/** How often a conversation is looked back at. */
export interface Intervals {
  /** Messages of the user without a note. */
  readonly turns: number;
  /** Model calls with tools without a skill written. */
  readonly iterations: number;
  /** Messages of the user without a note that make it worth while where a conversation is left. */
  readonly leastTurns: number;
}

/** hermes.md §19; `leastTurns` is ours. */
export const USUAL: Intervals = { turns: 10, iterations: 10, leastTurns: 6 };

type History = EndedTurn["history"];

/** Where the counts of a session stood when it had so many messages. */
export interface Counts {
  readonly messages: number;
  /** Messages of the user since the last note, or the beginning. */
  readonly turns: number;
  /** Model calls with tools since the last skill that was written, or the beginning. */
  readonly iterations: number;
}

const NOTHING: Counts = { messages: 0, turns: 0, iterations: 0 };

export interface Due {
  readonly notes: boolean;
  readonly skills: boolean;
  readonly counts: Counts;
}

/**
 * Which reviews are due behind a turn (row J6). Both counts are of the history alone, so they are the same after a resume
 * (row A6): messages of the user since the last note, and model calls with tools since the last skill that was written. A
 * count is due where this turn has carried it over a multiple of its interval: so a review that was due is not due again
 * with the next turn, whatever it wrote, and what has just been written down makes the count begin anew. `known`: of an
 * earlier turn; nothing before it is looked at again.
 */
export function dueReviews(
  { history, firstSeq }: Pick<EndedTurn, "history" | "firstSeq">,
  { turns, iterations }: Pick<Intervals, "turns" | "iterations">,
  known: Counts = NOTHING,
): Due {
  const place = { history, from: known.messages, firstSeq };
  const said = countBack(place, { tool: NOTES_TOOL, counts: isUserTurn, known: known.turns });
  const worked = countBack(place, { tool: SKILLS_TOOL, counts: hasCalls, known: known.iterations });
  return {
    notes: crosses(said, turns),
    skills: crosses(worked, iterations),
    counts: { messages: history.length, turns: said.count, iterations: worked.count },
  };
}

/** How many messages of the user stand behind the last note, from a place on. */
export const turnsWithoutNote = (history: History, from: number): number =>
  countBack({ history, from, firstSeq: from }, { tool: NOTES_TOOL, counts: isUserTurn, known: 0 }).count;

interface Counted {
  readonly count: number;
  /** As it was before the turn. */
  readonly before: number;
}

const crosses = ({ count, before }: Counted, interval: number): boolean =>
  Math.floor(count / interval) > Math.floor(before / interval);

interface Place extends Pick<EndedTurn, "history" | "firstSeq"> {
  /** No further back than this. */
  readonly from: number;
}

interface Counting {
  readonly tool: string;
  readonly counts: (message: Message) => boolean;
  /** The count up to `from`. */
  readonly known: number;
}

/** From the end back to the last success of the tool. */
function countBack({ history, firstSeq, from }: Place, { tool, counts, known }: Counting): Counted {
  let [count, ofTurn] = [0, 0];
  const done = new Set<string>();
  for (let at = history.length - 1; at >= from; at--) {
    const message = history[at];
    if (message === undefined) continue;
    if (message.role === "tool" && message.status === "ok") done.add(message.callId);
    if (message.role === "assistant" && succeeded(message, tool, done)) return { count, before: count - ofTurn };
    if (!counts(message)) continue;
    count++;
    if (at >= firstSeq) ofTurn++;
  }
  return { count: count + known, before: count + known - ofTurn };
}

/** Receipts stand directly behind their message, so what they say has been read by then. */
function succeeded(message: Message & { role: "assistant" }, tool: string, done: Set<string>): boolean {
  const found =
    done.size > 0 && callsOf(message).some((call) => call.name === tool && done.has(call.callId) && !isLook(call));
  done.clear();
  return found;
}

/** Whoever looks at the notes writes none. */
const isLook = ({ input }: ToolCallPart): boolean => /"action"\s*:\s*"read"/u.test(input);

const isUserTurn = (message: Message): boolean => message.role === "user" && message.midTurn !== true;

const hasCalls = (message: Message): boolean =>
  message.role === "assistant" && message.parts.some(({ type }) => type === "tool-call");
