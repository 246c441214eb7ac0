import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { textOf as wordsOf } from "../../../src/protocol/message.ts";
import { SHELL } from "../../../src/tools/terminal/launch.ts";
import { limitNote, USUAL_LIMITS } from "../../../src/tools/terminal/limits.ts";
import { markedBy, MARKER } from "../../../src/tools/terminal/process-tree.ts";
import { type CommandEnd, runCommand } from "../../../src/tools/terminal/run-command.ts";
import { bench } from "../../support/agent-in-folder.ts";
import { echo } from "../../support/tools.ts";
import { callTools, reply, say } from "../../support/wire-script.ts";
import type { Json } from "../case-file.ts";
import { numberOf, objectOf, textOf } from "../input.ts";
import { runScripted } from "./scripted-agent.ts";

/** What the sentences say. */
const SAYS: Readonly<Record<string, Json>> = {
  "killed with its tree by 8 s": { stopped: true, survivors: 0 },
  "no survivor after the call or listed as owned background": { survivors: 0 },
  "memory limit holds": { failed: true, told: true },
  "stopped with a notice": { stopped: true, noticed: true },
  "further model calls refused with a notice": { requests: 0, refused: true, noticed: true },
};

const sayingOf = (expect: Json): Json | undefined => (typeof expect === "string" ? SAYS[expect] : undefined);

export const limitExpectation = (expect: Json): Json => sayingOf(expect) ?? expect;

export function limitUnsupported(input: Json, expect: Json): string | undefined {
  if (sayingOf(expect) === undefined) return "the sentence is not understood";
  const { command } = objectOf(input, "input");
  return command === ALLOCATE && process.platform !== "linux"
    ? "only Linux holds a process to a limit of data"
    : undefined;
}

const ALLOCATE = "allocate 64 GB";

/** `{command, timeout_s?}`, `{identical_tool_calls}` or `{cost_cap_per_day, spent}`. */
export function limitCase(input: Json): Promise<unknown> {
  const asked = objectOf(input, "input");
  if ("identical_tool_calls" in asked) return sameCalls(numberOf(asked["identical_tool_calls"], "calls"));
  if ("cost_cap_per_day" in asked)
    return spentCap(numberOf(asked["cost_cap_per_day"], "cap"), numberOf(asked["spent"], "spent"));
  const seconds = asked["timeout_s"] === undefined ? 60 : numberOf(asked["timeout_s"], "timeout_s");
  return commandCase(textOf(asked["command"], "command"), seconds * 1_000);
}

/** Asks for it piece by piece, and touches none. */
const ALLOCATING = `"${process.execPath}" -e "const all = []; while (all.length < 64) all.push(Buffer.alloc(2 ** 30))"`;

async function commandCase(command: string, timeoutMs: number): Promise<unknown> {
  const folder = await mkdtemp(join(tmpdir(), "evander-limit-"));
  try {
    const end = await shell(command === ALLOCATE ? ALLOCATING : command, folder, timeoutMs);
    const survivors = markedBy(folder).length;
    if (command === ALLOCATE)
      return { failed: end.code !== 0, told: limitNote(end.output.text(), USUAL_LIMITS) !== undefined };
    // Output without end is stopped before the clock is, where a machine is fast.
    return command.includes("setsid")
      ? { survivors }
      : { stopped: ["timeout", "flooded"].includes(end.type), survivors };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** As the terminal runs it. */
function shell(command: string, folder: string, timeoutMs: number): Promise<CommandEnd> {
  const env = { PATH: process.env["PATH"] ?? "", [MARKER]: folder };
  return runCommand({
    launch: { file: SHELL, args: ["-c", command], cwd: folder, env },
    limits: USUAL_LIMITS,
    marker: folder,
    timeoutMs,
    signal: new AbortController().signal,
    onOutput: () => undefined,
  });
}

/** A model that makes the same call again and again. */
async function sameCalls(count: number): Promise<unknown> {
  const steps = Array.from({ length: count }, (_, at) =>
    callTools([{ id: `c${at}`, name: "echo", arguments: { text: "again" } }]),
  );
  const { result, facts } = await runScripted({ steps: [...steps, say("Done.")], tools: [echo], user: "go" });
  const [first, ...later] = facts.flatMap((fact) => (fact.type === "receipt" ? [wordsOf(fact.message)] : []));
  const noticed = later.every((text) => text !== first && text.includes("same arguments"));
  return { stopped: result.exit.reason === "guardrail_halt", noticed };
}

/** A day whose limit one turn has used up. */
async function spentCap(cap: number, spent: number): Promise<unknown> {
  const usage = { prompt_tokens: 1_000, completion_tokens: 0 };
  const prices = { input: spent * 1_000, output: 0, asOf: "2026-11-01", source: "a list" };
  await using world = await bench(reply({ text: "Done.", usage }));
  const facts = { provider: "custom", model: "fake-1", input: ["text"], quirks: [], prices } as const;
  const bot = world.agent({ facts, maxDayCost: cap });
  await bot.run("go");
  const before = world.provider.requests.length;
  const { exit, error } = await bot.run("go on", { sessionId: "another" });
  return {
    requests: world.provider.requests.length - before,
    refused: exit.reason === "money_limit",
    noticed: (error?.message ?? "") !== "",
  };
}
