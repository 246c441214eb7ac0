import { createHash } from "node:crypto";
import type { Verdict } from "../../protocol/approval.ts";
import type { Sandbox, SandboxState } from "../../protocol/sandbox.ts";
import type { ResultJudgement, Tool } from "../../protocol/tool.ts";
import { type Place, printable } from "../paths.ts";
import { commandEnvironment } from "../terminal/command-environment.ts";
import { MAX_TIMEOUT_S, type TerminalSettings } from "../terminal/settings.ts";
import { type Interpreter, interpretersIn, type Language } from "./languages.ts";
import { CALLED, MOST_CALLS, type Script } from "./script.ts";

/** Seconds (hermes.md §16). */
const USUAL_TIMEOUT_S = 300;

export interface ScriptOptions {
  readonly place: Place;
  /** Our own environment; scripts get of it what commands do. */
  readonly own: NodeJS.ProcessEnv;
  /** What was set of commands: scripts run under the same limits, and only where commands run on this machine. */
  readonly settings?: TerminalSettings | undefined;
  /** How long a script may run that says nothing of it, seconds. */
  readonly timeoutS?: number | undefined;
  /** Absent: nothing is confined. */
  readonly sandbox?: Sandbox | undefined;
}

/** Runs a script that can call tools of the session: many calls, of which the model reads only what is printed (row E9). */
export function executeCodeTool({
  place,
  own,
  settings = {},
  timeoutS = USUAL_TIMEOUT_S,
  sandbox,
}: ScriptOptions): Tool {
  const env = commandEnvironment(own, { cwd: place.cwd, asked: true, pass: settings.pass });
  const found = interpretersIn(env["PATH"] ?? "");
  let state: SandboxState | undefined;
  const ready = async (): Promise<void> => {
    state ??= await sandbox?.state();
  };
  const read = (input: Readonly<Record<string, unknown>>): Script => {
    const interpreter = found.find(({ language }) => language === input["language"]);
    if (interpreter === undefined) throw new Error(`Scripts in ${String(input["language"])} cannot be run here.`);
    const seconds = typeof input["timeout_s"] === "number" ? input["timeout_s"] : timeoutS;
    return { ...interpreter, code: String(input["code"]).toWellFormed(), cwd: place.cwd, timeoutMs: seconds * 1_000 };
  };
  return {
    name: "execute_code",
    toolset: "code",
    available: () => whyNot(found, settings),
    description: describe(found),
    parameters: {
      type: "object",
      properties: {
        language: { type: "string", enum: found.map(({ language }) => language) },
        code: { type: "string", description: "The whole script." },
        timeout_s: {
          type: "number",
          minimum: 1,
          maximum: MAX_TIMEOUT_S,
          description: `Seconds until it is stopped. Default ${timeoutS}.`,
        },
      },
      required: ["language", "code"],
      additionalProperties: false,
    },
    effect: "effect",
    concurrency: "exclusive",
    ready,
    verdict: (input) => verdictOf(read(input), state),
    reaches: () => (state?.type === "on" ? undefined : { type: "send", to: "whatever its script reaches" }),
    changes: () => [place.cwd],
    judge,
    run: async (input, context) => {
      await ready();
      const { runScript } = await import("./run-script.ts");
      return runScript(read(input), { env, context, settings, sandbox });
    },
  };
}

function whyNot(found: readonly Interpreter[], { backend }: TerminalSettings): string | undefined {
  if (backend !== undefined && backend.type !== "local")
    return `commands run elsewhere (terminal.backend: ${backend.type}), and a script would run on this machine`;
  return found.length === 0 ? "there is neither python3 nor node on this machine" : undefined;
}

const EXAMPLES: Readonly<Record<Language, string>> = {
  python: 'python: text = read_file("a.txt", limit=20); a failed call raises ToolError.',
  javascript: 'javascript (a module): const text = await read_file("a.txt", { limit: 20 }); a failed call throws.',
};

const describe = (found: readonly Interpreter[]): string =>
  "Run a script that calls your tools, for work with many calls or much text: you see only what it prints. It starts in " +
  `the working folder. Those of these tools that you have are functions in it: ${CALLED.join(", ")}; they take the ` +
  `tool's arguments and return its text. At most ${MOST_CALLS} calls; what would ask the user fails there. ` +
  found.map(({ language }) => EXAMPLES[language]).join(" ");

/** A script can do anything: it runs unasked where the system sees to it that it cannot. */
function verdictOf(script: Script, state: SandboxState | undefined): Verdict {
  if (state?.type === "on") return { type: "auto" };
  if (state?.type === "missing") return { type: "deny", why: `${state.why}. ${state.next}` };
  const { language, file, code, cwd, timeoutMs } = script;
  const why = `It runs a ${NAMES[language]} script, which can do whatever you can.`;
  const bound = JSON.stringify([1, language, file, code, cwd, timeoutMs]);
  // The script itself is an argument of the call, which whoever is asked sees whole.
  const shown = [
    `In ${printable(cwd)}`,
    `Runs ${printable(file)} with the code of this call, for ${timeoutMs / 1_000} s at most`,
  ];
  const digest = createHash("sha256").update(bound).digest("hex");
  return { type: "ask", why, plan: { digest, shown, parts: [{ why, words: [] }] } };
}

const NAMES: Readonly<Record<Language, string>> = { python: "Python", javascript: "JavaScript" };

/** The headline says how it ended, and how long it took, which is different every time. */
function judge(result: string): ResultJudgement {
  return { failed: !result.startsWith("Exit code 0 "), substance: result.replace(/ after \d+\.\d s;/u, ";") };
}
