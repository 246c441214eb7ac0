import type { ToolContext } from "../../protocol/tool.ts";
import type { ProcessDesk } from "../processes/desk.ts";
import { markerOf } from "../processes/handle.ts";
import { named, standing } from "../processes/process-words.ts";
import type { Backend } from "./backend.ts";
import { MARKER } from "./process-tree.ts";
import type { Request } from "./request.ts";
import { limitsOf, type TerminalSettings } from "./settings.ts";

export interface BackgroundStart {
  readonly env: Readonly<Record<string, string>>;
  readonly context: ToolContext;
  readonly settings: TerminalSettings;
  readonly backend: Backend;
  readonly desk: ProcessDesk;
}

/** Starts a command beside the conversation and comes back at once. */
export async function startBackground(
  { command, cwd, pty, unsandboxed }: Request,
  { env, context, settings, backend, desk }: BackgroundStart,
): Promise<string> {
  const { sessionId, turnId, iteration, callId } = context;
  const call = { sessionId, turnId, iteration, callId };
  const marker = markerOf(call);
  const marked = { ...env, [MARKER]: marker };
  const launch = await backend.launch({ sessionId, command, cwd, env: marked, marker, unsandboxed });
  const process = await (
    await desk.open()
  ).start({
    call,
    command,
    cwd,
    launch: { ...launch, pty, input: true },
    limits: limitsOf(settings),
    endElsewhere: backend.end && (async () => backend.end?.(sessionId, marker)),
  });
  const { id, pid = 0 } = process.handle;
  return `Started as ${id} (pid ${pid}). It goes on beside this conversation and ends with it; you are told when it ends. Use process to poll ${id}, wait for it, write to it or kill it.`;
}

/** What is known of a start that a process which died had recorded. Nothing is started. */
export async function resumeBackground(desk: ProcessDesk | undefined, context: ToolContext): Promise<string> {
  const { sessionId, turnId, iteration, callId } = context;
  const processes = await desk?.open();
  const found = processes?.resume({ sessionId, turnId, iteration, callId });
  if (found === undefined || found.type === "unknown")
    return "This program was interrupted while it started this command. Nothing of it runs now: it had not begun, or has ended. It was not started again.";
  found.process.isTold = true;
  return `Started before this program was interrupted, and not again: ${named(found.process)} ${standing(found.process, Date.now())}.`;
}
