import type { AgentOptions } from "./options.ts";
import type { Asking, Opened } from "./extensions.ts";
import { createExtension } from "../extend/extension.ts";
import { OutsideMemory } from "../extend/outside-memory.ts";
import type { Informant } from "../protocol/extension.ts";
import { adviceFrom } from "../session/advice.ts";
import type { RunSpec } from "../session/run-spec.ts";

/** Hooks, plug-ins and middleware, and who adds to each message: the memory, then the advisers. */
export function openExtensions(options: AgentOptions, { limitMs, read, ...asking }: Asking): Opened {
  const { hooks = [], plugins = [], middleware = [], extensionTroubles: troubles = [] } = options;
  const memory = options.memory && new OutsideMemory(options.memory, limitMs);
  const informants = informantsOf(memory, asking);
  return { memory, extend: createExtension({ hooks, plugins, middleware, informants, troubles, read, limitMs }) };
}

function informantsOf(
  memory: OutsideMemory | undefined,
  { advisers, run, leftUsd }: Pick<Asking, "advisers" | "run" | "leftUsd">,
): readonly Informant[] {
  const council = advisers.map(({ name, source }) => ({
    name,
    run: (spec: RunSpec, signal: AbortSignal) => run(source, spec, signal),
  }));
  return [
    ...(memory === undefined ? [] : [memory.recall]),
    ...(council.length === 0 ? [] : [adviceFrom({ advisers: council, leftUsd })]),
  ];
}
