import { expect, test } from "vitest";
import { stateFolder } from "./paths.ts";
import { readSettings } from "./settings.ts";

test("[B2][C6][D4] settings: defaults, layers, the last pair wins", () => {
  expect(readSettings([])).toEqual({
    type: "settings",
    settings: { stream: {}, retry: {}, sync: "four" },
  });
  const pairs = ["stream.idleMs=1", "stream.idleMs=2", "retry.baseMs=3", "store.sync=full", "maxIterations=4"];
  expect(readSettings(pairs, { maxIterations: "Infinity" })).toEqual({
    type: "settings",
    settings: { maxIterations: Infinity, stream: { idleMs: 2 }, retry: { baseMs: 3 }, sync: "full" },
  });
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
