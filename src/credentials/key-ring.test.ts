import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { fakeAuthority } from "../../test/support/fake-authority.ts";
import type { Failure } from "../protocol/failure.ts";
import type { KeyHold, KeyRing, KeyStrategy, KnownKey } from "../protocol/keys.ts";
import { openKeyChest } from "./chest.ts";
import { fingerprintOf } from "./entry.ts";
import { type KeyRingOptions, openKeyRing } from "./key-ring.ts";

const KEYS = ["key-number-1", "key-number-2", "key-number-3"] as const;
const [ONE, TWO, THREE] = KEYS;
const BASE = "http://host.test/v1";
const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "evander-ring-"));
  folders.push(path);
  return path;
}

const clock = { ms: 1_800_000_000_000 };
const HOUR = 3_600_000;

function ringOf(more: Partial<KeyRingOptions> = {}): KeyRing {
  const here = KEYS.map((secret, at) => ({ secret, source: `KEY_${at + 1}` }));
  const usual = { provider: "p", baseUrl: BASE, here, now: () => clock.ms, random: () => 0.5 };
  const ring = openKeyRing({ ...usual, ...more });
  if (ring === undefined) throw new Error("one key is no ring");
  return ring;
}

const limited: Failure = {
  reason: "rate_limit",
  retryable: true,
  shouldCompress: false,
  shouldRotateCredential: true,
  shouldFallback: true,
  status: 429,
  message: "slow down",
};
const sent = (secret: string) => ({ provider: "p", model: "m", key: fingerprintOf(secret) });
const secretOf = (hold: KeyHold): string => hold.take().secret;
const states = (path: string): Record<string, string> =>
  Object.fromEntries(
    openKeyChest(path, () => clock.ms)
      .list()
      .map(({ label, status }) => [label, status.state]),
  );

test("[D7] one key is no ring, and neither is none", () => {
  const usual = { provider: "p", baseUrl: BASE, now: Date.now, random: Math.random };
  expect(openKeyRing({ ...usual, here: [] })).toBeUndefined();
  expect(openKeyRing({ ...usual, here: [{ secret: ONE, source: "A" }] })).toBeUndefined();
  const twice = [1, 2].map((at) => ({ secret: ONE, source: `A${at}` }));
  expect(openKeyRing({ ...usual, here: twice })).toBeUndefined();
});

test.each<[KeyStrategy, readonly string[]]>([
  ["fill_first", [ONE, ONE, ONE, ONE]],
  ["random", [TWO, TWO, TWO, TWO]],
  ["round_robin", [ONE, TWO, THREE, ONE]],
  ["least_used", [ONE, TWO, THREE, ONE]],
])("[D7] %s: conversations that begin one after the other, in processes of their own", async (strategy, expected) => {
  const shared = folder();
  const taken: string[] = [];
  for (const _ of expected) {
    const ring = ringOf({ folder: shared, strategy });
    taken.push(secretOf(ring.hold()));
    await ring.close();
  }
  expect(taken).toEqual(expected);
});

test("[D7] a conversation stays with its key; those that ask at the same time are spread over the keys", () => {
  const ring = ringOf();
  const holds = [ring.hold(), ring.hold(), ring.hold(), ring.hold()];
  const ends = holds.map((hold) => {
    const key = hold.take();
    return [key.secret, hold.lease(key)] as const;
  });
  expect(ends.map(([secret]) => secret)).toEqual([ONE, TWO, THREE, ONE]);
  for (const [, end] of ends) end({ failed: false });
  expect(holds.map(secretOf)).toEqual([ONE, TWO, THREE, ONE]);
  expect(secretOf(ring.hold())).toBe(ONE);
});

test("[D7] a conversation goes back to the key it had when that can be used again", async () => {
  const hold = ringOf().hold();
  expect(secretOf(hold)).toBe(ONE);
  expect(await hold.rotate(sent(ONE), { ...limited, retryAfterMs: 60_000 })).toBe(fingerprintOf(TWO));
  expect(secretOf(hold)).toBe(TWO);
  clock.ms += 61_000;
  expect(secretOf(hold)).toBe(ONE);
});

test("[D7] how long a key rests: what its server says, five minutes after 401, an hour else; a revoked one for ever", async () => {
  const until = async (more: Partial<Failure>): Promise<number | string> => {
    const path = folder();
    await ringOf({ folder: path })
      .hold()
      .rotate(sent(ONE), { ...limited, ...more });
    const { status } = openKeyChest(path, () => clock.ms).list()[0] as KnownKey;
    return status.state === "exhausted" ? status.untilMs - clock.ms : status.state;
  };
  expect(await until({ retryAfterMs: 7_000 })).toBe(7_000);
  expect(await until({ reason: "auth", status: 401 })).toBe(HOUR / 12);
  expect(await until({})).toBe(HOUR);
  expect(await until({ reason: "billing", status: 402 })).toBe(HOUR);
  expect(await until({ reason: "auth", status: 401, keyState: "revoked" })).toBe("dead");
});

