import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { Readable, Writable } from "node:stream";
import { languageFor } from "../flags.ts";
import type { Io } from "../io.ts";
import { IN_CHAT } from "../next-steps.ts";
import { failureResult } from "../refusal.ts";
import type { Chat } from "./opening.ts";
import { whyOf } from "../prompt/attachments.ts";

/** A command of the program run within a conversation: it asks nothing, and its lines are shown. */
export async function runProgram(words: readonly string[], chat: Chat, tell: (line: string) => void): Promise<void> {
  const out = new Lines(tell);
  await run(words, chat, { stdout: out, stderr: out });
  out.end();
}

interface Wanted {
  readonly chat: Chat;
  readonly sessionId: string;
  readonly cwd: string;
}

/** Returns why the file could not be written, or undefined. */
export async function exportTo(file: string, { chat, sessionId, cwd }: Wanted): Promise<string | undefined> {
  const format = file.endsWith(".md") ? "md" : file.endsWith(".json") ? "openai" : "jsonl";
  const lines: string[] = [];
  const troubles: string[] = [];
  const [stdout, stderr] = [new Lines((line) => lines.push(line)), new Lines((line) => troubles.push(line))];
  const code = await run(["session", "export", sessionId, "--format", format], chat, { stdout, stderr });
  for (const stream of [stdout, stderr]) stream.end();
  if (code !== 0) return troubles.join(" ");
  try {
    writeFileSync(resolve(cwd, file), lines.map((line) => `${line}\n`).join(""), { flag: "wx", mode: 0o600 });
    return undefined;
  } catch (error) {
    return whyOf(error)[languageFor(chat.flags, chat.io.env)];
  }
}

async function run(words: readonly string[], chat: Chat, out: Pick<Io, "stdout" | "stderr">): Promise<number> {
  const env = { ...inLanguage(chat), [IN_CHAT]: "1" };
  const io: Io = { ...chat.io, env, stdin: Readable.from([]), ...out };
  try {
    return await chat.program(words, io);
  } catch (error) {
    const { exit, error: told } = failureResult(error, io, {
      verbose: false,
      language: languageFor(chat.flags, chat.io.env),
    });
    out.stderr.write(`${told?.message ?? exit.reason}\n`);
    return exit.code;
  }
}

/** Not every command takes `--lang`, and all of them read the locale; its characters stay what they are. */
function inLanguage({ flags: { lang }, io: { env } }: Chat): NodeJS.ProcessEnv {
  if (lang === undefined) return env;
  const { LC_ALL: all = "", LC_CTYPE: characters } = env;
  return { ...env, LC_ALL: "", LC_CTYPE: all === "" ? characters : all, LC_MESSAGES: lang };
}

/** Hands on whole lines. */
class Lines extends Writable {
  private readonly tell: (line: string) => void;
  private begun = "";

  constructor(tell: (line: string) => void) {
    super();
    this.tell = tell;
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    const lines = (this.begun + chunk.toString()).split("\n");
    this.begun = lines.pop() ?? "";
    for (const line of lines) this.tell(line);
    done();
  }

  override _final(done: () => void): void {
    if (this.begun !== "") this.tell(this.begun);
    done();
  }
}
