import { join } from "node:path";
import { expect, test } from "vitest";
import {
  damage,
  KINDS,
  originalsIn,
  copyStore,
  outcomeOf,
  recoveryTrouble,
  type Outcome,
} from "../support/corruption/damaged-stores.ts";
import { dice } from "../support/dice.ts";
import { memoryFolder } from "../support/store-world.ts";

const EACH = Number(process.env["FLIPS"] ?? 12);

test(
  "[R7][G1] whatever is damaged in the files of a store is told or harms nothing, and what can be read is recovered",
  async () => {
    const folder = memoryFolder();
    const { killed, closed } = await originalsIn(folder);
    const counts: Record<string, Partial<Record<Outcome, number>>> = {};
    const troubles: string[] = [];
    for (const kind of KINDS)
      for (let seed = 1; seed <= EACH; seed++) {
        const name = `${kind}-${seed}`;
        const at = join(folder, name);
        const { folder: original, truth } = kind === "log" || seed % 2 === 0 ? killed : closed;
        copyStore(original, at);
        damage(join(at, "evander.db"), kind, dice(seed));
        copyStore(at, `${at}-read`);
        const outcome = outcomeOf(join(`${at}-read`, "evander.db"), truth);
        (counts[kind] ??= {})[outcome] = (counts[kind]?.[outcome] ?? 0) + 1;
        if (outcome === "silent") troubles.push(`${name}: silent`);
        const trouble = outcome === "harmless" ? undefined : await recoveryTrouble(at, `${at}-work`, truth);
        if (trouble !== undefined) troubles.push(`${name}: ${trouble}`);
      }
    if (process.env["FLIPS"]) console.log(`counts ${JSON.stringify(counts)}`);
    expect(troubles).toEqual([]);
  },
  60_000 + 2_000 * EACH * KINDS.length,
);