test("[CRED-01] the key that was sent is blamed, whichever is in use by then", async () => {
  const path = folder();
  const ring = ringOf({ folder: path });
  const [first, second] = [ring.hold(), ring.hold()];
  first.take();
  second.take();
  await first.rotate(sent(ONE), limited);
  expect(secretOf(first)).toBe(TWO);
  // A request that had left with the first key fails now, and the conversation goes on with the second.
  expect(await first.rotate(sent(ONE), limited)).toBe(fingerprintOf(TWO));
  expect(states(path)).toEqual({ KEY_1: "exhausted" });
});

test("[CRED-02] two processes saw the same key fail: it is blamed once, and both go on with the next", async () => {
  const path = folder();
  const [a, b] = [ringOf({ folder: path }).hold(), ringOf({ folder: path }).hold()];
  expect([secretOf(a), secretOf(b)]).toEqual([ONE, ONE]);
  await a.rotate(sent(ONE), limited);
  const before = readFileSync(join(path, "credentials.json"), "utf8");
  expect(b.look(sent(ONE))).toEqual({ size: 3, usable: 2, refreshable: false, spent: true });
  clock.ms += 1_000;
  expect(await b.rotate(sent(ONE), limited)).toBe(fingerprintOf(TWO));
  expect(readFileSync(join(path, "credentials.json"), "utf8")).toBe(before);
});

test("[CRED-03] an auxiliary call that is bound to a key of its own blames that one, and takes the next from the pool", async () => {
  const path = folder();
  const ring = ringOf({ folder: path });
  const [aux, main] = [ring.hold(), ring.hold()];
  const end = aux.lease(aux.take());
  expect(secretOf(main)).toBe(TWO);
  end({ failed: true });
  await aux.rotate(sent(ONE), { ...limited, keyState: "used-up" });
  expect(states(path)).toEqual({ KEY_1: "exhausted" });
  expect([secretOf(aux), secretOf(main)]).toEqual([TWO, TWO]);
});

test("[D7] where none can be used, the one that returns first is sent, and an answer clears it", async () => {
  const path = folder();
  const hold = ringOf({ folder: path }).hold();
  hold.take();
  for (const [at, secret] of KEYS.entries())
    await hold.rotate(sent(secret), { ...limited, retryAfterMs: (3 - at) * 10_000 });
  const key = hold.take();
  expect(key.secret).toBe(THREE);
  expect(hold.look(sent(THREE))).toMatchObject({ usable: 0, spent: true });
  hold.lease(key)({ failed: false });
  await expect.poll(() => states(path)).toEqual({ KEY_1: "exhausted", KEY_2: "exhausted" });
});

test("[D7] limits of one provider say nothing of another, and a key for one server goes to no other", async () => {
  const path = folder();
  const chest = openKeyChest(path, () => clock.ms);
  await chest.add({ provider: "p", key: "key-of-elsewhere", baseUrl: "http://else.test/v1", priority: -1 });
  const hold = ringOf({ folder: path }).hold();
  expect(secretOf(hold)).toBe(ONE);
  await hold.rotate(sent(ONE), limited);
  expect(secretOf(ringOf({ folder: path, provider: "q" }).hold())).toBe(ONE);
  expect(secretOf(ringOf({ folder: path, baseUrl: "http://else.test/v1/" }).hold())).toBe("key-of-elsewhere");
});

test("[D7] what was typed in and is dead is forgotten a day later; what is borrowed is never written", async () => {
  const path = folder();
  await openKeyChest(path, () => clock.ms).add({ provider: "p", key: "key-typed-in", priority: -1 });
  const hold = ringOf({ folder: path }).hold();
  await hold.rotate(sent("key-typed-in"), { ...limited, reason: "auth", status: 401, keyState: "revoked" });
  await hold.rotate(sent(ONE), limited);
  const text = readFileSync(join(path, "credentials.json"), "utf8");
  for (const key of KEYS) expect(text).not.toContain(key);
  expect(states(path)).toEqual({ "p-1": "dead", KEY_1: "exhausted" });
  clock.ms += 24 * HOUR;
  await hold.rotate(sent(TWO), limited);
  expect(states(path)).toEqual({ KEY_2: "exhausted" });
});

test("[D7] a folder that cannot be written, and a file that others can read, take nothing from this process", async () => {
  const path = folder();
  writeFileSync(join(path, "credentials.json"), "{ nonsense", { mode: 0o600 });
  const hold = ringOf({ folder: path }).hold();
  hold.take();
  expect(await hold.rotate(sent(ONE), limited)).toBe(fingerprintOf(TWO));
  expect(secretOf(hold)).toBe(TWO);
  expect(readFileSync(join(path, "credentials.json"), "utf8")).toBe("{ nonsense");
  const open = folder();
  await openKeyChest(open, Date.now).add({ provider: "p", key: "key-typed-in" });
  chmodSync(join(open, "credentials.json"), 0o644);
  expect(() => openKeyChest(open, Date.now).list()).toThrow(/can be read by others/u);
});

