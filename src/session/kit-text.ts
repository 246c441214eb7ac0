import type { KitText, Wire } from "../protocol/replay.ts";
import type { ToolSpec } from "../protocol/tool.ts";
import type { Setup } from "../turn/state.ts";

/** What a turn runs under, as far as it bears on what it decides and sends. */
export interface RunKit {
  readonly setup: Setup;
  /** How its own model is spoken to; absent: nobody can say. */
  readonly wire?: Wire | undefined;
  readonly tools: readonly ToolSpec[];
  /** The system prompt, where the session does not keep it. */
  readonly system?: string | undefined;
}

/** The kits that go with a list of tools, by what else is in them: sessions that have the same have one text. */
const texts = new WeakMap<readonly ToolSpec[], Map<string, KitText>>();

/** JSON has no Infinity. */
const BOUNDLESS = "‹Infinity›";

export function kitText({ setup, wire, tools, system }: RunKit): KitText {
  const head = JSON.stringify({ setup, wire, system }, (_, value: unknown) => (value === Infinity ? BOUNDLESS : value));
  const known = texts.get(tools) ?? new Map<string, KitText>();
  texts.set(tools, known);
  const found = known.get(head);
  if (found !== undefined) return found;
  const specs = tools.map(({ name, description, parameters }) => ({ name, description, parameters }));
  const made = { text: `${head.slice(0, -1)},"tools":${JSON.stringify(specs)}}` };
  known.set(head, made);
  return made;
}

/** Throws a SyntaxError for what `kitText` has not written. */
export function readKit(text: string): RunKit {
  const kit = JSON.parse(text) as RunKit;
  if (!text.includes(BOUNDLESS)) return kit;
  const { tools, ...head } = kit;
  const read: unknown = JSON.parse(JSON.stringify(head), (_, value: unknown) =>
    value === BOUNDLESS ? Infinity : value,
  );
  return { ...(read as typeof head), tools };
}
