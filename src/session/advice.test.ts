import { expect, test } from "vitest";
import type { PluginTurn } from "../protocol/extension.ts";
import { assistantText, type Message, userText } from "../protocol/message.ts";
import { adviceFrom } from "./advice.ts";
import { refusalResult } from "./result.ts";
import type { RunSpec } from "./run-spec.ts";
import type { RunResult } from "./turn-handle.ts";

const refused = refusalResult({ reason: "internal_error", message: "It is broken." }, "en");
const answers = (answer: string): RunResult => ({ ...refused, ok: true, error: null, answer, messages: [] });

function turnOf(...messages: readonly Message[]): PluginTurn {
  return { sessionId: "s", turnId: "t", prompt: "", messages, isFirst: false, signal: new AbortController().signal };
}

/** What one adviser is asked after these messages. */
async function asked(messages: readonly Message[], leftUsd?: number): Promise<RunSpec | undefined> {
  let seen: RunSpec | undefined;
  const run = (spec: RunSpec): Promise<RunResult> => {
    seen = spec;
    return Promise.resolve(answers("yes"));
  };
  const adviser = { name: "a", run };
  await adviceFrom({ advisers: [adviser, adviser], leftUsd: () => Promise.resolve(leftUsd) })(turnOf(...messages));
  return seen;
}

test("[A11] advisers read the newest of what was said, as far as they have time, and nothing of tools", async () => {
  const file = { type: "context", source: "a.txt", text: "alpha" } as const;
  const spec = await asked([
    userText("x".repeat(30_000)),
    assistantText("forgotten"),
    userText("y".repeat(20_000)),
    { role: "assistant", parts: [{ type: "tool-call", callId: "c", name: "look", input: "{}" }] },
    { role: "tool", callId: "c", status: "ok", parts: [{ type: "text", text: "z".repeat(90_000) }] },
    assistantText("Done."),
    { role: "user", parts: [{ type: "text", text: "and now?" }, file], sent: "[voice] and now?" },
  ]);
  expect(spec).toMatchObject({ purpose: "advice", parent: "s", prompt: "[voice] and now?", attachments: [file] });
  expect(spec?.messages).toEqual([assistantText("forgotten"), userText("y".repeat(20_000)), assistantText("Done.")]);
});

test("[A11][X4] each adviser may spend its share of what the turn has left", async () => {
  expect(await asked([userText("go")], 0.5)).toMatchObject({ maxCost: 0.25 });
  expect(await asked([userText("go")], 0)).not.toHaveProperty("maxCost");
  expect(await asked([userText("go")])).not.toHaveProperty("maxCost");
});

test("[A11] long advice is cut, and what could not be put on the bill is told", async () => {
  const long = { ...answers(`${"x".repeat(7_999)}😀`), cleanupErrors: ["usage of advice: It is full."] };
  const adviser = { name: "a", run: () => Promise.resolve(long) };
  const { contexts, troubles } = await adviceFrom({ advisers: [adviser], leftUsd: () => Promise.resolve(undefined) })(
    turnOf(userText("go")),
  );
  expect(contexts).toEqual([{ type: "context", source: "advice", text: `a says:\n${"x".repeat(7_999)}\n… (cut)` }]);
  expect(troubles).toEqual(["adviser a: usage of advice: It is full."]);
});

test("[A11] an adviser that throws is named, and so is nobody of a turn that was stopped", async () => {
  const adviser = { name: "a", run: () => Promise.reject(new Error("no route")) };
  const advise = adviceFrom({ advisers: [adviser], leftUsd: () => Promise.reject(new Error("busy")) });
  expect(await advise(turnOf(userText("go")))).toEqual({ contexts: [], troubles: ["adviser a: no route"] });
  const stopped = { ...turnOf(userText("go")), signal: AbortSignal.abort() };
  expect(await advise(stopped)).toEqual({ contexts: [], troubles: [] });
});
