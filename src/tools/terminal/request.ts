import { canonicalPath, type Place } from "../paths.ts";
import { wrapBackground } from "./compound-background.ts";
import type { PtySize } from "./launch.ts";
import { MAX_TIMEOUT_S, type TerminalSettings, timeoutOf } from "./settings.ts";

/** What a call asks for, as it is judged, shown and run. */
export interface Request {
  readonly command: string;
  readonly cwd: string;
  readonly timeoutMs: number;
  readonly background: boolean;
  readonly pty: PtySize | undefined;
  /** It is to run without the sandbox. */
  readonly unsandboxed: boolean;
}

const USUAL_SIZE: PtySize = { cols: 120, rows: 30 };

/** The arguments of the tool, as JSON Schema. */
export const terminalParameters = (
  settings: TerminalSettings,
  hasSandbox: boolean,
): Readonly<Record<string, unknown>> => ({
  type: "object",
  properties: {
    command: { type: "string", description: "The command line." },
    cwd: { type: "string", description: "Folder to run in. Default: the working folder." },
    timeout_s: {
      type: "number",
      minimum: 0,
      maximum: MAX_TIMEOUT_S,
      description: `Seconds until it is stopped. Default ${timeoutOf(settings, undefined)}.`,
    },
    background: {
      type: "boolean",
      description: "Come back at once, for servers and watchers; see process.",
    },
    pty: { type: "boolean", description: "Give it a terminal, where it needs one." },
    cols: { type: "integer", minimum: 20, maximum: 500, description: "Its width." },
    rows: { type: "integer", minimum: 5, maximum: 200, description: "Its height." },
    ...(hasSandbox && { unsandboxed: UNSANDBOXED }),
  },
  required: ["command"],
  additionalProperties: false,
});

const UNSANDBOXED = {
  type: "boolean",
  description: "Run it without the sandbox, where it needs the network or files elsewhere; the user is asked.",
};

export function readRequest(
  input: Readonly<Record<string, unknown>>,
  place: Place,
  settings: TerminalSettings,
): Request {
  const { cwd, timeout_s: asked, background, pty, cols = USUAL_SIZE.cols, rows = USUAL_SIZE.rows } = input;
  return {
    // Before it is judged: what is judged is what runs.
    command: wrapBackground(String(input["command"])),
    cwd: typeof cwd === "string" ? canonicalPath(cwd, place) : place.cwd,
    timeoutMs: timeoutOf(settings, asked === undefined ? undefined : Number(asked)) * 1_000,
    background: background === true,
    pty: pty === true ? { cols: Number(cols), rows: Number(rows) } : undefined,
    unsandboxed: input["unsandboxed"] === true,
  };
}
