import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { breakStore } from "../support/broken-stores.ts";
import { Place } from "./program.ts";

interface Report {
  readonly ok: boolean;
  readonly findings: readonly { readonly id: string; readonly state: string; readonly message: string }[];
}

test("[X6] [X12] [X2] doctor --check reads every session, names the invariant, the cause and the next step, and changes nothing", async () => {
  const place = new Place();
  try {
    const look = (...more: readonly string[]): ReturnType<Place["run"]> =>
      place.run(undefined, ["doctor", "--check", ...more]);
    expect((await look()).stdout).toMatch(/^ok +invariants +There are no sessions yet\.$/mu);
    mkdirSync(place.home, { mode: 0o700 });
    const path = join(place.home, "evander.db");
    await breakStore(path, {});
    const sound = await look();
    expect([sound.code, sound.stdout]).toEqual([
      0,
      expect.stringMatching(/^ok +invariants +2 sessions checked: all 14 invariants hold\.$/mu),
    ]);
    place.damaged = true;
    const db = new DatabaseSync(path);
    db.exec("update journal set sum = null, opening = null, added = null, tail = null where id = 17");
    db.close();
    const before = readFileSync(path);
    const told = await look("--json");
    const { ok, findings } = JSON.parse(told.stdout) as Report;
    expect([told.code, ok]).toEqual([1, false]);
    expect(findings.filter(({ state }) => state === "broken").map(({ id }) => id)).toEqual(["invariants.I14"]);
    expect((await look("--lang", "zh")).stdout).toMatch(/^损坏 +invariants\.I14 +s t1：没有保存发给模型的请求/mu);
    expect((await look()).stdout).toMatch(/^ +next: evander session show s$/mu);
    expect(readFileSync(path)).toEqual(before);
  } finally {
    place.remove();
  }
});
