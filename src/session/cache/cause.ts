import type { RequestPlace } from "../../protocol/replay.ts";
import type { Adjustment } from "../../protocol/adjustment.ts";
import type { PromptState } from "../../protocol/prompt.ts";
import { objectInText } from "../../protocol/json.ts";
import { UNKEPT } from "../../protocol/store.ts";
import { type Body, type Part, toolFields } from "./body.ts";
import type { Difference, Sent } from "./compare.ts";
import type { Asking, Change } from "./course.ts";
import { type CacheRules, LOOK_BACK } from "./rules.ts";

/** Why something was not read from a cache. */
export type Cause =
  /** Each model has a cache of its own. */
  | { readonly type: "model-switch"; readonly from: string; readonly to: string }
  | { readonly type: "compaction" }
  /** Something was refused, and is sent otherwise from there on. */
  | { readonly type: "adjustment"; readonly adjustment: Adjustment }
  /** `from` null: one that did not write down which it was. */
  | { readonly type: "program"; readonly from: string | null; readonly to: string }
  /** Neither of them: another order. */
  | { readonly type: "tool-list"; readonly added: readonly string[]; readonly removed: readonly string[] }
  | { readonly type: "tool-text"; readonly tool: string; readonly changed: readonly ("description" | "schema")[] }
  /** The system prompt is another one; `state`: why, where it was built; `parts`: those that are known to have changed. */
  | { readonly type: "prompt"; readonly state: PromptState | undefined; readonly parts: readonly string[] }
  /** What a turn adds to the system prompt. */
  | { readonly type: "turn-prompt" }
  /** What was said before is sent otherwise. */
  | { readonly type: "history" }
  | { readonly type: "parameter"; readonly name: string; readonly from: string | null; readonly to: string | null }
  | { readonly type: "key" }
  | { readonly type: "lifetime"; readonly gapMs: number; readonly lifetimeMs: number }
  /** More was added than a cache looks back for its mark. */
  | { readonly type: "far-mark"; readonly blocks: number }
  /** The bytes are the same, and in time. */
  | { readonly type: "provider" };

/** A request beside the one before it. */
export interface Pair {
  readonly before: Asking;
  readonly now: Asking;
  readonly sentBefore: Sent;
  readonly sent: Sent;
  /** All that was recorded between them. */
  readonly changes: readonly Change[];
}

export const otherModel = ({ before, now }: Pick<Pair, "before" | "now">): boolean =>
  before.model !== now.model || before.provider !== now.provider;

/** Why a request begins otherwise than the one before it: what was recorded says more than what can be seen. */
export const causeOfDifference = (pair: Pair, { place }: Difference): Cause =>
  recordedCause(pair, place) ?? seenCause(pair, place);

function recordedCause({ before, now, changes }: Pair, { type: where }: RequestPlace): Cause | undefined {
  if (where === "message" && changes.some(({ type }) => type === "compacted")) return { type: "compaction" };
  for (const change of changes)
    if (change.type === "adjusted" && touches(change.adjustment, where))
      return { type: "adjustment", adjustment: change.adjustment };
  if (where === "system" && before.system !== now.system) return { type: "turn-prompt" };
  const { program: from = null } = before;
  const { program: to } = now;
  return to === undefined || from === to ? undefined : { type: "program", from, to };
}

function seenCause({ sentBefore, sent, changes }: Pair, { type: where }: RequestPlace): Cause {
  switch (where) {
    case "tool":
      return causeInTools(sentBefore.body(), sent.body());
    case "system": {
      const built = changes.findLast((change) => change.type === "prompt");
      return { type: "prompt", state: built?.state, parts: built?.parts ?? [] };
    }
    case "message":
      return { type: "history" };
  }
}

/** What is sent otherwise because of it. */
function touches(adjustment: Adjustment, place: RequestPlace["type"]): boolean {
  if ("schemaWords" in adjustment || "toolChoice" in adjustment || "withoutTool" in adjustment) return place === "tool";
  if ("maxOutput" in adjustment || "streaming" in adjustment || "betas" in adjustment) return false;
  return place === "message";
}

export function modelSwitch({ before, now }: Pick<Pair, "before" | "now">): Cause {
  const name = ({ provider, model }: Asking): string =>
    before.provider === now.provider ? model : `${provider}/${model}`;
  return { type: "model-switch", from: name(before), to: name(now) };
}

const toolsIn = ({ parts }: Body): ReadonlyMap<string, Part> =>
  new Map(parts.flatMap((part) => (part.place.type === "tool" ? [[part.place.name, part] as const] : [])));

function causeInTools(before: Body, now: Body): Cause {
  const [old, young] = [toolsIn(before), toolsIn(now)];
  const added = [...young.keys()].filter((name) => !old.has(name));
  const removed = [...old.keys()].filter((name) => !young.has(name));
  if (added.length > 0 || removed.length > 0) return { type: "tool-list", added, removed };
  for (const [name, part] of young) {
    const was = old.get(name);
    if (was !== undefined && was.text !== part.text)
      return { type: "tool-text", tool: name, changed: changedIn(was.text, part.text) };
  }
  return { type: "tool-list", added, removed };
}

function changedIn(before: string, now: string): ("description" | "schema")[] {
  const [old, young] = [before, now].map((text) => toolFields(objectInText(text) ?? {}));
  const differs = (names: readonly string[]): boolean =>
    names.some((name) => JSON.stringify(old?.[name]) !== JSON.stringify(young?.[name]));
  return [
    ...(differs(["description"]) ? (["description"] as const) : []),
    ...(differs(["parameters", "input_schema", "inputSchema", "strict"]) ? (["schema"] as const) : []),
  ];
}

/** Why what is byte for byte the same was not read. */
export function causeOfSilence(pair: Pair, { lifetimeMs }: CacheRules): Cause {
  const { before, now, sent, sentBefore, changes } = pair;
  const parameter = otherParameter(sentBefore.body(), sent.body());
  if (parameter !== undefined) return parameter;
  if (changes.some(({ type }) => type === "key")) return { type: "key" };
  const isNewTurn = before.turnId !== now.turnId || changes.some(({ type }) => type === "resumed");
  if (isNewTurn && hasUnkept(sent.body())) return { type: "turn-prompt" };
  const gapMs = now.startMs - before.endMs;
  if (gapMs > lifetimeMs) return { type: "lifetime", gapMs, lifetimeMs };
  const blocks = sent.body().parts.length - sentBefore.body().parts.length;
  if (sent.body().marks !== undefined && blocks > LOOK_BACK) return { type: "far-mark", blocks };
  return { type: "provider" };
}

const hasUnkept = ({ parts }: Body): boolean =>
  parts.some(({ place, text }) => place.type === "system" && text.includes(UNKEPT));

function otherParameter(before: Body, now: Body): Cause | undefined {
  const names = new Set([...before.parameters.keys(), ...now.parameters.keys()]);
  for (const name of names) {
    const [from, to] = [before, now].map(({ parameters }) => parameters.get(name) ?? null);
    if (from !== to) return { type: "parameter", name, from: from ?? null, to: to ?? null };
  }
  if (before.marks === now.marks) return undefined;
  return { type: "parameter", name: "cache_control", from: before.marks ?? null, to: now.marks ?? null };
}
