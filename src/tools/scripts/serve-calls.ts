import { randomBytes, timingSafeEqual } from "node:crypto";
import { chmod, writeFile } from "node:fs/promises";
import { createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { isObject } from "../../protocol/json.ts";
import { reasonOf } from "../../protocol/reason-of.ts";
import type { ToolContext } from "../../protocol/tool.ts";
import { CALLED, MOST_CALLS } from "./script.ts";

export interface Serving extends AsyncDisposable {
  /** Where scripts call. */
  readonly socket: string;
  /** Calls so far. */
  readonly count: () => number;
}

/** Bytes of one call. */
const LONGEST_CALL = 8 * 1024 * 1024;
/** At once; a script makes fewer calls in all. */
const MOST_CONNECTIONS = 64;

/**
 * Serves calls of tools over a socket in a folder that its owner alone can enter. One connection is one call: a line of JSON
 * that holds the secret of this run, and a line for an answer. Whoever sends anything else is told so or cut off.
 */
export async function serveCalls(folder: string, context: ToolContext): Promise<Serving> {
  const socket = join(folder, "socket");
  const secret = randomBytes(32).toString("hex");
  await writeFile(join(folder, "connection.json"), JSON.stringify({ socket, secret }), { mode: 0o600, flag: "wx" });
  let count = 0;
  const open = new Set<Socket>();
  const answer = async (line: Buffer, signal: AbortSignal): Promise<Answered> => {
    const asked = readCall(line, secret);
    if (typeof asked === "string") return { ok: false, text: asked };
    const why = ++count > MOST_CALLS ? `A script can make ${MOST_CALLS} calls, and these were made.` : whyNot(asked);
    if (why !== undefined) return { ok: false, text: why };
    try {
      const call = context.call ?? noCalls;
      return { ok: true, text: (await call(asked.tool, asked.input, signal)).text };
    } catch (error) {
      return { ok: false, text: reasonOf(error) };
    }
  };
  const server = createServer((connection) => {
    open.add(connection);
    connection.once("close", () => open.delete(connection));
    serveOne(connection, answer);
  });
  server.maxConnections = MOST_CONNECTIONS;
  await listening(server, socket);
  await chmod(socket, 0o600);
  return {
    socket,
    count: () => Math.min(count, MOST_CALLS),
    [Symbol.asyncDispose]: async () => {
      const closed = new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
      for (const connection of open) connection.destroy();
      await closed;
    },
  };
}

interface Answered {
  readonly ok: boolean;
  readonly text: string;
}

const noCalls = (): Promise<never> => Promise.reject(new Error("There are no tools for scripts here."));

const listening = (server: Server, path: string): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(path, resolve);
  });

/** What one connection sends is read up to its first line; a call whose caller has gone is not waited for. */
function serveOne(connection: Socket, answer: (line: Buffer, signal: AbortSignal) => Promise<Answered>): void {
  const gone = new AbortController();
  const chunks: Buffer[] = [];
  let bytes = 0;
  const reply = (answered: Answered): void => {
    connection.end(`${JSON.stringify(answered)}\n`);
  };
  connection.once("close", () => gone.abort());
  // A client that breaks off has closed as well.
  connection.on("error", () => undefined);
  connection.on("data", function take(chunk: Buffer) {
    const end = chunk.indexOf(10);
    const part = end < 0 ? chunk : chunk.subarray(0, end);
    bytes += part.length;
    chunks.push(part);
    if (end < 0 && bytes <= LONGEST_CALL) return;
    connection.off("data", take);
    // Whatever follows is read, and nothing is made of it.
    connection.resume();
    if (bytes > LONGEST_CALL) return reply({ ok: false, text: `A call has ${LONGEST_CALL} bytes at most.` });
    answer(Buffer.concat(chunks), gone.signal).then(reply, () => connection.destroy());
  });
}

interface Called {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** A sentence where it is no call. */
function readCall(line: Buffer, secret: string): Called | string {
  let asked: unknown;
  try {
    asked = JSON.parse(line.toString("utf8"));
  } catch {
    return "This is no call: a line of JSON was expected.";
  }
  if (!isObject(asked) || !isSecret(asked["secret"], secret)) return "This call does not come from the script.";
  const { tool, input } = asked;
  if (typeof tool !== "string" || !isObject(input)) return "This is no call: it names no tool, or has no arguments.";
  // One address alone is what a script would write.
  const isOne = tool === "web_extract" && typeof input["urls"] === "string";
  return { tool, input: isOne ? { ...input, urls: [input["urls"]] } : input };
}

function isSecret(given: unknown, secret: string): boolean {
  const bytes = Buffer.from(typeof given === "string" ? given : "");
  const own = Buffer.from(secret);
  return bytes.length === own.length && timingSafeEqual(bytes, own);
}

/** Arguments of the terminal that a script cannot use: what they start outlives it, or wants somebody to look at it. */
const NOT_HERE = ["background", "pty", "cols", "rows"] as const;

function whyNot({ tool, input }: Called): string | undefined {
  if (!CALLED.includes(tool))
    return `${tool.slice(0, 80)} cannot be called from a script; these can: ${CALLED.join(", ")}.`;
  const wrong = tool === "terminal" ? NOT_HERE.filter((name) => Object.hasOwn(input, name)) : [];
  return wrong.length === 0 ? undefined : `terminal takes no ${wrong.join(", ")} in a script: call it directly.`;
}
