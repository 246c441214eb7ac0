import { createHash } from "node:crypto";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { Fact } from "../../protocol/fact.ts";
import type { KeptKit, KitText } from "../../protocol/replay.ts";

/** What a journal row says of the turn that a process begins or takes up with it. */
export interface KitColumns {
  readonly hash: Uint8Array;
  readonly gauge: string | null;
}

const hashes = new WeakMap<KitText, Uint8Array>();

/** Computed once for each kit: many turns have the same. */
export function hashOfKit(kit: KitText): Uint8Array {
  const known = hashes.get(kit);
  if (known !== undefined) return known;
  const hash = createHash("sha256").update(kit.text).digest();
  hashes.set(kit, hash);
  return hash;
}

/** The facts with which a process has a turn in hand. */
const BEGINS: ReadonlySet<Fact["type"]> = new Set(["turn-start", "turn-resumed", "turn-unparked"]);

/** What turns ran under. */
export class KitReading {
  readonly #rows: StatementSync;

  constructor(db: DatabaseSync) {
    this.#rows = db.prepare(
      `select facts, gauge, cast(body as text) as kit from journal left join opening on hash = kit
        where session = ? and journal.id between ? and ? order by journal.id`,
    );
  }

  /** `turn`: the journal rows it touches; `turnId`: its first fact may not be the first of its row. */
  ofTurn(turn: { readonly session: number; readonly first: number; readonly last: number }, turnId: string): KeptKit[] {
    const kits: KeptKit[] = [];
    let at = -1;
    for (const found of this.#rows.iterate(turn.session, turn.first, turn.last)) {
      const { facts, kit, gauge } = found as { facts: string; kit: string | null; gauge: string | null };
      let open = kit !== null;
      for (const fact of JSON.parse(facts) as Fact[]) {
        const starts = fact.type === "turn-start" && fact.turnId === turnId;
        if (at < 0 && !starts) continue;
        if (fact.type === "auxiliary-run" && fact.turnId !== undefined) continue;
        at++;
        if (!open || !BEGINS.has(fact.type)) continue;
        open = false;
        kits.push({ at, kit: kit ?? "", ...(gauge !== null && { gauge }) });
      }
    }
    return kits;
  }
}
