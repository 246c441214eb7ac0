import { isObject } from "../../protocol/json.ts";
import type { CallPiece } from "../call-slots.ts";

/** One tool-call entry as servers write it; every field may be missing or of the wrong type. */
export interface WireCall {
  readonly index?: unknown;
  readonly id?: unknown;
  /** Gemini's thought signatures, through endpoints that speak this dialect. */
  readonly extra_content?: unknown;
  readonly function?: { readonly name?: unknown; readonly arguments?: unknown } | null;
}

interface Known {
  readonly place: number;
  id: string;
  readonly indexed: boolean;
}

/** Tells which call a delta belongs to: by id, then by index, then the call that is open (hermes.md §6.4). */
export class CallPlaces {
  readonly #first: number;
  readonly #calls: Known[] = [];
  readonly #byIndex = new Map<number, Known>();

  constructor(first: number) {
    this.#first = first;
  }

  placeOf(delta: WireCall): number {
    const id = typeof delta.id === "string" ? delta.id : "";
    const call = this.#callFor(id, typeof delta.index === "number" ? delta.index : undefined);
    if (call.id === "") call.id = id;
    return call.place;
  }

  #callFor(id: string, index: number | undefined): Known {
    if (index === undefined) return (id === "" ? this.#calls.at(-1) : this.#withId(id)) ?? this.#open(id, undefined);
    const known = this.#byIndex.get(index);
    if (known !== undefined && (id === "" || known.id === "" || known.id === id)) return known;
    const sameId = this.#withId(id);
    // A server that reuses one index for several calls tells them apart by id; an id that was seen under another index
    // is a new call of a server that gives all calls the same id.
    if (sameId !== undefined && (known !== undefined || !sameId.indexed)) return sameId;
    return this.#open(id, index);
  }

  #withId(id: string): Known | undefined {
    return id === "" ? undefined : this.#calls.find((call) => call.id === id);
  }

  #open(id: string, index: number | undefined): Known {
    const call = { place: this.#first + this.#calls.length, id, indexed: index !== undefined };
    this.#calls.push(call);
    if (index !== undefined) this.#byIndex.set(index, call);
    return call;
  }
}

export function pieceOfCall({ id, function: called, extra_content: extra }: WireCall): CallPiece {
  const { name, arguments: input } = called ?? {};
  return { id, name, input, opaque: isObject(extra) ? { extra_content: extra } : undefined };
}
