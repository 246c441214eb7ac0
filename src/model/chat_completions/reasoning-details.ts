import { isShallow, type JsonObject } from "../../protocol/json.ts";
import { objectsIn } from "../reading.ts";

/** What grows from piece to piece; all else is said once. */
const GROWING: ReadonlySet<string> = new Set(["text", "summary", "data"]);

/** What an aggregator passes on of a thought, signed or encrypted: pieces of one index are one. */
export class ReasoningDetails {
  /** All so far; it grows. */
  readonly all: JsonObject[] = [];
  readonly #byIndex = new Map<unknown, Record<string, unknown>>();

  add(pieces: readonly unknown[]): void {
    for (const piece of objectsIn(pieces)) if (isShallow(piece)) this.#addOne(piece);
  }

  #addOne(piece: JsonObject): void {
    const { index } = piece;
    const known = index === undefined ? undefined : this.#byIndex.get(index);
    if (known !== undefined) {
      grow(known, piece);
      return;
    }
    const own = { ...piece };
    this.all.push(own);
    if (index !== undefined) this.#byIndex.set(index, own);
  }
}

function grow(known: Record<string, unknown>, piece: JsonObject): void {
  for (const [name, value] of Object.entries(piece)) {
    const before = known[name];
    const grows = GROWING.has(name) && typeof before === "string" && typeof value === "string";
    known[name] = grows ? before + value : (value ?? before);
  }
}
