import { statSync } from "node:fs";
import type { Sandbox } from "../../protocol/sandbox.ts";
import type { ResultJudgement, Tool, ToolContext } from "../../protocol/tool.ts";
import type { PlannedCommand, planCommand } from "../command-policy/plan-command.ts";
import { commandPlace } from "../command-policy/place.ts";
import { once } from "../once.ts";
import { firstOutside, isInside, PathError, shownPath, type Place } from "../paths.ts";
import type { ProcessDesk } from "../processes/desk.ts";
import { openBackend } from "./backend.ts";
import { commandEnvironment } from "./command-environment.ts";
import { findShell, noShell } from "./find-shell.ts";
import type { Around } from "./in-foreground.ts";
import { NEVER_ASK } from "./interactive.ts";
import { outsideOf } from "./outside-sandbox.ts";
import { readRequest, type Request, terminalParameters } from "./request.ts";
import { placeOf, type TerminalSettings } from "./settings.ts";

export interface TerminalOptions {
  readonly place: Place;
  /** Our own environment; commands get an allowed part of it. */
  readonly own: NodeJS.ProcessEnv;
  readonly settings?: TerminalSettings;
  /** Absent: nothing runs in the background. */
  readonly desk?: ProcessDesk | undefined;
  /** Stands around commands that run on this machine; absent: nothing does. */
  readonly sandbox?: Sandbox | undefined;
}

/** Runs one shell command to its end. What is not plainly read-only needs a person's yes. */
export function terminalTool({ place, own, settings = {}, desk, sandbox }: TerminalOptions): Tool {
  let policy: typeof planCommand | undefined;
  // A parser of shell syntax takes longer to load than all other tools, and most prompts run no command.
  const ready = async (): Promise<void> => {
    policy = (await import("../command-policy/plan-command.ts")).planCommand;
  };
  const hasSandbox = sandbox !== undefined && (settings.backend?.type ?? "local") === "local";
  const environment = (asked: boolean): Record<string, string> =>
    commandEnvironment(own, { cwd: place.cwd, asked, pass: settings.pass });
  const backend = once(async () => {
    const opened = await openBackend(settings.backend, { cwd: place.cwd, own, sandbox });
    desk?.endsWith(async (sessionId) => opened.leave?.(sessionId));
    return opened;
  });
  const read = (input: Readonly<Record<string, unknown>>): Request => readRequest(input, place, settings);
  const planned = ({ command, cwd, background, unsandboxed }: Request): PlannedCommand => {
    if (policy === undefined) throw new Error("The rules for commands are not loaded.");
    const env = environment(true);
    const plan = policy(command, { ...commandPlace(place, cwd, env), background }, env);
    return unsandboxed && hasSandbox ? outsideOf(plan, cwd) : plan;
  };
  return {
    name: "terminal",
    toolset: "terminal",
    available: () => noShell(findShell()),
    description:
      "Run a shell command (bash) and return its exit code and output (both streams in order; a long output keeps its " +
      "beginning and end). Each call is a new shell in the working folder, without input and without your variables. " +
      "Commands that only read run at once, others ask the user." +
      placeOf(settings.backend),
    parameters: terminalParameters(settings, hasSandbox),
    effect: ({ background }) => (background === true ? "resumable" : "effect"),
    concurrency: "exclusive",
    ready,
    ...looking(read, planned, place),
    changes: (input, { asked }) => {
      // What runs unasked only reads.
      if (!asked) return [];
      const { cwd } = read(input);
      return [isInside(place.cwd, cwd) ? place.cwd : cwd];
    },
    judge,
    run: async (input, context) => {
      await ready();
      const request = read(input);
      const { verdict, runs } = allowed(planned(request), context);
      if (statSync(request.cwd, { throwIfNoEntry: false })?.isDirectory() !== true)
        throw new PathError(`${shownPath(request.cwd, place)} is no folder, so the command was not run.`);
      const env = { ...environment(verdict.type === "ask"), ...NEVER_ASK };
      const around = { env, context, settings, backend: await backend() };
      return start({ ...request, command: runs }, around, desk);
    },
    resume: async (_input, context) => (await import("./start-background.ts")).resumeBackground(desk, context),
  };
}

/** What a call reaches is asked right behind its verdict, of the same plan: planning looks at the disk. */
function looking(
  read: (input: Readonly<Record<string, unknown>>) => Request,
  planned: (request: Request) => PlannedCommand,
  place: Place,
): Required<Pick<Tool, "verdict" | "reaches" | "outside">> {
  const looks = new WeakMap<object, PlannedCommand>();
  return {
    verdict: (input) => {
      const plan = planned(read(input));
      looks.set(input, plan);
      return plan.verdict;
    },
    reaches: (input) => {
      const { isOutward } = looks.get(input) ?? planned(read(input));
      return isOutward ? { type: "send", to: "the network" } : undefined;
    },
    outside: (input) => {
      const request = read(input);
      const { reaches } = looks.get(input) ?? planned(request);
      return firstOutside([...reaches, request.cwd], place, request.cwd);
    },
  };
}

/** Nothing is judged between this and the start: who has said yes to another plan has not said yes to this one. */
function allowed(plan: PlannedCommand, { approved, approvedPlan, byRules }: ToolContext): PlannedCommand {
  const { verdict } = plan;
  if (verdict.type === "deny") throw new Error(verdict.why);
  if (verdict.type === "auto") return plan;
  const isAgreed =
    approvedPlan === undefined ? (approved ?? byRules) !== undefined : verdict.plan?.digest === approvedPlan;
  if (!isAgreed)
    throw new Error("What this command would do changed after it was agreed to, so it was not run. Call it again.");
  return plan;
}

async function start(request: Request, around: Around, desk: ProcessDesk | undefined): Promise<string> {
  const { hasPty, where = "elsewhere" } = around.backend;
  if (request.pty !== undefined && !hasPty)
    throw new Error(`Not run: commands run ${where}, where they can be given no terminal. Run it without pty.`);
  if (!request.background) return (await import("./in-foreground.ts")).inForeground(request, around);
  if (desk === undefined)
    throw new Error("Not run: nothing can run in the background here. Run it without background.");
  return (await import("./start-background.ts")).startBackground(request, { ...around, desk });
}

/** The headline says how it ended, and how long it took, which is different every time. */
function judge(result: string): ResultJudgement {
  return {
    failed: !/^(?:Exit code 0 |Started )/u.test(result),
    substance: result.replace(/ after \d+\.\d s\.$/mu, ""),
  };
}
