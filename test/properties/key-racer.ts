import { setTimeout } from "node:timers/promises";
import { fingerprintOf, type Keys } from "../../src/credentials/entry.ts";
import { openKeyRing } from "../../src/credentials/key-ring.ts";
import { KeyFile } from "../../src/credentials/key-file.ts";

/** What one process saw of a race for the keys of a pool. */
export interface Raced {
  readonly blames: number;
  /** Keys that were renewed under the feet of the other process. */
  readonly renewals: number;
  /** Keys that were found blamed for a request that was sent with another one. */
  readonly wrong: number;
}

/** So short that keys come back while the race goes on, ms. */
const REST_MS = 4;

/** Takes a key, sends nothing, and blames what it would have sent; now and then a key is renewed in between. */
async function race(folder: string, times: number): Promise<Raced> {
  const around = { provider: "p", baseUrl: "http://host.test/v1", here: [], folder } as const;
  const ring = openKeyRing({ ...around, strategy: "random", now: Date.now, random: Math.random });
  if (ring === undefined) throw new Error("there is nothing to race for");
  const file = new KeyFile(folder, Date.now);
  const seen = { blames: 0, renewals: 0, wrong: 0 };
  for (let at = 0; at < times; at++) {
    const hold = ring.hold();
    const { fingerprint: key } = hold.take();
    if (Math.random() < 0.5) await setTimeout(Math.random() * 2);
    if (Math.random() < 0.2) {
      await file.change("p", (keys) => renewedOne(keys, `${process.pid}-${at}`));
      seen.renewals++;
    }
    const hints = { retryable: true, shouldCompress: false, shouldRotateCredential: true, shouldFallback: true };
    // The message is kept with the blame: it says which key was meant.
    await hold.rotate(
      { provider: "p", model: "m", key },
      { ...hints, reason: "rate_limit", message: key, retryAfterMs: REST_MS },
    );
    seen.blames++;
    for (const { status, fingerprint } of file.read().get("p") ?? [])
      if (status.state !== "ok" && status.message !== fingerprint) seen.wrong++;
  }
  return seen;
}

/** As a renewal does it, without an authority. */
function renewedOne(keys: Keys, word: string): Keys {
  const at = Math.floor(Math.random() * keys.length);
  const secret = `key-renewed-as-${word}`;
  return keys.map((entry, index) =>
    index === at
      ? { ...entry, secret, fingerprint: fingerprintOf(secret), formerly: [entry.fingerprint], status: { state: "ok" } }
      : entry,
  );
}

const [, , folder = "", times = ""] = process.argv;
process.stdout.write(JSON.stringify(await race(folder, Number(times))));
