import { fingerprintOf } from "../../src/credentials/entry.ts";
import { openKeyRing } from "../../src/credentials/key-ring.ts";
import type { Fact } from "../../src/protocol/fact.ts";
import type { BorrowedKey, KeyRing } from "../../src/protocol/keys.ts";

const keysOf = (count: number): readonly BorrowedKey[] =>
  Array.from({ length: count }, (_, at) => ({ secret: `key-number-${at}-of-m`, source: `KEY_${at}` }));

/** The pool of one process, of so many keys: what it learns of one, the others find in the folder. */
export function worldKeys(count: number, folder: string, provider: string): KeyRing | undefined {
  return openKeyRing({ provider, baseUrl: "", here: keysOf(count), folder, now: Date.now, random: () => 0 });
}

/** The key of the newest attempt, as the facts tell it; undefined: none. */
export function keySent(facts: readonly Fact[], count: number): string | undefined {
  let taken: string | undefined;
  let sent: string | undefined;
  for (const fact of facts) {
    if (fact.type === "turn-start" || fact.type === "model-switched") taken = undefined;
    else if (fact.type === "key-rotated") taken = fact.to;
    else if (fact.type === "attempt-start") sent = taken = fact.key ?? taken;
  }
  return keysOf(count).find(({ secret }) => fingerprintOf(secret) === sent)?.secret;
}
