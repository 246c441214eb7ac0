import { parseArgs } from "node:util";
import { ADAPTERS } from "./adapters.ts";
import { CaseFileError, readCaseFile } from "./case-file.ts";
import { AGENT_LOOP_DEVIATIONS } from "./deviations/agent-loop.ts";
import { ANTHROPIC_DEVIATIONS } from "./deviations/anthropic.ts";
import { CHECKPOINT_DEVIATIONS } from "./deviations/checkpoint-restore.ts";
import { COMMAND_DEVIATIONS } from "./deviations/command-policy.ts";
import { FAILURE_DEVIATIONS } from "./deviations/failures.ts";
import { FALLBACK_DEVIATIONS } from "./deviations/fallback.ts";
import { FILE_DEVIATIONS } from "./deviations/files.ts";
import { GEMINI_AND_BEDROCK_DEVIATIONS } from "./deviations/gemini-and-bedrock.ts";
import { HISTORY_DEVIATIONS } from "./deviations/history.ts";
import { IMAGE_FALLBACK_DEVIATIONS } from "./deviations/image-fallback.ts";
import { IDLE_TIMEOUT_DEVIATIONS } from "./deviations/idle-timeout.ts";
import { LASTING_DEVIATIONS } from "./deviations/lasting.ts";
import { PATH_DEVIATIONS } from "./deviations/path.ts";
import { REDACTION_DEVIATIONS } from "./deviations/redaction.ts";
import { REPAIR_DEVIATIONS } from "./deviations/repairs.ts";
import { RESPONSES_DEVIATIONS } from "./deviations/responses.ts";
import { SAVE_DEVIATIONS } from "./deviations/save-turn.ts";
import { SHELL_GUARD_DEVIATIONS } from "./deviations/shell-guard.ts";
import { STORED_INPUT_DEVIATIONS } from "./deviations/stored-input.ts";
import { THINK_DEVIATIONS } from "./deviations/think.ts";
import { TURN_DEVIATIONS } from "./deviations/turn.ts";
import { humanReport, jsonReport } from "./report.ts";
import { type Candidate, runCases } from "./run-cases.ts";
import { TERMINAL_DEVIATIONS } from "./deviations/terminal.ts";
import { WAIT_DEVIATIONS } from "./deviations/waits.ts";
import { SYMBOLS } from "./symbols.ts";

const USAGE = "Usage: npm run conformance -- FILE.json [--area A,B] [--json]";

export const EVANDER: Candidate = {
  adapters: ADAPTERS,
  symbols: SYMBOLS,
  deviations: [
    ...AGENT_LOOP_DEVIATIONS,
    ...ANTHROPIC_DEVIATIONS,
    ...CHECKPOINT_DEVIATIONS,
    ...COMMAND_DEVIATIONS,
    ...FAILURE_DEVIATIONS,
    ...FALLBACK_DEVIATIONS,
    ...FILE_DEVIATIONS,
    ...GEMINI_AND_BEDROCK_DEVIATIONS,
    ...HISTORY_DEVIATIONS,
    ...IMAGE_FALLBACK_DEVIATIONS,
    ...IDLE_TIMEOUT_DEVIATIONS,
    ...PATH_DEVIATIONS,
    ...SHELL_GUARD_DEVIATIONS,
    ...LASTING_DEVIATIONS,
    ...REDACTION_DEVIATIONS,
    ...REPAIR_DEVIATIONS,
    ...RESPONSES_DEVIATIONS,
    ...SAVE_DEVIATIONS,
    ...STORED_INPUT_DEVIATIONS,
    ...THINK_DEVIATIONS,
    ...TURN_DEVIATIONS,
    ...TERMINAL_DEVIATIONS,
    ...WAIT_DEVIATIONS,
  ],
};

interface Output {
  readonly stdout: string;
  readonly stderr: string;
  /** 0 without a failed case, 1 with one, 2 when the file or the command line cannot be used. */
  readonly code: 0 | 1 | 2;
}

export async function conformance(args: readonly string[], candidate: Candidate = EVANDER): Promise<Output> {
  try {
    const { path, areas, json } = options(args);
    const results = await runCases(readCaseFile(path), candidate, areas);
    const failed = results.some(({ verdict }) => verdict.status === "fail");
    return { stdout: json ? jsonReport(results) : humanReport(results), stderr: "", code: failed ? 1 : 0 };
  } catch (error) {
    if (error instanceof CaseFileError) return { stdout: "", stderr: error.message, code: 2 };
    throw error;
  }
}

function options(args: readonly string[]): { path: string; areas: ReadonlySet<string> | undefined; json: boolean } {
  const { values, positionals } = parseOptions(args);
  const [path] = positionals;
  if (path === undefined || positionals.length > 1)
    throw new CaseFileError(`Exactly one case file is needed. ${USAGE}`);
  const areas = values.area?.flatMap((list) => list.split(",")).map((area) => area.trim());
  return { path, areas: areas === undefined ? undefined : new Set(areas), json: values.json ?? false };
}

function parseOptions(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { area: { type: "string", multiple: true }, json: { type: "boolean" } },
    });
  } catch (error) {
    throw new CaseFileError(`${error instanceof Error ? error.message : String(error)}. ${USAGE}`);
  }
}

/** Whoever reads the report may have seen enough. */
function ignoreBrokenPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== "EPIPE") throw error;
}

if (import.meta.main) {
  process.stdout.on("error", ignoreBrokenPipe);
  const { stdout, stderr, code } = await conformance(process.argv.slice(2));
  if (stderr !== "") process.stderr.write(`${stderr}\n`);
  if (stdout !== "") process.stdout.write(`${stdout}\n`);
  process.exitCode = code;
}
