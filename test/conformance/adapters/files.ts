import { homedir } from "node:os";
import type { ToolCallPart } from "../../../src/protocol/message.ts";
import { builtInTools } from "../../../src/tools/built-in.ts";
import { createToolbox } from "../../../src/tools/toolbox.ts";
import { judgeResult } from "../../../src/tools/judge-result.ts";
import { errorPreview, targetsOf } from "../../../src/turn/files.ts";
import type { Json } from "../case-file.ts";
import { objectOf, textOf } from "../input.ts";

const TOOLS = builtInTools({ cwd: "/", home: homedir(), env: {} });
const toolbox = createToolbox(TOOLS);
await toolbox.port.ready?.();

/** `{op: "landed"|"targets"|"error_preview", …}`: what a call was to write, and whether its result says that it has. */
export function fileMutationCase(input: Json): unknown {
  const { op, tool, args, result, max_len: most } = objectOf(input, "input");
  switch (op) {
    case "landed":
      return { landed: !judgeResult(textOf(result, "result")).failed };
    case "error_preview":
      return { preview: errorPreview(textOf(result, "result"), Number(most)) };
    default: {
      const written = JSON.stringify(objectOf(args, "args"));
      const part: ToolCallPart = { type: "tool-call", callId: "c", name: textOf(tool, "tool"), input: written };
      return { targets: targetsOf({ part, inspection: toolbox.port.inspect(part) }) };
    }
  }
}

const terminal = TOOLS.find(({ name }) => name === "terminal");

/** `{command}`: whether a snapshot stands before it. */
export function destructiveCommandCase(input: Json): unknown {
  const given = objectOf(input, "input");
  const asked = terminal?.verdict?.(given).type !== "auto";
  return { destructive: (terminal?.changes?.(given, { asked }) ?? []).length > 0 };
}
