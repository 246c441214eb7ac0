import type { AgentOptions } from "./options.ts";
import { timeLimit } from "../config/limits.ts";
import type { ReadCall } from "../extend/middleware.ts";
import type { OutsideMemory } from "../extend/outside-memory.ts";
import type { ModelSource } from "./model-source.ts";
import { EXTENSION_LIMIT_MS, type Extend } from "../protocol/extension.ts";
import type { Council } from "../session/advice.ts";
import type { RunSpec } from "../session/run-spec.ts";
import type { RunResult } from "../session/turn-handle.ts";

/** A model that is asked for advice. */
export interface AdviserSource {
  readonly name: string;
  readonly source: ModelSource;
}

export interface Asking extends Pick<Council, "leftUsd"> {
  readonly advisers: readonly AdviserSource[];
  readonly run: (source: ModelSource, spec: RunSpec, signal: AbortSignal) => Promise<RunResult>;
  readonly read: ReadCall;
  /** ms */
  readonly limitMs: number;
}

export interface Opened {
  readonly memory: OutsideMemory | undefined;
  readonly extend: Extend | undefined;
}

/** Somebody is asked at the beginning of a turn. */
export const isInformed = ({ memory, advisers = [], plugins = [] }: AgentOptions): boolean =>
  memory !== undefined || advisers.length > 0 || plugins.some((plugin) => plugin.beforeTurn !== undefined);

/** What a program or a person has added around turns, loaded when it is first asked for; undefined: nothing. */
export function extensionsOf(
  options: AgentOptions,
  asking: Omit<Asking, "limitMs">,
): (() => Promise<Opened>) | undefined {
  const limitMs = timeLimit("extensionLimitMs", options.extensionLimitMs) ?? EXTENSION_LIMIT_MS;
  const { hooks = [], plugins = [], middleware = [], extensionTroubles = [] } = options;
  const added = [hooks, plugins, middleware, extensionTroubles].some((each) => each.length > 0);
  if (!added && !isInformed(options)) return undefined;
  let opened: Promise<Opened> | undefined;
  const open = async (): Promise<Opened> => {
    const { openExtensions } = await import("./open-extensions.ts");
    return openExtensions(options, { ...asking, limitMs });
  };
  return () => (opened ??= open());
}
