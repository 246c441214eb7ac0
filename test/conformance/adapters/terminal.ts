import { readArguments } from "../../../src/tools/arguments.ts";
import { wrapBackground } from "../../../src/tools/terminal/compound-background.ts";
import { exitNote } from "../../../src/tools/terminal/exit-note.ts";
import { readRequest, terminalParameters } from "../../../src/tools/terminal/request.ts";
import type { Json } from "../case-file.ts";
import { numberOf, objectOf, textOf } from "../input.ts";

export function exitCodeMeaningCase(input: Json): unknown {
  const { command, exit_code: code } = objectOf(input, "input");
  return { benign_note: exitNote(textOf(command, "command"), numberOf(code, "exit_code")) !== undefined };
}

export const compoundBackgroundCase = (input: Json): unknown => ({
  command: wrapBackground(textOf(objectOf(input, "input")["command"], "command")),
});

/** Seconds; `refused`: the call gets an error and nothing runs. */
export function execTimeoutCase(input: Json): unknown {
  const { config_timeout: set, call_timeout: asked } = objectOf(input, "input");
  // What is no number of seconds is no setting.
  const settings = typeof set === "number" && set > 0 ? { timeoutS: set } : {};
  const call = JSON.stringify({ command: "true", ...(typeof asked === "number" && { timeout_s: asked }) });
  const read = readArguments(call, terminalParameters(settings, false));
  if (read.type !== "ok") return { refused: true };
  const place = { cwd: "/", home: "/", guarded: [] };
  const { timeoutMs } = readRequest(read.input, place, settings);
  return { effective: timeoutMs / 1_000 };
}
