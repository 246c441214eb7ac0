import {
  EXTENSION_LIMIT_MS,
  type Extend,
  type ExtendedTurn,
  type Hooks,
  type Informant,
  type Middleware,
  type ModelCall,
  type Plugin,
  type PluginTurn,
  type TurnExtension,
} from "../protocol/extension.ts";
import { type ContextPart, textOf } from "../protocol/message.ts";
import type { Model, ModelRequest, PreparedRequest } from "../protocol/ports.ts";
import type { TurnResult } from "../protocol/result.ts";
import { frozenHistory } from "./freeze.ts";
import { Guard, type Guest, guest } from "./guard.ts";
import { hookEntry, TurnHooks } from "./hooks.ts";
import { callThrough, GuardedTools, middlewareEntry, type ReadCall } from "./middleware.ts";

export interface ExtensionOptions {
  readonly hooks: readonly Hooks[];
  readonly plugins: readonly Plugin[];
  readonly middleware: readonly Middleware[];
  /** Asked side by side, and heard before the plug-ins, in this order. */
  readonly informants: readonly Informant[];
  /** ms; `EXTENSION_LIMIT_MS` when undefined. */
  readonly limitMs: number | undefined;
  /** What could not even be loaded, one sentence each: told with every result. */
  readonly troubles: readonly string[];
  readonly read: ReadCall;
}

interface PluginEntry {
  readonly who: Guest;
  readonly plugin: Plugin;
}

/** What is put around each turn, or undefined when there is nothing: a turn then pays nothing for it. */
export function createExtension(options: ExtensionOptions): Extend | undefined {
  const { limitMs = EXTENSION_LIMIT_MS, informants, troubles, read } = options;
  const hooks = options.hooks.map(hookEntry);
  const middleware = options.middleware.map(middlewareEntry);
  const around = middleware.filter((entry) => entry.middleware.modelCall !== undefined);
  const plugins = options.plugins.map((plugin) => ({ who: guest("plug-in", { name: plugin.name }), plugin }));
  const speakers = plugins.filter(({ plugin }) => plugin.beforeTurn !== undefined);
  if (hooks.length + middleware.length + plugins.length + informants.length + troubles.length === 0) return undefined;
  return (turn) => {
    const guard = new Guard({ limitMs, log: turn.log });
    const turnHooks = new TurnHooks(hooks, turn, guard);
    const guarded = new GuardedTools(middleware, turn, { guard, read });
    const send: Sender = async (request, prepared, [emit, signal]) => {
      await turnHooks.beforeCall();
      const sending = (): ReturnType<PreparedRequest["send"]> =>
        prepared.send((deltas) => {
          emit(deltas);
          turnHooks.stream(deltas);
        }, signal);
      if (around.length === 0) return sending();
      const call = modelCallOf(turn, request, { iteration: turnHooks.iterationNumber, stop: signal });
      return callThrough(around, call, sending, guard);
    };
    return {
      model: extendedModel(turn.ports.model, send),
      tools: {
        ready: async () => turn.ports.tools.ready?.(),
        inspect: (call, seen) => guarded.inspect(call, seen),
        run: async (call, context) => {
          await turnHooks.beforeTools();
          return guarded.run(call, context);
        },
      },
      observe: (fact) => turnHooks.observe(fact),
      beforeTurn:
        speakers.length + informants.length === 0 ? undefined : () => toldBy({ speakers, informants, turn, guard }),
      afterLoop: (result) => turnHooks.afterLoop(result),
      ...endings(plugins, guard),
      troubles: () => [...troubles, ...guard.troubles],
    };
  };
}

type Sender = (
  request: ModelRequest,
  prepared: PreparedRequest,
  how: Parameters<PreparedRequest["send"]>,
) => ReturnType<PreparedRequest["send"]>;

const extendedModel = (model: Model, send: Sender): Model => ({
  ready: async (request) => model.ready?.(request),
  prepare(request) {
    const prepared = model.prepare(request);
    return { ...prepared, send: (...how) => send(request, prepared, how) };
  },
});

const modelCallOf = (
  { sessionId, turnId }: ExtendedTurn,
  { model, history, tail }: ModelRequest,
  more: { readonly iteration: number; readonly stop: AbortSignal },
): Omit<ModelCall, "signal"> & { readonly stop: AbortSignal } => ({
  sessionId,
  turnId,
  model,
  messages: frozenHistory(history),
  tail: frozenHistory(tail),
  ...more,
});

interface Telling {
  readonly speakers: readonly PluginEntry[];
  readonly informants: readonly Informant[];
  readonly turn: ExtendedTurn;
  readonly guard: Guard;
}

/** Whoever was faster, what they say stands in the order in which they are named. */
async function toldBy({ speakers, informants, turn, guard }: Telling): Promise<readonly ContextPart[]> {
  const { sessionId, turnId, history, firstSeq, signal } = turn;
  const messages = frozenHistory(history());
  const prompt = messages.at(-1);
  if (prompt === undefined) return [];
  const seen: PluginTurn = { sessionId, turnId, prompt: textOf(prompt), messages, isFirst: firstSeq === 0, signal };
  const [told, said] = await Promise.all([
    Promise.all(informants.map((informant) => informant(seen))),
    contextsOf(speakers, seen, guard),
  ]);
  for (const { troubles } of told) for (const line of troubles) guard.note(line);
  return [...told.flatMap(({ contexts }) => contexts), ...said];
}

/** Asked one after the other, in the order given: what they say stands in that order too. */
async function contextsOf(
  plugins: readonly PluginEntry[],
  { signal: stop, ...seen }: PluginTurn,
  guard: Guard,
): Promise<readonly ContextPart[]> {
  const contexts: ContextPart[] = [];
  for (const { who, plugin } of plugins) {
    const work = async (signal: AbortSignal): Promise<string | undefined> =>
      textIn(await plugin.beforeTurn?.(Object.freeze({ ...seen, signal }) satisfies PluginTurn));
    const text = await guard.call({ who, what: "beforeTurn", stop, work });
    if (text !== undefined && text.trim() !== "")
      contexts.push({ type: "context", source: plugin.name, text: text.toWellFormed().replaceAll("\0", "") });
  }
  return contexts;
}

function textIn(answered: unknown): string | undefined {
  if (answered === undefined || typeof answered === "string") return answered;
  throw new Error("it returned no text");
}

function endings(
  plugins: readonly PluginEntry[],
  guard: Guard,
): Pick<TurnExtension, "transformOutput" | "afterAnswer" | "sessionEnd"> {
  const tell = async (what: "afterAnswer" | "onSessionEnd", result: TurnResult): Promise<void> => {
    for (const { who, plugin } of plugins) {
      if (plugin[what] === undefined) continue;
      const work = (signal: AbortSignal): void | Promise<void> => plugin[what]?.(structuredClone(result), signal);
      await guard.call({ who, what, work });
    }
  };
  const transform = async (result: TurnResult): Promise<string | null> => {
    const { shown } = result;
    if (shown === null) return null;
    for (const { who, plugin } of plugins) {
      if (plugin.transformOutput === undefined) continue;
      const work = async (signal: AbortSignal): Promise<string | undefined> =>
        textIn(await plugin.transformOutput?.(shown, structuredClone(result), signal));
      const text = await guard.call({ who, what: "transformOutput", work });
      if (text !== undefined && text !== "") return text;
    }
    return shown;
  };
  return {
    transformOutput: transform,
    afterAnswer: (result) => tell("afterAnswer", result),
    sessionEnd: (result) => tell("onSessionEnd", result),
  };
}
