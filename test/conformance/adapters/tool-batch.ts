import type { Inspection } from "../../../src/protocol/tool.ts";
import { createToolbox } from "../../../src/tools/toolbox.ts";
import { inspectBatch } from "../../../src/turn/batch.ts";
import type { OpenCall } from "../../../src/turn/state.ts";
import { isObject, type Json, type JsonObject } from "../case-file.ts";
import { listOf, objectOf, textOf } from "../input.ts";
import { runsOf } from "./segment-plan.ts";
import { callOf, lookUp } from "./tool-repair.ts";

/** `{calls, concurrent_tools, tools}`: the toolbox looks at each call, the planner plans segment after segment. */
export function toolBatchesCase(input: Json): unknown {
  const { calls, concurrent_tools: concurrent, tools } = objectOf(input, "input");
  const toolbox = createToolbox(
    Object.entries(objectOf(tools, "tools")).map(([name, how]) =>
      lookUp(name, { concurrency: concurrent !== false && mayShare(how) ? "shared" : "exclusive" }),
    ),
  );
  const open = listOf(calls, "calls").map((call, seq): OpenCall => {
    const part = callOf(textOf(call, "call"), "{}", `${seq}`);
    return { part, seq, inspection: toolbox.port.inspect(part), started: false, approval: "unasked" };
  });
  return { batches: runsOf(open).map((run) => run.map(({ part }) => part.name)) };
}

/** nanobot.md §9.1. */
const mayShare = (how: Json): boolean => isObject(how) && how["read_only"] === true && how["exclusive"] !== true;

/** The calls that run. */
function running(calls: readonly JsonObject[], most?: number): readonly JsonObject[] {
  const parts = calls.map(({ name, arguments: raw }) => callOf(textOf(name, "name"), textOf(raw, "arguments")));
  const toolbox = createToolbox([...new Set(parts.map(({ name }) => name))].map((name) => lookUp(name)));
  const inspections = inspectBatch(
    parts,
    parts.map((part): Inspection => toolbox.port.inspect(part)),
    most,
  );
  return calls.filter((_call, at) => inspections[at]?.skip === undefined);
}

/** `{tool_calls}`: those that run; each of the others has its receipt in ours (row B6). */
export const dedupToolCallsCase = (input: Json): unknown => ({
  tool_calls: running(
    listOf(objectOf(input, "input")["tool_calls"], "tool_calls").map((call) => objectOf(call, "call")),
  ),
});

/** `{tool_names}`: those that run, each with arguments of its own. */
export function capDelegateCase(input: Json): unknown {
  const { tool_names: given, max_concurrent_children: most } = objectOf(input, "input");
  const names = listOf(given, "tool_names");
  const calls = names.map((name, at) => ({ name, arguments: `{"at":${at}}` }));
  return { tool_names: running(calls, typeof most === "number" ? most : undefined).map(({ name }) => name) };
}
