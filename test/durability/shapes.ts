import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Place } from "../scenario/program.ts";
import type { ReceivedRequest } from "../support/fake-provider.ts";
import { said } from "../support/said.ts";
import { callTools, say, type ScriptedCall, type Step } from "../support/wire-script.ts";

/** What a turn is made of. */
export type Shape = "text" | "one tool" | "three parallel" | "approval" | "subagent";

export const ALL: readonly Shape[] = ["text", "one tool", "three parallel", "approval", "subagent"];

const EFFECT = { name: "terminal", arguments: { command: "echo ran >> effects.log" } };

/** In place of the effect: the user presses Ctrl-C while it runs. `pid` is a file that holds the program's process. */
const STOPPED = { name: "terminal", arguments: { command: "kill -INT $(cat pid); sleep 60" } };

/** The calls of the one reply that has any. */
export const CALLS: Readonly<Record<Shape, readonly ScriptedCall[]>> = {
  text: [],
  "one tool": [{ id: "e1", ...EFFECT }],
  "three parallel": [
    { id: "r1", name: "read_file", arguments: { path: "a.txt" } },
    { id: "r2", name: "read_file", arguments: { path: "b.txt" } },
    { id: "r3", name: "search_files", arguments: { pattern: "needle", path: "many" } },
  ],
  approval: [{ id: "e1", ...EFFECT }],
  subagent: [{ id: "d1", name: "delegate_task", arguments: { goal: "do it" } }],
};

/** Only here is a person asked. */
export const approve = (shape: Shape): "park" | "all" => (shape === "approval" ? "park" : "all");

/** A model that goes by what it reads, so that it does not matter how often it is asked. */
export function modelOf(shape: Shape, stopped = false): (request: ReceivedRequest) => Step {
  return ({ body }) => {
    const last = body.messages.at(-1);
    const isChild = String(body.messages[0]?.content).startsWith("You are a child agent");
    if (last?.role !== "user") return say(isChild ? "did it" : ["all", " done"]);
    if (isChild) return callTools([{ id: "c1", ...(stopped ? STOPPED : EFFECT) }]);
    if (said(last).endsWith("continue")) return say(["went", " on"]);
    const calls = CALLS[shape].map((call) => (stopped && call.id === "e1" ? { ...call, ...STOPPED } : call));
    return calls.length > 0 ? callTools(calls) : say(["all", " done"]);
  };
}

export function furnish({ work }: Place): void {
  writeFileSync(join(work, "a.txt"), "alpha\n");
  writeFileSync(join(work, "b.txt"), "beta\n");
  // Slower than the two reads before it, so that their receipts are stored while it runs.
  mkdirSync(join(work, "many"));
  for (let n = 0; n < 300; n++) writeFileSync(join(work, "many", `${n}.txt`), `${"hay ".repeat(2_000)}\n`);
}

/** How often the one effect of the shape has happened. */
export function effectsIn({ work }: Place): number {
  try {
    return readFileSync(join(work, "effects.log"), "utf8").split("\n").length - 1;
  } catch {
    return 0;
  }
}
