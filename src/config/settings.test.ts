import { expect, test } from "vitest";
import { stateFolder } from "./paths.ts";
import { readSettings } from "./settings.ts";

test("[B2][C6][D4] settings: defaults, layers, the last pair wins", () => {
  expect(readSettings([])).toEqual({
    type: "settings",
    settings: { stream: {}, retry: {}, guardrails: {}, sync: "four" },
  });
  const pairs = ["stream.idleMs=1", "stream.idleMs=2", "retry.baseMs=3", "store.sync=full", "maxIterations=4"];
  expect(readSettings(pairs, { maxIterations: "Infinity" })).toEqual({
    type: "settings",
    settings: { maxIterations: Infinity, stream: { idleMs: 2 }, retry: { baseMs: 3 }, guardrails: {}, sync: "full" },
  });
});

test("[J1] a time limit is written as people write times, or in ms; one that no timer keeps is refused", () => {
  const limit = (pairs: string[], maxTime?: string): unknown => {
    const reading = readSettings(pairs, { maxTime });
    return reading.type === "invalid" ? reading.message : reading.settings.maxTimeMs;
  };
  expect(["250ms", "90s", "5m", "1h30m", "2d"].map((text) => limit([], text))).toEqual([
    250, 90_000, 300_000, 5_400_000, 172_800_000,
  ]);
  expect(limit(["maxTimeMs=7"])).toBe(7);
  expect(limit(["maxTimeMs=7"], "1s")).toBe(1_000);
  for (const text of ["", "5", "m", "0s", "-1s", "1.5h", "5 m", "25d", "5m!"])
    expect(limit([], text)).toContain(`such as 90s, 5m or 1h30m; it is "${text}"`);
  expect(limit(["maxTimeMs=2147483648"])).toContain("from 1 to 2147483647");
});

test("[J1] a wrong setting names its key and what it takes", () => {
  const message = (...pairs: string[]): string => {
    const reading = readSettings(pairs);
    return reading.type === "invalid" ? reading.message : "taken";
  };
  for (const value of ["", "0", "-1", "1.5", "1e3", "ten", " 7", "99999999999999999999"])
    expect(message(`stream.idleMs=${value}`)).toContain("stream.idleMs must be a whole number above zero");
  expect(message("store.sync=some")).toContain('"four" or "full"');
  expect(message("frob=1")).toContain("stream.idleMs");
  expect(message("stream.idleMs")).toContain("key=value");
});

test("[G1] the state folder: own variable, then XDG, then the home; relative ones do not count", () => {
  expect(stateFolder({ EVANDER_HOME: "/e", XDG_STATE_HOME: "/x" }, "/h")).toBe("/e");
  expect(stateFolder({ EVANDER_HOME: "e", XDG_STATE_HOME: "/x" }, "/h")).toBe("/x/evander");
  expect(stateFolder({ XDG_STATE_HOME: "" }, "/h")).toBe("/h/.local/state/evander");
});

test("[I2] plug-in files are a list; none is named by default", () => {
  expect(readSettings(["plugins=./a.mjs,/b.mjs,"])).toMatchObject({ settings: { plugins: ["./a.mjs", "/b.mjs"] } });
  expect(readSettings(["plugins="])).toEqual(readSettings([]));
});
