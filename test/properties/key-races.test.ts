import { expect, test } from "vitest";
import { raceForKeys } from "./key-races.ts";

test("[D7] [CRED-02] two processes, 1,000 races: the key that is blamed is the one that was sent, whoever rotated or renewed meanwhile", async () => {
  const { blames, renewals, wrong } = await raceForKeys(500);
  expect(blames).toBe(1_000);
  expect(renewals).toBeGreaterThan(50);
  expect(wrong).toBe(0);
}, 60_000);
