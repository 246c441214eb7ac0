import { realpathSync } from "node:fs";
import { relative } from "node:path";
import { builtInTools } from "../../../src/tools/built-in.ts";
import { createToolbox } from "../../../src/tools/toolbox.ts";
import { errorPreview, targetsOf } from "../../../src/turn/files.ts";
import type { Json, JsonObject } from "../case-file.ts";
import { objectOf, textOf } from "../input.ts";
import { callOf, lookUp, NOWHERE } from "./tool-repair.ts";

/** A folder that there is; nothing in it is touched. */
const CWD = realpathSync(import.meta.dirname);
const TOOLS = builtInTools({ cwd: CWD, home: "/home/u", env: {} });
const toolbox = createToolbox(TOOLS);
await toolbox.port.ready?.();

/** `{op: "landed"|"targets"|"error_preview", …}`: what a call was to write, and whether its result says that it has. */
export async function fileMutationCase(input: Json): Promise<unknown> {
  const { op, tool, args, result = null, max_len: most = null } = objectOf(input, "input");
  switch (op) {
    case "landed":
      return { landed: await hasLanded(textOf(tool, "tool"), result) };
    case "error_preview":
      return { preview: most === null ? errorPreview(written(result)) : errorPreview(written(result), Number(most)) };
    case "targets":
      return { targets: targets(textOf(tool, "tool"), objectOf(args, "args")) };
    default:
      throw new Error(`no such op: ${textOf(op, "op")}`);
  }
}

/** As it was written by the model: below the working folder from there. */
function targets(tool: string, args: JsonObject): readonly string[] {
  const part = callOf(tool, JSON.stringify(args));
  const found = targetsOf({ part, inspection: toolbox.port.inspect(part) });
  return found.map((path) => (path.startsWith(`${CWD}/`) ? relative(CWD, path) : path));
}

const written = (result: Json): string =>
  typeof result === "string" ? result : result === null ? "" : JSON.stringify(result);

/** What the reference says in the place of a result where a tool threw. */
const THROWN = /^Error executing tool/u;

async function hasLanded(tool: string, result: Json): Promise<boolean> {
  const text = written(result);
  const run = (): string => {
    if (THROWN.test(text)) throw new Error(text);
    return text;
  };
  const { port } = createToolbox([lookUp(tool, { run })]);
  const call = port.run(callOf(tool, "{}"), NOWHERE);
  return call.then(({ failed }) => failed !== true).catch(() => false);
}

const terminal = TOOLS.find(({ name }) => name === "terminal");

/** `{command}`: whether a snapshot stands before it. */
export function destructiveCommandCase(input: Json): unknown {
  const given = objectOf(input, "input");
  const asked = terminal?.verdict?.(given).type !== "auto";
  return { destructive: (terminal?.changes?.(given, { asked }) ?? []).length > 0 };
}
