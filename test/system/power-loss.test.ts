import assert from "node:assert/strict";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  Bench,
  loseAgain,
  lossesOf,
  recordLives,
  type RecordedLife,
  withoutSyncs,
  wrongAfter,
} from "./power-losses.ts";
import { needStrace } from "./strace.ts";

/** security.md R4 asks for 200 runs; `npm run show -- store-faults` makes 1,000. */
const LOSSES = 300;
const DOUBLE = 6;
const SEED = Number(process.env["SEED"] ?? 1);

const bench = new Bench();
let lives: readonly RecordedLife[] = [];

beforeAll(() => {
  needStrace();
  lives = recordLives(bench);
});
afterAll(() => bench[Symbol.dispose]());

/** What went wrong, each with what to type to see it again. */
function wrongs(of: readonly RecordedLife[], count: number): string[] {
  const share = Math.ceil(count / of.length);
  return of.flatMap((life, nth) => {
    const seed = SEED + nth * count;
    return [...lossesOf(life, seed, share)].flatMap((loss) => {
      const wrong = wrongAfter(bench, loss);
      return wrong === undefined ? [] : [`SEED=${SEED}: ${loss.life}, behind operation ${loss.at}: ${wrong}`];
    });
  });
}

test(`[R4][A9][X6] after ${LOSSES} losses of power everything is there that was told`, () => {
  assert.deepEqual(wrongs(lives, LOSSES), []);
}, 120_000);

test("[R4][A9] power that goes again during recovery takes nothing more", () => {
  const first = lives.flatMap((life, nth) => [...lossesOf(life, SEED + nth, Math.ceil(DOUBLE / lives.length))]);
  const wrong = first.flatMap((loss) => wrongAfter(bench, loseAgain(bench, loss)) ?? []);
  assert.deepEqual(wrong, []);
}, 120_000);

test("[R4] a log that is not synced is found out", () => {
  const wrong = wrongs(lives.map(withoutSyncs), 90);
  expect(wrong.filter((it) => it.includes("silently short")).length).toBeGreaterThan(9);
});
