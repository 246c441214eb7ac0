import type { TurnResult } from "../../../src/protocol/result.ts";
import { BY_FAILURE, CODES } from "../../properties/exit-table.ts";
import type { Invocation } from "./invocation.ts";

export interface Outcome {
  /** Null: it was killed. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly ms: number;
}

/** Nothing that fails takes longer, in ms. */
export const LONGEST_MS = 10_000;

/** What an outcome breaks of what every failing command line is promised; empty: it holds. */
export function breaches({ argv }: Pick<Invocation, "argv">, { code, stdout, stderr, ms }: Outcome): string[] {
  const found = [...streamBreaches(stdout, stderr), ...codeBreaches(code)];
  if (ms > LONGEST_MS) found.push(`it took ${Math.round(ms)} ms`);
  switch (formOf(argv, stdout)) {
    case "result":
      found.push(...resultBreaches(jsonOf(stdout.trimEnd()), code));
      break;
    case "lines":
      found.push(...linesBreaches(stdout, code));
      break;
    case "text":
      found.push(...textBreaches(stdout, stderr));
      break;
  }
  return found;
}

/** The form that was asked for in so many words; what is not parsed as one is text. */
function formOf(argv: readonly string[], stdout: string): "result" | "lines" | "text" {
  const end = argv.indexOf("--");
  const options = end < 0 ? argv : argv.slice(0, end);
  const at = options.findIndex((word) => word === "--output" || word.startsWith("--output="));
  const word = options[at] ?? "";
  const form = at < 0 ? "" : word === "--output" ? options[at + 1] : word.slice("--output=".length);
  if (form === "jsonl") return "lines";
  if (form === "json" || (form !== "text" && options.includes("--json"))) return "result";
  return stdout.startsWith("{") ? "result" : "text";
}

/** Nothing commands a terminal, and nobody sees a stack. */
function streamBreaches(stdout: string, stderr: string): string[] {
  const found: string[] = [];
  if (/[^\P{Cc}\n\t]/u.test(stderr)) found.push("stderr holds control characters");
  if (/^evander: ok/mu.test(stderr)) found.push("an argument writes a line of its own");
  if (/\n\s+at .+:\d+/u.test(stdout + stderr)) found.push("a stack is shown");
  if (stdout !== "" && !stdout.endsWith("\n")) found.push("stdout does not end with a line");
  return found;
}

const ALL = new Set<unknown>([...Object.values(CODES), ...Object.values(BY_FAILURE), 130, 143]);

function codeBreaches(code: number | null): string[] {
  if (code === null) return ["it was killed"];
  if (!ALL.has(code)) return [`${code} is no exit code of the table`];
  return code === 70 ? ["it is a defect of our own (70)"] : [];
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function resultBreaches(value: unknown, code: number | null): string[] {
  const result = value as TurnResult | undefined;
  if (result?.schema !== "evander.result.v1") return ["stdout is not one result object"];
  const { exit, error, ok } = result;
  const found: string[] = [];
  if (ok || error === null) return ["the result says that it went well"];
  if (exit.code !== code) found.push(`the result says ${exit.code}, and the process ${code}`);
  const table = CODES[exit.reason];
  const codes = table === "failure" ? Object.values(BY_FAILURE) : table === "interrupt" ? [130, 143] : [table];
  if (!codes.includes(exit.code)) found.push(`${exit.reason} has the code ${exit.code}`);
  if (error.message.trim() === "") found.push("it names no cause");
  if (error.next.length === 0) found.push(`it names no next step: ${error.code}: ${error.message}`);
  return found;
}

function linesBreaches(stdout: string, code: number | null): string[] {
  const lines = stdout
    .trimEnd()
    .split("\n")
    .map((line) => jsonOf(line) as { type?: string; seq?: number } | undefined);
  if (lines.some((line, at) => line?.seq !== at)) return ["the lines are not counted without a gap"];
  if (lines.at(-1)?.type !== "result") return ["the last line is no result"];
  return resultBreaches(lines.at(-1), code);
}

function textBreaches(stdout: string, stderr: string): string[] {
  const found: string[] = [];
  if (/^evander: /mu.test(stdout)) found.push("stdout tells of the error");
  if (!/^evander: [a-z_]+: \S/mu.test(stderr)) found.push("stderr names no cause");
  if (!/^ {2}(?:next|下一步): \S/mu.test(stderr)) found.push("stderr names no next step");
  return found;
}
