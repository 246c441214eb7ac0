import { expect, test } from "vitest";
import { streamLimits } from "./stream-limits.ts";
import { type Stall, type Timers, Watchdog } from "./watchdog.ts";

/** Time that moves only when told. */
class FakeTimers implements Timers {
  #now = 0;
  #due: { readonly at: number; readonly fire: () => void } | undefined;
  onSet: (ms: number) => void = () => undefined;
  set(ms: number, fire: () => void): () => void {
    this.sets++;
    this.onSet(ms);
    this.#due = { at: this.#now + ms, fire };
    return () => (this.#due = undefined);
  }
  sets = 0;
  now(): number {
    return this.#now;
  }
  advance(to: number): void {
    for (let due = this.#due; due !== undefined && due.at <= to; due = this.#due) {
      this.#due = undefined;
      this.#now = Math.max(this.#now, due.at);
      due.fire();
    }
    this.#now = to;
  }
}

interface Watched {
  readonly timers: FakeTimers;
  readonly dog: Watchdog;
  readonly stalls: (readonly [Stall, at: number])[];
}

function watch(limits: { firstByteMs: number; idleMs: number; callMs: number }): Watched {
  const timers = new FakeTimers();
  const stalls: (readonly [Stall, number])[] = [];
  const dog = new Watchdog(limits, timers, (stall) => stalls.push([stall, timers.now()]));
  return { timers, dog, stalls };
}

test("[C6] silence from the start ends at the first-byte limit", () => {
  const { timers, stalls } = watch({ firstByteMs: 120, idleMs: 180, callMs: 1_800 });
  timers.advance(119);
  expect(stalls).toEqual([]);
  timers.advance(120);
  expect(stalls).toEqual([["first-byte", 120]]);
});

test("[C6] [STRM-15] bytes without content do not reset the idle limit", () => {
  const { timers, dog, stalls } = watch({ firstByteMs: 120, idleMs: 180, callMs: 1_800 });
  timers.advance(100);
  dog.byte();
  for (let at = 110; at <= 279; at += 10) {
    timers.advance(at);
    dog.byte();
  }
  expect(stalls).toEqual([]);
  timers.advance(280);
  expect(stalls).toEqual([["idle", 280]]);
});

test("[C6] content resets the idle limit, also when it is shorter than the first-byte limit", () => {
  const { timers, dog, stalls } = watch({ firstByteMs: 1_000, idleMs: 50, callMs: 5_000 });
  timers.advance(10);
  dog.byte();
  for (let at = 40; at <= 400; at += 40) {
    timers.advance(at);
    dog.content();
  }
  timers.advance(449);
  expect(stalls).toEqual([]);
  timers.advance(1_000);
  expect(stalls).toEqual([["idle", 450]]);
});

test("[C6] what came while the process stood still is read before its silence counts", () => {
  const { timers, dog, stalls } = watch({ firstByteMs: 120, idleMs: 180, callMs: 1_800 });
  dog.byte();
  timers.onSet = (ms) => {
    if (ms > 0) return;
    dog.content();
    timers.onSet = () => undefined;
  };
  timers.advance(300);
  expect(stalls).toEqual([]);
  timers.advance(1_000);
  expect(stalls).toEqual([["idle", 360]]);
});

test("[C6] the whole call is limited although content flows, and life costs few timers", () => {
  const { timers, dog, stalls } = watch({ firstByteMs: Infinity, idleMs: Infinity, callMs: 1_800 });
  for (let at = 1; at < 1_800; at++) {
    timers.advance(at);
    dog.content();
  }
  timers.advance(1_800);
  expect(stalls).toEqual([["call", 1_800]]);
  expect(timers.sets).toBe(1);
});

test("[C6] a stopped watchdog is silent", () => {
  const { timers, dog, stalls } = watch({ firstByteMs: 10, idleMs: 10, callMs: 10 });
  dog.stop();
  timers.advance(100);
  expect(stalls).toEqual([]);
});

test("[C6] defaults: 120 / 180 / 1,800 s; 240 and 300 s idle for large prompts; off for local servers, except the call", () => {
  const s = (seconds: number): number => seconds * 1_000;
  expect(streamLimits({}, { local: false, bodyBytes: 4_000, streaming: true })).toEqual({
    firstByteMs: s(120),
    idleMs: s(180),
    callMs: s(1_800),
  });
  expect(streamLimits({}, { local: false, bodyBytes: 50_001 * 4, streaming: true }).idleMs).toBe(s(240));
  expect(streamLimits({}, { local: false, bodyBytes: 100_001 * 4, streaming: true }).idleMs).toBe(s(300));
  expect(streamLimits({}, { local: true, bodyBytes: 4_000, streaming: true })).toEqual({
    firstByteMs: Infinity,
    idleMs: Infinity,
    callMs: s(1_800),
  });
  const set = { firstByteMs: 1, idleMs: 2, callMs: 3 };
  expect(streamLimits(set, { local: true, bodyBytes: 1_000_000, streaming: true })).toEqual(set);
});

test("[C18] a reply in one piece has a limit of its own: 90 s, 150 and 240 s for large prompts; off for local servers", () => {
  const silence = (bodyBytes: number, local = false, set = {}): number => {
    const { firstByteMs, idleMs } = streamLimits(set, { local, bodyBytes, streaming: false });
    expect(idleMs).toBe(firstByteMs);
    return idleMs;
  };
  expect([4_000, 50_001 * 4, 100_001 * 4].map((bytes) => silence(bytes))).toEqual([90_000, 150_000, 240_000]);
  expect(silence(4_000, true)).toBe(Infinity);
  expect(silence(4_000, true, { nonStreamIdleMs: 7, idleMs: 1, firstByteMs: 1 })).toBe(7);
});
