import { type ChildProcessByStdio, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { isAbsolute } from "node:path";
import type { Readable, Writable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { isObject } from "../../protocol/json.ts";
import type { Reach } from "../../protocol/mcp.ts";
import { reasonOf } from "../../protocol/reason-of.ts";
import type { Confined, Sandbox } from "../../protocol/sandbox.ts";
import { plain } from "../results/plain.ts";
import { endTree, endTreeNow, MARKER, startTicksOf, type Tree } from "../terminal/process-tree.ts";
import { LineReader } from "./line-reader.ts";
import type { Link } from "./link.ts";

/** Security §3.8, bytes. */
const LONGEST_LINE = 10 * 1024 * 1024;
/** So much without one answer is a flood, bytes. */
const FLOOD = 32 * 1024 * 1024;
/** What is kept of its other words, characters. */
const TAIL = 2_000;
/** A server whose input has ended may end by itself, ms. */
const PATIENCE_MS = 300;
/** What was written before an exit may still be read, ms. */
const LAST_WORDS_MS = 100;

/** A program that speaks MCP on its stdin and stdout. */
export type Program = Extract<Reach, { type: "stdio" }>;

/** Rejects where its environment or its sandbox cannot be had; nothing is started before the transport is. */
export async function openStdio({ command, args, cwd, env, needs }: Program, sandbox?: Sandbox): Promise<Link> {
  const marker = randomBytes(16).toString("hex");
  const start = { file: command, args, cwd, env: { ...(await env()), [MARKER]: marker } };
  const own = { ...needs, readOnly: true, reads: [...(needs?.reads ?? []), ...seenBy(start)] } as const;
  const confined = (await sandbox?.confine(start, own)) ?? { ...start, release: async () => undefined };
  return new StdioLink(confined, command, marker);
}

/** Where the program lies, and what its owner has named in its arguments. */
const seenBy = ({ file, args }: Pick<Confined, "file" | "args">): readonly string[] =>
  [file, ...args].filter((path) => isAbsolute(path)).flatMap((path) => [path, ...packageOf(path)]);

/** The folder with what a script was installed with. */
const packageOf = (path: string): readonly string[] => {
  const at = path.lastIndexOf("/node_modules/");
  return at < 0 ? [] : [path.slice(0, at + "/node_modules".length)];
};

/** Those that run: none outlives this process, unless it is killed. */
const running = new Set<StdioLink>();

function endAllNow(): void {
  for (const link of running) link.endNow();
}

/** Its program, from its start to the end of all that it has started. */
class StdioLink implements Link, Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly transport: Transport = this;
  readonly #start: Confined;
  readonly #name: string;
  readonly #marker: string;
  readonly #lines = new LineReader(LONGEST_LINE);
  #child: ChildProcessByStdio<Writable, Readable, Readable> | undefined;
  #tree: Tree | undefined;
  #exited: Promise<unknown> = Promise.resolve();
  #ending: Promise<void> | undefined;
  #trouble: string | undefined;
  /** What it says beside the protocol: on stderr, and on stdout what is no message. */
  #words = "";
  #unanswered = 0;

  constructor(start: Confined, name: string, marker: string) {
    this.#start = start;
    this.#marker = marker;
    this.#name = name;
  }

  async start(): Promise<void> {
    if (this.#ending !== undefined) throw new Error("it was ended before it began");
    const { file, args, cwd, env } = this.#start;
    const child = spawn(file, args, { cwd, env, detached: true, stdio: ["pipe", "pipe", "pipe"] });
    this.#child = child;
    this.#exited = new Promise<void>((resolve) => {
      child.once("exit", (code, signal) => {
        this.#trouble ??= `it ended (${signal ?? `code ${code}`})`;
        resolve();
      });
      child.once("error", () => resolve());
    });
    child.stdin.on("error", () => undefined);
    this.#listen(child.stdout).catch(() => undefined);
    child.stderr.on("data", (chunk: Buffer) => this.#say(chunk.subarray(-TAIL).toString("utf8")));
    await this.#spawned(child);
    const { pid = 0 } = child;
    this.#tree = { pid, startTicks: startTicksOf(pid), marker: this.#marker };
    if (running.size === 0) process.on("exit", endAllNow);
    running.add(this);
    this.#exited.then(() => this.#whenOver(child)).catch(() => undefined);
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const { stdin } = this.#child ?? {};
    if (stdin?.writable !== true) throw new Error(this.trouble() ?? "it does not run");
    if (!stdin.write(`${JSON.stringify(message)}\n`))
      await Promise.race([new Promise((resolve) => stdin.once("drain", resolve)), this.#exited]);
  }

  close(): Promise<void> {
    return this.end();
  }

  trouble(): string | undefined {
    const words = this.#words.trim();
    if (this.#trouble === undefined) return words === "" ? undefined : `it said: ${lastOf(words)}`;
    return words === "" ? this.#trouble : `${this.#trouble}; its last words: ${lastOf(words)}`;
  }

  end(): Promise<void> {
    return (this.#ending ??= this.#end());
  }

  endNow(): void {
    if (this.#tree !== undefined) endTreeNow(this.#tree);
  }

  async #end(): Promise<void> {
    const child = this.#child;
    if (child !== undefined) {
      child.stdin.end();
      await Promise.race([this.#exited, delay(PATIENCE_MS, undefined, { ref: false })]);
      if (this.#tree !== undefined) await endTree(this.#tree);
      child.stdin.destroy();
      child.stdout.destroy();
      child.stderr.destroy();
    }
    running.delete(this);
    if (running.size === 0) process.off("exit", endAllNow);
    this.#lines.clear();
    await this.#start.release().catch(() => undefined);
    this.onclose?.();
  }

  async #spawned(child: ChildProcessByStdio<Writable, Readable, Readable>): Promise<void> {
    try {
      await new Promise<void>((resolve, reject) => {
        child.once("error", reject);
        child.once("spawn", resolve);
      });
    } catch (error) {
      this.#trouble = `${this.#name} cannot be started: ${reasonOf(error)}`;
      throw new Error(this.#trouble, { cause: error });
    }
  }

  /** Whoever it has started may hold its pipes: they are not waited for. */
  async #whenOver(child: ChildProcessByStdio<Writable, Readable, Readable>): Promise<void> {
    const closed = new Promise((resolve) => child.once("close", resolve));
    await Promise.race([closed, delay(LAST_WORDS_MS, undefined, { ref: false })]);
    await this.end();
  }

  async #listen(stdout: Readable): Promise<void> {
    for await (const chunk of stdout) {
      if (this.#ending !== undefined) return;
      await this.#read(chunk as Buffer);
    }
  }

  async #read(chunk: Buffer): Promise<void> {
    this.#unanswered += chunk.length;
    if (this.#unanswered > FLOOD) return this.#fail(`it wrote more than ${FLOOD / 1024 / 1024} MB without an answer`);
    try {
      for (const line of this.#lines.take(chunk)) {
        // The client looks at progress a moment later: by then an answer must not have ended the call that it is of.
        if (this.#hear(line) === "notifications/progress") await new Promise((resolve) => setImmediate(resolve));
      }
    } catch (error) {
      this.#fail(`it wrote ${reasonOf(error)}`);
    }
  }

  /** The method of the message, where it has one. */
  #hear(line: string): string | undefined {
    const message = messageIn(line);
    if (message === undefined) {
      this.#say(`${line.slice(0, TAIL)}\n`);
      return undefined;
    }
    if (!("method" in message)) this.#unanswered = 0;
    try {
      this.onmessage?.(message);
    } catch (error) {
      this.onerror?.(new Error(reasonOf(error), { cause: error }));
    }
    return "method" in message ? message.method : undefined;
  }

  #say(words: string): void {
    if (words.trim() !== "") this.#words = (this.#words + words).slice(-TAIL);
  }

  #fail(why: string): void {
    this.#trouble ??= why;
    this.#lines.clear();
    this.end().catch(() => undefined);
  }
}

/** Undefined for what is no message of the protocol. */
function messageIn(line: string): JSONRPCMessage | undefined {
  if (!line.trimStart().startsWith("{")) return undefined;
  try {
    const value: unknown = JSON.parse(line);
    return isObject(value) && value["jsonrpc"] === "2.0" ? (value as unknown as JSONRPCMessage) : undefined;
  } catch {
    return undefined;
  }
}

/** One line, short. */
const lastOf = (words: string): string => plain(words.slice(-400)).replaceAll(/\s+/gu, " ").trim();
