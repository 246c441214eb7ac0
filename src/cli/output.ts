import type { TurnEvent } from "../protocol/fact.ts";
import type { TurnResult } from "../protocol/result.ts";
import type { Flags } from "./flags.ts";
import { type Io, say } from "./io.ts";
import { Renderer } from "./render.ts";

/** How a headless turn is reported: whatever happens, `result` is called exactly once, last. */
export interface Output {
  event(event: TurnEvent): void;
  result(result: TurnResult): void;
}

export function openOutput(form: Flags["output"], io: Io, verbose: boolean): Output {
  switch (form) {
    case "text":
      return textOutput(io, verbose);
    case "json":
      return { event: () => undefined, result: (result) => say(io.stdout, JSON.stringify(result)) };
    case "jsonl":
      return jsonlOutput(io);
  }
}

/** The answer alone on stdout; what happens on the way, and why it ended, on stderr. */
function textOutput(io: Io, verbose: boolean): Output {
  const renderer = new Renderer();
  const follows = verbose || io.stderr.isTTY === true;
  return {
    event: (event) => {
      if (follows)
        for (const { channel, text } of renderer.render(event)) if (channel === "status") say(io.stderr, text);
    },
    result: (result) => {
      if (result.answer !== null) say(io.stdout, result.answer.trimEnd());
      for (const line of endLines(result)) say(io.stderr, line);
    },
  };
}

/** One JSON object a line, `seq` without gaps; the last is the result. A message's own place is called `place`. */
function jsonlOutput(io: Io): Output {
  let count = 0;
  const line = (body: object): void => say(io.stdout, JSON.stringify({ ...body, seq: count++, ts: Date.now() }));
  return {
    event: (event) => line("seq" in event ? { ...event, place: event.seq } : event),
    result: (result) => line({ type: "result", ...result }),
  };
}

/** Why it did not end with an answer, and what can be done. */
export function endLines(result: TurnResult): string[] {
  if (result.ok) return [];
  const { code, message } = result.error ?? { code: result.exit.reason, message: result.exit.explain ?? "" };
  const waiting = result.waitingFor.map((call) => `  waits: ${call.name} ${call.input} (${call.why})`);
  const next = result.exit.next.map(
    ({ text, command }) => `  next: ${text}${command === null ? "" : `  $ ${command}`}`,
  );
  return [`evander: ${code}: ${message}`, ...waiting, ...next];
}
