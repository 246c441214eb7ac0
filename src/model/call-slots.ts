import { createHash } from "node:crypto";
import { cleanText } from "../protocol/clean-text.ts";
import { isJson, isShallow, type JsonObject } from "../protocol/json.ts";
import type { Provenance, ToolCallPart } from "../protocol/message.ts";
import { UNNAMED_TOOL } from "../protocol/tool.ts";

/** What an event says of one tool call; every field may be missing or of the wrong type. */
export interface CallPiece {
  readonly id?: unknown;
  readonly name?: unknown;
  /** More of the arguments: text, or an object. */
  readonly input?: unknown;
  /** Fields of the provider's own, to be handed back with the call. */
  readonly opaque?: JsonObject | undefined;
}

interface Slot {
  id: string;
  name: string;
  input: string;
  opaque: JsonObject | undefined;
}

/** Ids that are taken, in whatever they are kept. */
export type Ids = Pick<ReadonlySet<string>, "has">;

/** A call of a reply, and its place there. */
export interface PlacedCall {
  readonly place: number;
  readonly part: ToolCallPart;
}

/** Longer than any tool's name, characters. */
const LONGEST_NAME = 256;

/** What every server takes back as it came. */
const USUAL_ID = /^[\x21-\x7E]{1,256}$/;

/** The tool calls of a reply, by their places. */
export class CallSlots {
  readonly #slots = new Map<number, Slot>();

  get size(): number {
    return this.#slots.size;
  }

  add(place: number, { id, name, input, opaque }: CallPiece): void {
    const slot = this.#slots.get(place) ?? { id: "", name: "", input: "", opaque: undefined };
    this.#slots.set(place, slot);
    if (slot.id === "" && typeof id === "string") slot.id = id;
    if (opaque !== undefined && isShallow(opaque)) slot.opaque = { ...slot.opaque, ...opaque };
    // Assigned, not appended: some servers repeat the name with every delta, some send it last.
    if (typeof name === "string" && name.trim() !== "") slot.name = cleanText(name.trim().slice(0, LONGEST_NAME));
    slot.input += written(input);
  }

  names(): string[] {
    return this.#inOrder().map(([, { name }]) => name || UNNAMED_TOOL);
  }

  #inOrder(): [number, Slot][] {
    return [...this.#slots].toSorted(([a], [b]) => a - b);
  }

  /** Some call's arguments stop in the middle. A call without any is only trusted when the server said that it was done. */
  cutOff(serverIsDone: boolean): boolean {
    return [...this.#slots.values()].some(({ input }) => (input.trim() === "" ? !serverIsDone : !isJson(input)));
  }

  /** The calls with ids that are usual and not used before; `taken` are the ids of the conversation so far. */
  finish(taken: Ids, provenance: Provenance): PlacedCall[] {
    const used = new Set<string>();
    return this.#inOrder().map(([place, slot], index) => {
      const name = slot.name || UNNAMED_TOOL;
      const wanted = USUAL_ID.test(slot.id) ? slot.id : madeUpId(name, slot.input, index);
      let callId = wanted;
      for (let n = 2; used.has(callId) || taken.has(callId); n++) callId = `${wanted}_${n}`;
      used.add(callId);
      const signed = slot.opaque && { opaque: slot.opaque, provenance };
      return { place, part: { type: "tool-call", callId, name, input: slot.input.toWellFormed(), ...signed } };
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