test("[D7] what is no file is not opened, a link stays one, and times that are none say nothing", async () => {
  const other = folder();
  mkdirSync(join(other, "credentials.json"), { mode: 0o700 });
  expect(() => openKeyChest(other, Date.now).list()).toThrow(/is no file/u);
  const path = folder();
  const real = join(other, "real.json");
  const entry = { id: "1", source: "manual", secret: ONE, expiresMs: 1e99 };
  const status = { state: "exhausted", sinceMs: -1e99, untilMs: 1e99 };
  writeFileSync(real, JSON.stringify({ providers: { p: [{ ...entry, status }] } }), { mode: 0o600 });
  symlinkSync(real, join(path, "credentials.json"));
  const chest = openKeyChest(path, () => clock.ms);
  expect(chest.list()).toMatchObject([{ expiresMs: null, status: { state: "ok" } }]);
  await chest.add({ provider: "p", key: TWO });
  expect(lstatSync(join(path, "credentials.json")).isSymbolicLink()).toBe(true);
  expect(readFileSync(real, "utf8")).toContain(TWO);
});

test("[D7] a key that was used up by a clock that was wrong is sent again when that is put right", async () => {
  const path = folder();
  const before = clock.ms;
  clock.ms += 400 * 24 * HOUR;
  await ringOf({ folder: path }).hold().rotate(sent(ONE), limited);
  clock.ms = before;
  expect(secretOf(ringOf({ folder: path }).hold())).toBe(ONE);
  expect(states(path)).toMatchObject({ KEY_1: "ok" });
});

test("[D7] a key that runs out soon is renewed before it is sent, and once", async () => {
  await using authority = await fakeAuthority();
  const path = folder();
  await openKeyChest(path, Date.now).add({ provider: "p", key: authority.grant(60_000) });
  const rings = [1, 2].map(() => ringOf({ folder: path, here: [], now: Date.now }));
  await Promise.all(rings.map((ring) => ring.ready()));
  expect(authority.renewals).toBe(1);
  for (const ring of rings) {
    expect(secretOf(ring.hold())).toBe(authority.newest);
    // Old and new, and what renewed them: a tool may print any of them.
    expect(ring.secrets).toEqual(expect.arrayContaining([authority.newest, "refresh-token-1", "refresh-token-2"]));
  }
});

test("[CRED-07] a renewal that is refused does no harm to a grant that somebody got meanwhile", async () => {
  const path = folder();
  const chest = openKeyChest(path, Date.now);
  const login = async (): Promise<void> => {
    const text = readFileSync(join(path, "credentials.json"), "utf8");
    writeFileSync(join(path, "credentials.json"), text.replace("refresh-token-1", "refresh-of-a-new-login"));
  };
  await using authority = await fakeAuthority(login);
  await chest.add({ provider: "p", key: authority.grant() });
  authority.revoke();
  const hold = ringOf({ folder: path, here: [], now: Date.now }).hold();
  expect(await hold.refresh({ ...sent(""), key: hold.take().fingerprint })).toBeUndefined();
  expect(chest.list()[0]?.status).toEqual({ state: "ok" });
});

test("[CRED-08] an authority that is away is not held against the key; one that refuses for good is, and is asked no more", async () => {
  await using authority = await fakeAuthority();
  const path = folder();
  const chest = openKeyChest(path, Date.now);
  await chest.add({ provider: "p", key: authority.grant() });
  const hold = ringOf({ folder: path, here: [], now: Date.now }).hold();
  const key = hold.take().fingerprint;
  const renew = (): Promise<string | undefined> => hold.refresh({ ...sent(""), key });
  authority.answer(503, { error: "unavailable" });
  expect(await renew()).toBeUndefined();
  expect(chest.list()[0]?.status.state).toBe("ok");
  authority.answer(400, { error: "invalid_grant" });
  for (let times = 0; times < 5; times++) expect(await renew()).toBeUndefined();
  expect(chest.list()[0]?.status.state).toBe("dead");
  expect(authority.asked).toBe(2);
});

test("[D7] keys that are removed while a conversation goes on do not end it: the server has the last word", async () => {
  const path = folder();
  const chest = openKeyChest(path, () => clock.ms);
  for (const key of [ONE, TWO]) await chest.add({ provider: "p", key });
  const hold = ringOf({ folder: path, here: [] }).hold();
  expect(secretOf(hold)).toBe(ONE);
  for (const { id } of chest.list()) await chest.remove("p", id, false);
  expect(secretOf(hold)).toBe(ONE);
  expect(await hold.rotate(sent(ONE), limited)).toBeUndefined();
});
