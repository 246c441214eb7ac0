import { isObject } from "../../protocol/json.ts";
import { string } from "../reading.ts";
import type { WireCall } from "./calls.ts";

/** One event of a stream, or a whole reply: servers differ only in `delta` or `message`. Nothing in it is sure. */
export interface WireChunk {
  readonly choices?: readonly (WireChoice | null)[] | null;
  readonly usage?: unknown;
  readonly error?: unknown;
}

interface WireChoice {
  readonly delta?: WireDelta | null;
  readonly message?: WireDelta | null;
  readonly finish_reason?: unknown;
}

interface WireDelta {
  readonly content?: unknown;
  readonly reasoning_content?: unknown;
  readonly reasoning?: unknown;
  readonly reasoning_details?: unknown;
  readonly refusal?: unknown;
  readonly tool_calls?: unknown;
}

/** What one event adds to the reply; empty strings and lists where it adds nothing. */
export interface Piece {
  readonly text: string;
  readonly reasoning: string;
  /** What stands beside it for whoever gives it back; undefined: nothing. */
  readonly details: readonly unknown[] | undefined;
  readonly refusal: string;
  readonly calls: readonly WireCall[];
  readonly finish: string;
}

const NO_CALLS: readonly WireCall[] = [];

export function pieceOf(choice: WireChoice): Piece {
  const delta = choice.delta ?? choice.message ?? {};
  const { content, tool_calls: calls, reasoning_details: details } = delta;
  const native = string(delta.reasoning_content) || string(delta.reasoning);
  // The parts of a whole message stand under each other; those of an event go on where the last one stopped.
  const gap = choice.delta ? "" : "\n";
  const parts = Array.isArray(content) ? contentOf(content, gap) : undefined;
  return {
    text: parts?.text ?? string(content),
    reasoning: parts === undefined ? native : native + parts.reasoning,
    details: Array.isArray(details) && details.length > 0 ? details : undefined,
    refusal: string(delta.refusal),
    calls: Array.isArray(calls) ? callsIn(calls, !choice.delta) : NO_CALLS,
    finish: string(choice.finish_reason),
  };
}

/** The entries of a whole message are calls of their own, though two have one id. */
const callsIn = (calls: readonly unknown[], whole: boolean): readonly WireCall[] =>
  calls.filter(isObject).map((call, index) => (whole ? { index, ...call } : call));

/** Some servers send content as a list of parts, thinking among them. */
function contentOf(parts: readonly unknown[], gap: string): { readonly text: string; readonly reasoning: string } {
  let reasoning = "";
  for (const { thinking } of parts.filter(isObject)) {
    reasoning += Array.isArray(thinking) ? textsOf(thinking).join(gap) : string(thinking);
  }
  return { text: textsOf(parts).join(gap), reasoning };
}

const textsOf = (parts: readonly unknown[]): string[] =>
  parts.flatMap((part) => (isObject(part) && string(part["text"]) !== "" ? [string(part["text"])] : []));
