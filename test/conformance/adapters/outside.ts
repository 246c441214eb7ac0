import { readFileTool } from "../../../src/tools/files/read-file.ts";
import { writeFileTool } from "../../../src/tools/files/write-file.ts";
import { terminalTool } from "../../../src/tools/terminal/terminal.ts";
import { createToolbox } from "../../../src/tools/toolbox.ts";
import { countOutside, isThirdTry } from "../../../src/turn/denials.ts";
import { newGuard } from "../../../src/turn/guardrails.ts";
import type { OpenCall } from "../../../src/turn/state.ts";
import { isObject, type Json } from "../case-file.ts";
import { listOf, objectOf, textOf } from "../input.ts";

const PLACE = { cwd: "/srv/ws", home: "/home/u", guarded: [] };
const NAMES: Readonly<Record<string, string>> = { exec: "terminal", file_path: "path", working_dir: "cwd" };

const renamed = (name: string): string => NAMES[name] ?? name;

/** `{failed_calls: [[tool, arguments], …]}`: each is one that nobody agreed to. */
export async function workspaceViolationCase(input: Json): Promise<unknown> {
  const tools = [
    readFileTool(PLACE),
    writeFileTool(PLACE),
    terminalTool({ place: PLACE, own: { PATH: "/usr/bin:/bin" } }),
  ];
  const { port } = createToolbox(tools);
  await port.ready?.();
  const guard = newGuard();
  const escalated = listOf(objectOf(input, "input")["failed_calls"], "failed_calls").map((given, at) => {
    const [name = null, args = null] = listOf(given, "a call");
    const own = Object.entries(isObject(args) ? args : {}).map(([key, value]) => [renamed(key), value]);
    const text = JSON.stringify({ ...Object.fromEntries(own), ...(name === "write_file" && { content: "" }) });
    const part = { type: "tool-call", callId: `c${at}`, name: renamed(textOf(name, "a tool")), input: text } as const;
    const inspection = port.inspect(part);
    const call: OpenCall = { part, inspection, seq: at, approval: "unasked", started: false };
    const stops = isThirdTry(guard, call);
    countOutside(guard, call, { role: "tool", callId: part.callId, status: "denied", parts: [] });
    return stops;
  });
  return { escalated };
}
