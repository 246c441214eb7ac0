import { randomBytes } from "node:crypto";
import { statSync } from "node:fs";
import type { ResultJudgement, Tool, ToolContext } from "../../protocol/tool.ts";
import type { PlannedCommand, planCommand } from "../command-policy/plan-command.ts";
import { commandPlace } from "../command-policy/place.ts";
import { isInside, PathError, shownPath, type Place } from "../paths.ts";
import { type Backend, openBackend } from "./backend.ts";
import { commandEnvironment } from "./command-environment.ts";
import { endText } from "./foreground.ts";
import { NEVER_ASK } from "./interactive.ts";
import { MARKER } from "./process-tree.ts";
import { readRequest, type Request, terminalParameters } from "./request.ts";
import { runCommand } from "./run-command.ts";
import { limitsOf, placeOf, type TerminalSettings } from "./settings.ts";

export interface TerminalOptions {
  readonly place: Place;
  /** Our own environment; commands get an allowed part of it. */
  readonly own: NodeJS.ProcessEnv;
  readonly settings?: TerminalSettings;
}

/** Runs one shell command to its end. What is not plainly read-only needs a person's yes. */
export function terminalTool({ place, own, settings = {} }: TerminalOptions): Tool {
  let policy: typeof planCommand | undefined;
  // A parser of shell syntax takes longer to load than all other tools, and most prompts run no command.
  const ready = async (): Promise<void> => {
    policy = (await import("../command-policy/plan-command.ts")).planCommand;
  };
  const environment = (asked: boolean): Record<string, string> =>
    commandEnvironment(own, { cwd: place.cwd, asked, pass: settings.pass });
  const backend = once(() => openBackend(settings.backend, { cwd: place.cwd, own }));
  const read = (input: Readonly<Record<string, unknown>>): Request => readRequest(input, place, settings);
  const planned = ({ command, cwd, background }: Request): PlannedCommand => {
    if (policy === undefined) throw new Error("The rules for commands are not loaded.");
    const env = environment(true);
    return policy(command, { ...commandPlace(place, cwd, env), background }, env);
  };
  return {
    name: "terminal",
    toolset: "terminal",
    description:
      "Run a shell command (bash) and return its exit code and output (both streams in order; a long output keeps its " +
      "beginning and end). Each call is a new shell in the working folder, without input and without your variables. " +
      "Commands that only read run at once, others ask the user." +
      placeOf(settings.backend),
    parameters: terminalParameters(settings),
    effect: "effect",
    concurrency: "exclusive",
    ready,
    verdict: (input) => planned(read(input)).verdict,
    changes: (input) => {
      const request = read(input);
      return planned(request).verdict.type === "auto"
        ? []
        : [isInside(place.cwd, request.cwd) ? place.cwd : request.cwd];
    },
    judge,
    run: async (input, context) => {
      await ready();
      const request = read(input);
      const { verdict, runs } = allowed(planned(request), context);
      if (statSync(request.cwd, { throwIfNoEntry: false })?.isDirectory() !== true)
        throw new PathError(`${shownPath(request.cwd, place)} is no folder, so the command was not run.`);
      const env = { ...environment(verdict.type === "ask"), ...NEVER_ASK };
      return inForeground({ ...request, command: runs }, { env, context, settings, backend: await backend() });
    },
  };
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => (made ??= make());
}

/** Nothing is judged between this and the start: who has said yes to another plan has not said yes to this one. */
function allowed(plan: PlannedCommand, { approvedPlan }: ToolContext): PlannedCommand {
  const { verdict } = plan;
  if (verdict.type === "deny") throw new Error(verdict.why);
  if (approvedPlan !== undefined && verdict.type === "ask" && verdict.plan?.digest !== approvedPlan)
    throw new Error("What this command would do changed after it was agreed to, so it was not run. Call it again.");
  return plan;
}

interface Around {
  readonly env: Readonly<Record<string, string>>;
  readonly context: ToolContext;
  readonly settings: TerminalSettings;
  readonly backend: Backend;
}

async function inForeground(request: Request, { env, context, settings, backend }: Around): Promise<string> {
  const { command, cwd, timeoutMs, pty } = request;
  const { sessionId, signal } = context;
  const marker = randomBytes(16).toString("hex");
  const limits = limitsOf(settings);
  if (pty !== undefined && !backend.hasPty)
    throw new Error(
      `The command was not run: it runs ${backend.where ?? "elsewhere"}, where it can be given no terminal. Run it without pty.`,
    );
  const launch = await backend.launch({ sessionId, command, cwd, env: { ...env, [MARKER]: marker }, marker });
  const end = await runCommand({
    launch: { ...launch, pty },
    limits,
    marker,
    timeoutMs,
    signal,
    onOutput: (text) => context.output(text),
    endElsewhere: backend.end && (async () => backend.end?.(sessionId, marker)),
  });
  const whole = end.output.whole();
  const file = whole === undefined ? undefined : await context.keep?.(whole);
  const text = endText(end, command, limits, file);
  if (end.type === "exited") return text;
  throw new Error(text);
}

/** The headline says how it ended, and how long it took, which is different every time. */
function judge(result: string): ResultJudgement {
  return { failed: !result.startsWith("Exit code 0 "), substance: result.replace(/ after \d+\.\d s\.$/mu, "") };
}
