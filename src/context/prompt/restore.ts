import type { ModelName } from "../../protocol/ports.ts";
import type { PromptState } from "../../protocol/prompt.ts";
import type { StoredPrompt } from "../../protocol/store.ts";
import { lastOf, workingFolderLine } from "./session-lines.ts";
import { shownPath } from "./shown-path.ts";

/** What runs the turns of a session now. */
export interface Running {
  readonly model: ModelName;
  /** Where its tools work; undefined: nobody says. */
  readonly cwd?: string | undefined;
  /** The whole prompt in the words of the program that runs it; undefined: it leaves that to us. */
  readonly given?: string | undefined;
}

/** What becomes of a stored prompt (row A8): only one that is `present` is sent again. Nothing is read but its text. */
export function judgePrompt(stored: StoredPrompt, running: Running): PromptState | "present" {
  if (stored.state !== "present") return stored.state;
  if (running.given !== undefined) return running.given === stored.text ? "present" : "stale_system";
  return isOfRuntime(stored.text, running) ? "present" : "stale_runtime";
}

/** Whether a prompt that says who is asked says so of this runtime; one that does not say it fits any. */
function isOfRuntime(prompt: string, { model, cwd }: Omit<Running, "given">): boolean {
  const fits = (said: string, now: string): boolean => said === "" || now === "" || said === now;
  return (
    fits(lastOf(prompt, "Model"), model.model) &&
    fits(lastOf(prompt, "Provider"), model.provider) &&
    (cwd === undefined || worksIn(prompt, cwd))
  );
}

/** Another line of the kind may stand in a file that is told of. */
function worksIn(prompt: string, cwd: string): boolean {
  const lines = prompt.split("\n");
  return (
    lines.includes(workingFolderLine(shownPath(cwd))) || !lines.some((line) => line.startsWith(workingFolderLine("")))
  );
}

/** The day on which the conversation began, as an earlier prompt says it; empty: none says so. */
export const startOf = (stored: StoredPrompt): string =>
  stored.state === "present" ? lastOf(stored.text, "Conversation started") : "";

interface LogLine {
  readonly level: "debug" | "info" | "warn";
  readonly line: string;
  readonly fields: Readonly<Record<string, string | number>>;
}

const LINES: Readonly<Record<PromptState | "present", string>> = {
  present: "the stored prompt is sent again, byte for byte",
  missing: "a new session: its prompt is built",
  null: "no prompt is kept with this session, which an older version began or which was taken over: one is built now",
  empty: "the prompt that is kept with this session is empty: one is built now",
  stale_runtime: "the stored prompt was built for another model or folder: one is built",
  stale_system: "the program says another prompt than the stored one: its word holds",
};

/** The line of a state for the log; each has its own. */
export function promptLine(
  state: PromptState | "present",
  { sessionId, messages }: { readonly sessionId: string; readonly messages: number },
): LogLine {
  const isOdd = state === "empty" || (state === "null" && messages > 0);
  const isUsual = state === "present" || state === "missing";
  return {
    level: isOdd ? "warn" : isUsual ? "debug" : "info",
    line: `${LINES[state]} (prompt ${state}, session ${sessionId}, messages ${messages})`,
    fields: { event: "prompt", state, session: sessionId, messages },
  };
}
