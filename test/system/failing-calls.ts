import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { TurnResult } from "../../src/protocol/result.ts";
import { Place, resultOf } from "../scenario/program.ts";
import { COUNTABLE, failing } from "./strace.ts";
import { effectThenAnswer, GO, RESUME } from "./canonical-turn.ts";
import { findTroubles } from "./troubles.ts";

export interface FailingCall {
  readonly call: string;
  readonly error: string;
  readonly nth: number;
  readonly only?: boolean;
}

const from = (call: string, error: string, ...at: readonly number[]): FailingCall[] =>
  at.map((nth) => ({ call, error, nth }));

/** security.md R5: calls that fail from a point on, or once; the points lie in the making of a store, in a turn, behind it. */
export const FAILING_CALLS: readonly FailingCall[] = [
  ...from("pwrite64", "ENOSPC", 1, 20, 60, 105, 150),
  ...from("pwrite64", "EIO", 60, 105),
  ...from("pwrite64", "EDQUOT", 60, 105),
  ...from("pwrite64", "EROFS", 60),
  ...from("fdatasync", "EIO", 1, 2),
  ...from("fsync", "EIO", 1, 9),
  ...from("openat", "EMFILE", 60, 75),
  { call: "pwrite64", error: "EIO", nth: 60, only: true },
  { call: "pwrite64", error: "ENOSPC", nth: 105, only: true },
  { call: "fdatasync", error: "EIO", nth: 2, only: true },
];

/** What went wrong; nothing where the turn ended well, or was refused in a sentence and could be gone on with later. */
export async function wrongWith(given: FailingCall): Promise<string[]> {
  const [place, provider] = [new Place(), effectThenAnswer()];
  try {
    await provider.server.listen();
    const { baseUrl } = provider.server;
    const ended = await place.run(baseUrl, GO, { under: failing(given.call, given), env: COUNTABLE });
    const asked = provider.requests.length > 0;
    // The fault is over: what a model was asked about is there, and the turn goes on or has ended.
    const resumed = resultOf(await place.run(baseUrl, RESUME));
    const went = !asked || [0, 2].includes(resumed.exit.code) ? [] : [`it did not go on: ${resumed.error?.message}`];
    const wrong = [...wrongEnd(resultOf(ended)), ...went, ...wrongIn(place, asked)];
    return [...wrong, ...provider.violations()];
  } finally {
    await provider.close();
    place.remove();
  }
}

function wrongEnd({ exit, error }: TurnResult): string[] {
  if (exit.code === 0) return [];
  if (exit.code !== 73) return [`it ended with ${exit.code} (${exit.reason})`];
  return /; .+\.$/u.test(error?.message ?? "") ? [] : [`no next step: ${error?.message}`];
}

function wrongIn(place: Place, asked: boolean): string[] {
  const path = join(place.home, "evander.db");
  const effects = effectsIn(place) > 1 ? ["the effect was done twice"] : [];
  if (!existsSync(path)) return asked ? ["what was accepted is gone"] : [];
  return [...findTroubles(path), ...effects];
}

function effectsIn(place: Place): number {
  const path = join(place.work, "effects.log");
  return existsSync(path) ? readFileSync(path, "utf8").split("\n").length - 1 : 0;
}
