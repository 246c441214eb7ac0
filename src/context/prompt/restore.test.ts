import { expect, test } from "vitest";
import type { StoredPrompt } from "../../protocol/store.ts";
import { judgePrompt, promptLine, startOf } from "./restore.ts";
import { sessionLines } from "./session-lines.ts";

const model = { model: "m-1", provider: "acme" };
const present = (text: string): StoredPrompt => ({ state: "present", text });

test("[A8] only a prompt that is there, and says who is asked, is sent again", () => {
  for (const state of ["missing", "null", "empty"] as const) expect(judgePrompt({ state }, { model })).toBe(state);
  const text = `You are Ada.\n\n${sessionLines("Monday, November 30, 2026", model)}`;
  expect(judgePrompt(present(text), { model })).toBe("present");
  expect(judgePrompt(present(text), { model: { ...model, model: "m-2" } })).toBe("stale_runtime");
  expect(judgePrompt(present(text), { model: { ...model, provider: "other" } })).toBe("stale_runtime");
  expect(startOf(present(text))).toBe("Monday, November 30, 2026");
  expect(startOf(present("You are Ada."))).toBe("");
});

test("[A8] the last line of a kind counts; one that is missing or says nothing fits any model", () => {
  const says = (prompt: string): boolean => judgePrompt(present(prompt), { model }) === "present";
  expect(says("Model: other\nModel: m-1\nProvider: acme")).toBe(true);
  expect(says("Model: m-1\nModel: other")).toBe(false);
  expect(says("You are Ada.")).toBe(true);
  expect(says("Model:\nProvider: ")).toBe(true);
  expect(says("My Model: other")).toBe(true);
  expect(judgePrompt(present("Model: a\nProvider: b"), { model: { model: "", provider: "" } })).toBe("present");
});

test("[A8] a prompt that names another working folder is stale, wherever a file that it tells of works", () => {
  const of = (prompt: string): boolean => judgePrompt(present(prompt), { model, cwd: "/work" }) === "present";
  expect(of("Working folder: /work\n\nWorking folder: /elsewhere")).toBe(true);
  expect(of("Working folder: /elsewhere")).toBe(false);
  expect(of("You are Ada.")).toBe(true);
});

test("[A8] where the program says the whole prompt, its word holds", () => {
  const stored = present("You are Ada.\nModel: other");
  expect(judgePrompt(stored, { model, given: "You are Ada.\nModel: other" })).toBe("present");
  expect(judgePrompt(stored, { model, given: "You are Bob." })).toBe("stale_system");
});

test("[A8] each state has a line of its own; an empty prompt always warns, none where something was said", () => {
  const states = ["present", "missing", "null", "empty", "stale_runtime", "stale_system"] as const;
  const lines = states.map((state) => promptLine(state, { sessionId: "s", messages: 0 }));
  expect(new Set(lines.map(({ line }) => line)).size).toBe(states.length);
  expect(lines.map(({ level }) => level)).toEqual(["debug", "debug", "info", "warn", "info", "info"]);
  expect(promptLine("null", { sessionId: "s", messages: 2 })).toEqual({
    level: "warn",
    line: "no prompt is kept with this session, which an older version began or which was taken over: one is built now (prompt null, session s, messages 2)",
    fields: { event: "prompt", state: "null", session: "s", messages: 2 },
  });
});
