import type { ToolCallPart } from "../protocol/message.ts";
import type { ToolPort } from "../protocol/ports.ts";
import {
  EXCLUSIVE,
  HARMLESS,
  SHARED,
  type Claim,
  type Inspection,
  type Tool,
  type ToolContext,
  type ToolSpec,
} from "../protocol/tool.ts";
import { readArguments, type Arguments } from "./arguments.ts";

export interface Toolbox {
  /** What the model is told, in the order the tools were given. */
  readonly specs: readonly ToolSpec[];
  readonly port: ToolPort;
}

/** What providers accept as a function name. */
const LEGAL_NAME = /^[A-Za-z0-9_-]{1,64}$/;

type Reading =
  | { readonly type: "ready"; readonly tool: Tool; readonly input: Arguments }
  | { readonly type: "refuse"; readonly why: string };

/**
 * The tools of one session (row E1). Throws for a name that is illegal or given twice: that is a mistake of the
 * program that lists its tools, never of a model.
 */
export function createToolbox(tools: readonly Tool[]): Toolbox {
  const byName = register(tools);
  // By the call itself, so what was read goes when the turn forgets the call.
  const readings = new WeakMap<ToolCallPart, Reading>();
  return {
    specs: tools.map(({ name, description, parameters }) => ({ name, description, parameters })),
    port: {
      inspect(call): Inspection {
        const reading = read(call, byName);
        readings.set(call, reading);
        if (reading.type === "refuse") return { claim: EXCLUSIVE, effect: "pure", refuse: reading.why };
        const { effect } = reading.tool;
        const ask = askOf(reading.tool, reading.input);
        // Nothing was written where an object belongs: it may have got lost, so the call runs, but alone (row E3).
        const claim = call.input.trim() === "" ? EXCLUSIVE : claimOf(reading.tool, reading.input);
        if (ask !== undefined) return { claim, effect, ask };
        return claim === SHARED && effect === "pure" ? HARMLESS : { claim, effect };
      },
      async run(call, context): Promise<string> {
        // The call may have been looked at by another process, long ago (decision 0003).
        const reading = readings.get(call) ?? read(call, byName);
        if (reading.type === "refuse") throw new Error(reading.why);
        const ask = askOf(reading.tool, reading.input);
        if (ask !== undefined && ask !== context.approved) throw new Error(CHANGED);
        return runTool(reading.tool, reading.input, context);
      },
    },
  };
}

const CHANGED = "What this call touches changed after it was looked at, so it was not run. Call it again.";

function register(tools: readonly Tool[]): ReadonlyMap<string, Tool> {
  const byName = new Map<string, Tool>();
  for (const tool of tools) {
    if (!LEGAL_NAME.test(tool.name)) {
      throw new Error(`"${tool.name}" cannot be a tool name: use 1 to 64 letters, digits, "_" or "-".`);
    }
    if (byName.has(tool.name)) throw new Error(`Two tools are named "${tool.name}": give one of them another name.`);
    byName.set(tool.name, tool);
  }
  return byName;
}

function read(call: ToolCallPart, byName: ReadonlyMap<string, Tool>): Reading {
  const tool = byName.get(call.name);
  if (tool === undefined) {
    const names = byName.size === 0 ? "There are no tools." : `The tools are: ${[...byName.keys()].join(", ")}.`;
    return { type: "refuse", why: `There is no tool named "${call.name}". ${names}` };
  }
  const result = readArguments(call.input, tool.parameters);
  if (result.type === "bad") return { type: "refuse", why: `${tool.name} was not run: ${result.why}.` };
  return { type: "ready", tool, input: result.input };
}

/** A claim that cannot be told is the careful one (design §5.5). */
function claimOf(tool: Tool, input: Arguments): Claim {
  if (tool.concurrency === "shared") return SHARED;
  if (tool.concurrency === "exclusive" || tool.claim === undefined) return EXCLUSIVE;
  try {
    return tool.claim(input);
  } catch {
    return EXCLUSIVE;
  }
}

function askOf(tool: Tool, input: Arguments): string | undefined {
  try {
    return tool.ask?.(input);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return `Whether ${tool.name} needs a question could not be decided: ${reason}`;
  }
}

async function runTool(tool: Tool, input: Arguments, context: ToolContext): Promise<string> {
  context.signal.throwIfAborted();
  const text: unknown = await tool.run(input, context);
  if (typeof text !== "string") throw new Error(`The tool ${tool.name} returned no text.`);
  return plain(text);
}

/** Most providers refuse lone surrogates and NUL; other control characters are for terminals, not for a model. */
const plain = (text: string): string => text.toWellFormed().replace(/[\p{Cc}--[\t\n\r]]/gv, "\uFFFD");
