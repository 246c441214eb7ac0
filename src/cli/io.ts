import type { Readable, Writable } from "node:stream";
import { printable } from "../session/plain-text.ts";
import type { DrawingRoom } from "../session/picture/draw.ts";

export interface Input extends Readable {
  readonly isTTY?: boolean;
  /** A terminal's: keys come one by one, and are not echoed. */
  setRawMode?(mode: boolean): unknown;
}

export interface Screened extends Writable {
  readonly isTTY?: boolean;
  /** Width of a terminal in characters. */
  readonly columns?: number;
  readonly rows?: number;
}

/** SIGHUP: the terminal was closed. */
export const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
export type Signal = (typeof SIGNALS)[number];

/** The program's edges: text for machines goes to `stdout`, everything else to `stderr`. */
export interface Io {
  readonly stdin: Input;
  readonly stdout: Screened;
  readonly stderr: Screened;
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  /** The home folder of whoever runs the program. */
  readonly home: string;
  readonly platform: NodeJS.Platform;
  /** Where an administrator's config lies. */
  readonly systemFolder: string;
  /** Tells of signals that end what goes on; returns how to stop listening. */
  readonly onSignal: (listener: (signal: Signal) => void) => () => void;
  /** Is called when the process ends, however it does; returns how to take that back. */
  readonly onExit: (restore: () => void) => () => void;
  /** Gives the terminal back to the shell, as Ctrl-Z does; `resumed` is called when the shell has returned it. */
  readonly suspend: (resumed: () => void) => void;
}

/** A model's text commands no terminal; to a file or a program it goes as it is. */
export const forStdout = ({ stdout }: Pick<Io, "stdout">, text: string): string =>
  stdout.isTTY === true ? printable(text) : text;

/** A line; whatever is in it, it commands no terminal. */
export const say = (stream: Screened, line: string): void => {
  stream.write(`${stream.isTTY === true ? printable(line) : line}\n`);
};

/** Many lines in one piece: as many writes as lines would take longer than what they say. */
export const sayAll = (stream: Screened, lines: readonly string[]): void => {
  if (lines.length > 0) say(stream, lines.join("\n"));
};

/** JSON that is one line to whoever splits lines, and the same to a terminal: what breaks or commands them is escaped. */
export const sayJson = ({ stdout }: Pick<Io, "stdout">, value: unknown, indent?: number): void => {
  const text = JSON.stringify(value, undefined, indent);
  say(
    stdout,
    text.replaceAll(UNSAFE, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`),
  );
};

const UNSAFE = /[\u007F-\u009F\u2028-\u202E\u2066-\u2069]/gu;

/** What a drawing may take: all signs and the whole width of a terminal, else ASCII in 80 columns. */
export function drawingRoom(screen: Screened, env: NodeJS.ProcessEnv): DrawingRoom {
  const terminal = screen.isTTY === true && env["TERM"] !== "dumb";
  return { columns: (terminal && screen.columns) || 80, plain: !terminal || (env["NO_COLOR"] ?? "") !== "" };
}

/** The whole of a stream as text. */
export async function readAll(stream: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(Buffer.from(chunk as Uint8Array));
  return Buffer.concat(chunks).toString("utf8");
}
