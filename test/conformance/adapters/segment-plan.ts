import { createToolbox } from "../../../src/tools/toolbox.ts";
import { conflicts, MAX_PARALLEL, nextSegment, pathsOverlap } from "../../../src/turn/plan.ts";
import type { OpenCall } from "../../../src/turn/state.ts";
import type { Json } from "../case-file.ts";
import { listOf, objectOf, textOf } from "../input.ts";
import { referenceTools } from "./reference-tools.ts";

type Call = Readonly<OpenCall>;
interface Segment {
  readonly kind: "parallel" | "sequential";
  readonly ids: string[];
}

/** `{calls, cwd}`: the toolbox looks at each call, the planner plans segment after segment. */
export function segmentPlanCase(input: Json): unknown {
  const { calls, cwd } = objectOf(input, "input");
  const toolbox = createToolbox(referenceTools(textOf(cwd, "cwd")));
  const open = listOf(calls, "calls").map((call, seq): OpenCall => {
    const { id, name, arguments: raw } = objectOf(call, "call");
    const part = {
      type: "tool-call",
      callId: textOf(id, "id"),
      name: textOf(name, "name"),
      input: typeof raw === "string" ? raw : JSON.stringify(raw ?? null),
    } as const;
    return { part, seq, inspection: toolbox.port.inspect(part), started: false, approval: "unasked" };
  });
  return { segments: merged(runsOf(open)) };
}

/** Segments as they are planned; one that was cut only because no more calls may start at once goes on in the next. */
export function runsOf(open: readonly Call[]): Call[][] {
  const runs: Call[][] = [];
  for (let at = 0; at < open.length;) {
    const planned = nextSegment(open.slice(at));
    const run = runs.at(-1);
    const full = run !== undefined && run.length % MAX_PARALLEL === 0;
    const joining = full
      ? prefix(planned, (call) => !run.some((other) => conflicts(other.inspection.claim, call.inspection.claim)))
      : [];
    if (joining.length > 0) run?.push(...joining);
    else runs.push(planned);
    at += joining.length > 0 ? joining.length : planned.length;
  }
  return runs;
}

function prefix<T>(list: readonly T[], holds: (item: T) => boolean): T[] {
  const end = list.findIndex((item) => !holds(item));
  return end < 0 ? [...list] : list.slice(0, end);
}

/** The recordings write calls that run alone as one serial segment as long as they follow each other (row E3). */
function merged(runs: readonly Call[][]): Segment[] {
  const segments: Segment[] = [];
  for (const run of runs) {
    const ids = run.map((call) => call.part.callId);
    const last = segments.at(-1);
    if (run.length > 1) segments.push({ kind: "parallel", ids });
    else if (last?.kind === "sequential") last.ids.push(...ids);
    else segments.push({ kind: "sequential", ids });
  }
  return segments;
}

export function pathsOverlapCase(input: Json): unknown {
  const { left, right } = objectOf(input, "input");
  return { overlap: pathsOverlap(textOf(left, "left"), textOf(right, "right")) };
}
