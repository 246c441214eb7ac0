import { randomBytes } from "node:crypto";
import type { ToolContext } from "../../protocol/tool.ts";
import type { Backend } from "./backend.ts";
import { exitNote } from "./exit-note.ts";
import { inputNote } from "./interactive.ts";
import { type Limits, limitNote } from "./limits.ts";
import { MARKER, type Member } from "./process-tree.ts";
import type { Request } from "./request.ts";
import { type CommandEnd, runCommand } from "./run-command.ts";
import { limitsOf, MAX_TIMEOUT_S, type TerminalSettings } from "./settings.ts";

/** What a command is run with. */
export interface Around {
  readonly env: Readonly<Record<string, string>>;
  readonly context: ToolContext;
  readonly settings: TerminalSettings;
  readonly backend: Backend;
}

/** Runs a command to its end. Throws for one that was stopped; what it printed is in the message. */
export async function inForeground(request: Request, { env, context, settings, backend }: Around): Promise<string> {
  const { command, cwd, timeoutMs, pty, unsandboxed } = request;
  const { sessionId, signal } = context;
  const marker = randomBytes(16).toString("hex");
  const limits = limitsOf(settings);
  const marked = { ...env, [MARKER]: marker };
  const launch = await backend.launch({ sessionId, command, cwd, env: marked, marker, unsandboxed });
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
  const text = endText(end, { command, limits, file, isConfined: launch.release !== undefined });
  if (end.type === "exited") return text;
  throw new Error(text);
}

interface Told {
  readonly command: string;
  readonly limits: Limits;
  /** Where all of its output lies. */
  readonly file: string | undefined;
  readonly isConfined: boolean;
}

/** What programs say that meet the bounds of a sandbox. */
const AT_THE_BOUNDS =
  /Read-only file system|EROFS|Permission denied|EACCES|Operation not permitted|EPERM|Network is unreachable|ENETUNREACH|Could not resolve host|Temporary failure in name resolution|EAI_AGAIN|Failed to connect|No such file or directory/u;

const CONFINED =
  "[It ran in a sandbox: it writes in the working folder alone, sees little of the home folder and reaches no network. If that is why it failed, call it again with unsandboxed: true; the user is asked.]";

/** What a model is told of a command that has ended: how it ended, its output, and what it should know of both. */
function endText(end: CommandEnd, { command, limits, file, isConfined }: Told): string {
  const output = end.output.text(file);
  const failed = end.type !== "exited" || end.code !== 0;
  const notes = [
    leftNote(end.left),
    ...(failed
      ? [
          inputNote(output),
          end.killedBy === "SIGXFSZ" ? limitNote("EFBIG", limits) : limitNote(output, limits),
          isConfined && AT_THE_BOUNDS.test(output) ? CONFINED : undefined,
        ]
      : []),
  ].filter((note) => note !== undefined);
  const shown = output === "" ? "(no output)" : output;
  const gap = notes.length === 0 || shown.endsWith("\n") ? "" : "\n";
  return `${headline(end, command)}\n${shown}${gap}${notes.join("\n")}`;
}

/** Programs named of those that were left. */
const NAMED = 3;

function leftNote(left: readonly Member[]): string | undefined {
  if (left.length === 0) return undefined;
  const names = left.slice(0, NAMED).map(({ pid, command }) => `${command.slice(0, 80)} (pid ${pid})`);
  const more = left.length > NAMED ? ` and ${left.length - NAMED} more` : "";
  return `[When its shell had ended, this still ran and was ended: ${names.join(", ")}${more}. To keep something running, start it with background: true.]`;
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
      return `Stopped after ${seconds}: the timeout was reached. Give a larger timeout_s, at most ${MAX_TIMEOUT_S}, do less at once, or start it with background: true.`;
    case "interrupted":
      return `Stopped by the user after ${seconds}.`;
    case "flooded":
      return `Stopped after ${seconds}: it wrote too much output. Limit it, for example with head.`;
    case "unknown":
      return `Killed after ${seconds}, but the process did not go away.`;
  }
}
