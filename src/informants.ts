import type { AgentOptions } from "./agent-options.ts";
import type { OutsideMemory } from "./extend/outside-memory.ts";
import type { ModelSource } from "./model-source.ts";
import type { Informant } from "./protocol/extension.ts";
import { adviceFrom, type Council } from "./session/advice.ts";
import type { RunSpec } from "./session/run-spec.ts";
import type { RunResult } from "./session/turn-handle.ts";

/** A model that is asked for advice. */
export interface AdviserSource {
  readonly name: string;
  readonly source: ModelSource;
}

interface Asking extends Pick<Council, "leftUsd"> {
  readonly memory: OutsideMemory | undefined;
  readonly advisers: readonly AdviserSource[];
  readonly run: (source: ModelSource, spec: RunSpec, signal: AbortSignal) => Promise<RunResult>;
}

/** Somebody is asked at the beginning of a turn. */
export const isInformed = ({ memory, advisers = [], plugins = [] }: AgentOptions): boolean =>
  memory !== undefined || advisers.length > 0 || plugins.some((plugin) => plugin.beforeTurn !== undefined);

/** Who adds to each message, in this order: the memory, then the advisers. */
export function informantsOf({ memory, advisers, run, leftUsd }: Asking): readonly Informant[] {
  const council = advisers.map(({ name, source }) => ({
    name,
    run: (spec: RunSpec, signal: AbortSignal) => run(source, spec, signal),
  }));
  return [
    ...(memory === undefined ? [] : [memory.recall]),
    ...(council.length === 0 ? [] : [adviceFrom({ advisers: council, leftUsd })]),
  ];
}
