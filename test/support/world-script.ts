import type { ReceivedRequest } from "./fake-provider.ts";
import { broken, refuse, reply, type ScriptedCall, type Step } from "./wire-script.ts";

/** What the model does with one request, small enough to be shrunk. */
export type Move =
  | { readonly type: "text"; readonly pieces: readonly string[]; readonly finish?: "length" }
  /** Nothing but thoughts, to its end or to the output limit. */
  | { readonly type: "thoughts"; readonly finish?: "length" }
  /** The output limit ends it in the middle of its last call. */
  | { readonly type: "cut-call"; readonly names: readonly string[]; readonly text?: string }
  | { readonly type: "tools"; readonly names: readonly string[]; readonly text?: string }
  | { readonly type: "status"; readonly status: number; readonly words?: string }
  /** The connection ends after `after` frames, with a text or, where names are given, with calls on their way. */
  | {
      readonly type: "break";
      readonly after: number;
      readonly end: "cut" | "reset";
      readonly names: readonly string[];
    };

/** `counts`: the server says how much it has read. The bytes of a move. Ids are new in every request, and each call is told its own, unless it repeats another. */
export function stepOf(move: Move, { index, text }: ReceivedRequest, counts: boolean = false): Step {
  const calls = (names: readonly string[]): readonly ScriptedCall[] =>
    names.map((_name, at) => {
      const told = names.findLastIndex((name, before) => before <= at && name !== "again");
      const of = Math.max(told, 0);
      return { id: `c${index}-${at}`, name: names[of] ?? "", arguments: { id: `c${index}-${of}` } };
    });
  const read = Math.ceil(text.length / 4);
  const count = counts ? { usage: { prompt_tokens: read, completion_tokens: 5, total_tokens: read + 5 } } : {};
  switch (move.type) {
    case "text":
      return reply({ ...count, text: move.pieces, ...(move.finish && { finish: move.finish }) });
    case "tools":
      return reply({ ...count, calls: calls(move.names), ...(move.text !== undefined && { text: move.text }) });
    case "thoughts":
      return reply({ ...count, reasoning: "hm", ...(move.finish && { finish: move.finish }) });
    case "cut-call": {
      const cut = { id: `c${index}-cut`, name: "write", arguments: '{"id":"c' };
      return reply({ calls: [...calls(move.names), cut], finish: "length", text: move.text });
    }
    case "status":
      return refuse(move.status, { error: { message: move.words ?? "not now" } });
    case "break":
      return broken({ text: ["half", " of it"], calls: calls(move.names) }, move.after, move.end);
  }
}
