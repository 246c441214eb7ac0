import { StringDecoder } from "node:string_decoder";
import { CONFIG_WORDS } from "../../words/config-commands.ts";
import { type Io, readAll } from "../io.ts";
import { RefusalError } from "../refusal.ts";

const CTRL_C = "\u0003";
const CTRL_D = "\u0004";
const BACKSPACE = new Set(["\u007f", "\b"]);

/** One line that is not shown while it is typed; without a terminal, all of stdin. */
export async function readSecretly(io: Io, prompt: string): Promise<string> {
  if (io.stdin.isTTY !== true) return (await readAll(io.stdin)).trim();
  io.stderr.write(prompt);
  io.stdin.setRawMode?.(true);
  try {
    return (await typedLine(io)).trim();
  } finally {
    io.stdin.setRawMode?.(false);
    io.stdin.destroy();
    io.stderr.write("\n");
  }
}

async function typedLine({ stdin }: Io): Promise<string> {
  const decoder = new StringDecoder("utf8");
  let line: string[] = [];
  for await (const chunk of stdin) {
    for (const key of decoder.write(Buffer.from(chunk as Uint8Array))) {
      if (key === CTRL_C) throw new RefusalError({ reason: "interrupted_by_user", message: CONFIG_WORDS.nothingKept });
      if (key === "\r" || key === "\n" || key === CTRL_D) return line.join("");
      if (BACKSPACE.has(key)) line = line.slice(0, -1);
      else line.push(key);
    }
  }
  return line.join("");
}
