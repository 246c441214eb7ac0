import type { Readable, Writable } from "node:stream";

/** The program's edges: text for machines goes to `stdout`, everything else to `stderr`. */
export interface Io {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Writable & { readonly isTTY?: boolean };
  readonly stderr: Writable & { readonly isTTY?: boolean };
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  /** Tells of SIGINT and SIGTERM; returns how to stop listening. */
  readonly onSignal: (listener: (signal: "SIGINT" | "SIGTERM") => void) => () => void;
}

export const say = (stream: Writable, line: string): void => {
  stream.write(`${line}\n`);
};

/** The whole of a stream as text. */
export async function readAll(stream: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(Buffer.from(chunk as Uint8Array));
  return Buffer.concat(chunks).toString("utf8");
}
