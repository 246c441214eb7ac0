import type { ContextPart } from "../../protocol/message.ts";
import { printable } from "../../session/plain-text.ts";
import { RAN_BY_USER } from "../../words/chat.ts";
import type { Runtime } from "../adapters.ts";
import type { Surface } from "../screen/surface.ts";

interface Place {
  readonly runtime: Runtime;
  readonly surface: Surface;
  readonly signal: AbortSignal;
}

/** Runs a command as the person who typed it, and shows what it prints. Returns what the model is to know of it. */
export async function runOwnCommand(command: string, { runtime, surface, signal }: Place): Promise<ContextPart> {
  let begun = "";
  const show = (text: string): void => {
    const lines = (begun + text).split("\n");
    begun = lines.pop() ?? "";
    for (const line of lines) surface.line(printable(line));
  };
  const { text, failed } = await runtime.runCommand(command, { signal, output: show });
  if (begun !== "") surface.line(printable(begun));
  const [headline = ""] = text.split("\n", 1);
  surface.line(surface.dim(`${failed ? "✗" : "✓"} ${printable(headline)}`));
  return { type: "context", source: RAN_BY_USER, text: `$ ${command}\n${text}` };
}
