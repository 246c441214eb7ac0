import { statSync } from "node:fs";
import type { ResultJudgement, Tool, ToolContext } from "../../protocol/tool.ts";
import { commandEnvironment } from "./command-environment.ts";
import { commandPlace } from "../command-policy/place.ts";
import type { PlannedCommand, planCommand } from "../command-policy/plan-command.ts";
import { exitNote } from "./exit-note.ts";
import { canonicalPath, PathError, shownPath, type Place } from "../paths.ts";
import { runCommand, type CommandEnd } from "./run-command.ts";

// Seconds; Hermes §16. More than the maximum is an error, not a shorter wait.
const DEFAULT_TIMEOUT_S = 180;
const MAX_TIMEOUT_S = 600;

/** Runs one shell command to its end. What is not plainly read-only needs a person's yes. */
export function terminalTool(place: Place, own: NodeJS.ProcessEnv): Tool {
  let policy: typeof planCommand | undefined;
  // A parser of shell syntax takes longer to load than all other tools, and most prompts run no command.
  const ready = async (): Promise<void> => {
    policy = (await import("../command-policy/plan-command.ts")).planCommand;
  };
  const planned = ({ command, cwd }: Request): PlannedCommand => {
    if (policy === undefined) throw new Error("The rules for commands are not loaded.");
    return policy(command, commandPlace(place, cwd), commandEnvironment(own, place.cwd, true));
  };
  return {
    name: "terminal",
    description:
      "Run a shell command (bash) and return its exit code and output (both streams in order; a long output keeps its " +
      "beginning and end). Each call is a new shell in the working folder, without input and without your variables. " +
      "Commands that only read run at once, others ask the user. Not for background or interactive programs.",
    parameters: {
      type: "object",
      properties: {
        command: { type: "string", description: "The command line." },
        cwd: { type: "string", description: "Folder to run in. Default: the working folder." },
        timeout_s: {
          type: "number",
          minimum: 1,
          maximum: MAX_TIMEOUT_S,
          description: `Seconds until it is stopped. Default ${DEFAULT_TIMEOUT_S}.`,
        },
      },
      required: ["command"],
      additionalProperties: false,
    },
    effect: "effect",
    concurrency: "exclusive",
    ready,
    verdict: (input) => planned(read(input, place)).verdict,
    judge,
    run: async (input, context) => {
      await ready();
      const request = read(input, place);
      return run(request, planned(request), { place, own, context });
    },
  };
}

interface Request {
  readonly command: string;
  readonly cwd: string;
  readonly timeoutMs: number;
}

function read(input: Readonly<Record<string, unknown>>, place: Place): Request {
  const cwd = typeof input["cwd"] === "string" ? canonicalPath(input["cwd"], place) : place.cwd;
  return {
    command: String(input["command"]),
    cwd,
    timeoutMs: Number(input["timeout_s"] ?? DEFAULT_TIMEOUT_S) * 1_000,
  };
}

interface Surroundings {
  readonly place: Place;
  readonly own: NodeJS.ProcessEnv;
  readonly context: ToolContext;
}

async function run(request: Request, { verdict, runs }: PlannedCommand, around: Surroundings): Promise<string> {
  const { cwd, timeoutMs } = request;
  const { place, own, context } = around;
  if (verdict.type === "deny") throw new Error(verdict.why);
  // Nothing is judged between this and the start: who has said yes to another plan has not said yes to this one.
  if (context.approvedPlan !== undefined && verdict.type === "ask" && verdict.plan?.digest !== context.approvedPlan)
    throw new Error("What this command would do changed after it was agreed to, so it was not run. Call it again.");
  if (statSync(cwd, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw new PathError(`${shownPath(cwd, place)} is no folder, so the command was not run.`);
  }
  const end = await runCommand({
    command: runs,
    cwd,
    env: commandEnvironment(own, place.cwd, verdict.type === "ask"),
    timeoutMs,
    signal: context.signal,
    onOutput: (text) => context.output(text),
  });
  const text = `${headline(end, runs)}\n${end.output === "" ? "(no output)" : end.output}`;
  if (end.type === "exited") return text;
  throw new Error(text);
}

/** The headline says how it ended, and how long it took, which is different every time. */
function judge(result: string): ResultJudgement {
  return { failed: !result.startsWith("Exit code 0 "), substance: result.replace(/ after \d+\.\d s\.$/mu, "") };
}

function headline(end: CommandEnd, command: string): string {
  const seconds = `${(end.ms / 1_000).toFixed(1)} s`;
  switch (end.type) {
    case "exited": {
      if (end.code === null) return `Killed by ${end.killedBy ?? "a signal"} after ${seconds}.`;
      const note = exitNote(command, end.code);
      return `Exit code ${end.code}${note === undefined ? "" : ` (${note})`} after ${seconds}.`;
    }
    case "timeout":
      return `Stopped after ${seconds}: the timeout was reached. Give a larger timeout_s, at most ${MAX_TIMEOUT_S}, or do less at once.`;
    case "interrupted":
      return `Stopped by the user after ${seconds}.`;
    case "flooded":
      return `Stopped after ${seconds}: it wrote too much output. Limit it, for example with head.`;
    case "unknown":
      return `Killed after ${seconds}, but the process did not go away.`;
  }
}
