import type { Tool } from "../protocol/tool.ts";
import { REPLY_TOKENS, roughTokens } from "../protocol/window.ts";

/** What is known of the model that will be given the tools. */
export interface Taker {
  readonly takesTools?: boolean;
  /** Tokens. */
  readonly contextWindow?: number;
}

export interface Reduced {
  readonly tools: readonly Tool[];
  /** Why some are missing; undefined: none is. */
  readonly because: "takes-none" | "small-window" | undefined;
  /** Names of those left out. */
  readonly left: readonly string[];
}

/** Kept free for the message and the first results, tokens. */
const TALK_TOKENS = 1_024;

/** The tools a model can be given: none where it takes none, else the first ones that leave it room to work. */
export function reduceTools(
  tools: readonly Tool[],
  { takesTools = true, contextWindow = Infinity }: Taker,
  system: string,
): Reduced {
  if (!takesTools && tools.length > 0) return { tools: [], because: "takes-none", left: namesOf(tools) };
  let room = contextWindow - REPLY_TOKENS - TALK_TOKENS - roughTokens(Buffer.byteLength(system));
  const kept = tools.filter((tool) => {
    const size = sizeOf(tool);
    if (size > room) return false;
    room -= size;
    return true;
  });
  const left = namesOf(tools.filter((tool) => !kept.includes(tool)));
  return { tools: kept, because: left.length > 0 ? "small-window" : undefined, left };
}

const namesOf = (tools: readonly Tool[]): string[] => tools.map(({ name }) => name);

const sizeOf = ({ name, description, parameters }: Tool): number =>
  roughTokens(Buffer.byteLength(JSON.stringify({ name, description, parameters })));
