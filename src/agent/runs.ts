import type { Tool } from "../protocol/tool.ts";
import type { Backup } from "../session/model-routes.ts";
import { refusalResult } from "../session/result.ts";
import type { Runner, RunSpec } from "../session/run-spec.ts";
import type { Sessions } from "../session/sessions.ts";
import type { RunResult } from "../session/turn-handle.ts";
import { limited } from "../tools/limited.ts";
import { createToolbox, type Toolbox, type ToolboxOptions } from "../tools/toolbox.ts";
import type { Setup } from "../turn/state.ts";
import type { Language } from "../words/language.ts";
import type { ModelSource, OpenedModel } from "./model-source.ts";
import type { ToolSnapshots } from "./tool-snapshots.ts";

interface RunHow extends Pick<Runner, "signal" | "sent"> {
  /** Tokens. */
  readonly maxOutput?: number | undefined;
}

/** Runs a spec on a model. */
export type RunWith = (at: ModelSource, spec: RunSpec, how: RunHow) => Promise<RunResult>;

interface RunsOf extends RunParts {
  /** Of the sessions: the models behind it stand behind its runs too. */
  readonly source: ModelSource;
  readonly setupFor: (model: OpenedModel) => Setup;
  readonly system: string;
  readonly language: Language | undefined;
  readonly rest: Pick<Runner, "store" | "caps" | "newId" | "log" | "trace" | "ports"> & {
    readonly sessions: () => Sessions;
  };
}

export async function runOne(
  parts: RunsOf,
  ...[at, spec, { maxOutput, ...how }]: Parameters<RunWith>
): Promise<RunResult> {
  const { source, setupFor, system, language, rest, backup } = parts;
  const model = await at.open();
  if ("reason" in model) return { ...refusalResult(model, language), messages: [] };
  const { about } = model;
  const opening = openRun(model, { ...parts, backup: at === source ? backup : undefined });
  // Nobody is asked about what belongs to no conversation.
  const { attended: _, ...own } = setupFor(model);
  const setup = { ...own, ...(maxOutput !== undefined && { maxOutput }) };
  return (await import("../session/run-spec.ts")).runSpec(spec, {
    ...rest,
    sessions: rest.sessions(),
    ...opening,
    system,
    about,
    setup,
    ...how,
  });
}

interface RunParts {
  readonly tools: readonly Tool[];
  /** Of the sessions. */
  readonly snapshots: ToolSnapshots;
  readonly around: ToolboxOptions;
  readonly backup: Backup | undefined;
}

/** A run has a model of its own, with the tools it names alone; a review is shown those of the sessions. */
const openRun = (model: OpenedModel, { tools, snapshots, around, backup }: RunParts): Pick<Runner, "open"> => ({
  open: (names, author) => {
    const box = author === undefined ? subset(tools, names, around) : limited(snapshots.newest, names, author);
    if (box === undefined) return undefined;
    return { tools: box, model: (session) => model.transport.open(session), backup };
  },
});

/** The tools with these names; undefined when one of them does not exist. */
function subset(tools: readonly Tool[], names: readonly string[], around: ToolboxOptions): Toolbox | undefined {
  const picked = tools.filter((tool) => names.includes(tool.name));
  return picked.length === new Set(names).size ? createToolbox(picked, around) : undefined;
}
