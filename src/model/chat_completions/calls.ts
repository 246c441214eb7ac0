import { createHash } from "node:crypto";
import { cleanText } from "../../protocol/clean-text.ts";
import { isJson, isObject, isShallow, type JsonObject } from "../../protocol/json.ts";
import type { Provenance, ToolCallPart } from "../../protocol/message.ts";
import { UNNAMED_TOOL } from "../../protocol/tool.ts";

/** One tool-call entry as servers write it; every field may be missing or of the wrong type. */
export interface WireCall {
  readonly index?: unknown;
  readonly id?: unknown;
  /** Gemini's thought signatures, through endpoints that speak this dialect. */
  readonly extra_content?: unknown;
  readonly function?: { readonly name?: unknown; readonly arguments?: unknown } | null;
}

interface Slot {
  id: string;
  name: string;
  input: string;
  extra: JsonObject | undefined;
  readonly indexed: boolean;
}

/** Longer than any tool's name, characters. */
const LONGEST_NAME = 256;

/** What every server takes back as it came. */
const USUAL_ID = /^[\x21-\x7E]{1,256}$/;

/** Puts tool calls together from deltas: by id, then by index, then the call that is open (hermes.md §6.4). */
export class CallAssembler {
  readonly #slots: Slot[] = [];
  readonly #byIndex = new Map<number, Slot>();

  get size(): number {
    return this.#slots.length;
  }

  add(delta: WireCall): void {
    const id = typeof delta.id === "string" ? delta.id : "";
    const slot = this.#slotFor(id, typeof delta.index === "number" ? delta.index : undefined);
    if (slot.id === "") slot.id = id;
    const { extra_content: extra } = delta;
    if (isObject(extra) && isShallow(extra)) slot.extra = extra;
    const { name, arguments: input } = delta.function ?? {};
    // Assigned, not appended: some servers repeat the name with every delta, some send it last.
    if (typeof name === "string" && name.trim() !== "") slot.name = cleanText(name.trim().slice(0, LONGEST_NAME));
    slot.input += written(input);
  }

  #slotFor(id: string, index: number | undefined): Slot {
    if (index === undefined) return (id === "" ? this.#slots.at(-1) : this.#withId(id)) ?? this.#open(id, undefined);
    const known = this.#byIndex.get(index);
    if (known !== undefined && (id === "" || known.id === "" || known.id === id)) return known;
    const sameId = this.#withId(id);
    // A server that reuses one index for several calls tells them apart by id; an id that was seen under another index
    // is a new call of a server that gives all calls the same id.
    if (sameId !== undefined && (known !== undefined || !sameId.indexed)) return sameId;
    return this.#open(id, index);
  }

  #withId(id: string): Slot | undefined {
    return id === "" ? undefined : this.#slots.find((slot) => slot.id === id);
  }

  #open(id: string, index: number | undefined): Slot {
    const slot = { id, name: "", input: "", extra: undefined, indexed: index !== undefined };
    this.#slots.push(slot);
    if (index !== undefined) this.#byIndex.set(index, slot);
    return slot;
  }

  names(): string[] {
    return this.#slots.map((slot) => slot.name || UNNAMED_TOOL);
  }

  /** Some call's arguments stop in the middle. A call without any is only trusted when the server said that it was done. */
  cutOff(serverIsDone: boolean): boolean {
    return this.#slots.some(({ input }) => (input.trim() === "" ? !serverIsDone : !isJson(input)));
  }

  /** The calls with ids that are usual and not used before; `taken` are the ids of the conversation so far. */
  finish(taken: ReadonlySet<string>, provenance: Provenance): ToolCallPart[] {
    const used = new Set<string>();
    return this.#slots.map((slot, index) => {
      const name = slot.name || UNNAMED_TOOL;
      const wanted = USUAL_ID.test(slot.id) ? slot.id : madeUpId(name, slot.input, index);
      let callId = wanted;
      for (let n = 2; used.has(callId) || taken.has(callId); n++) callId = `${wanted}_${n}`;
      used.add(callId);
      const signed = slot.extra && { opaque: { extra_content: slot.extra }, provenance };
      return { type: "tool-call", callId, name, input: slot.input.toWellFormed(), ...signed };
    });
  }
}

/** Arguments as text, as some servers send them as an object. */
function written(input: unknown): string {
  if (typeof input === "string") return input;
  if (typeof input !== "object" || input === null) return "";
  return isShallow(input) ? JSON.stringify(input) : "an object that nests too deeply";
}

/** The same reply gets the same ids, so that a replayed history keeps its bytes. */
const madeUpId = (name: string, input: string, index: number): string =>
  `call_${createHash("sha256").update(`${name}:${input}:${index}`).digest("hex").slice(0, 12)}`;
