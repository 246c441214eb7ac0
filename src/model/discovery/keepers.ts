import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { Sentence } from "../../protocol/sentence.ts";
import { type Environment, said } from "./environment.ts";

/** Another tool that keeps credentials in a file of its own. The file is never opened: only its being there is told. */
interface Keeper {
  readonly id: string;
  readonly name: string;
  /** Below the tool's folder. */
  readonly file: readonly string[];
  /** The tool's folder below the home folder, and the variable that moves it. */
  readonly folder: readonly string[];
  readonly movedBy?: string;
  /** How its credentials can be used, or why they cannot. */
  readonly how: Sentence;
  /** Does it in a shell, where one line can; `$FILE` stands for the file. */
  readonly command?: string;
}

const BY_HAND: Sentence = {
  en: "Copy the key you want to use into its variable.",
  zh: "把要用的密钥复制到对应的变量中。",
};
const SIGN_IN: Sentence = {
  en: "It holds a sign-in and no key, and signing in is not supported yet.",
  zh: "其中是登录信息而不是密钥，目前尚不支持登录。",
};

const KEEPERS: readonly Keeper[] = [
  {
    id: "codex",
    name: "Codex",
    folder: [".codex"],
    movedBy: "CODEX_HOME",
    file: ["auth.json"],
    how: {
      en: "Its key, if it holds one and no sign-in, can be used for OpenAI",
      zh: "如果其中是密钥而不是登录信息，可用于 OpenAI",
    },
    command: `export OPENAI_API_KEY=$(node -p 'JSON.parse(fs.readFileSync("$FILE")).OPENAI_API_KEY')`,
  },
  {
    id: "claude-code",
    name: "Claude Code",
    folder: [".claude"],
    movedBy: "CLAUDE_CONFIG_DIR",
    file: [".credentials.json"],
    how: SIGN_IN,
  },
  { id: "gemini-cli", name: "Gemini CLI", folder: [".gemini"], file: ["oauth_creds.json"], how: SIGN_IN },
  {
    id: "hermes",
    name: "Hermes",
    folder: [".hermes"],
    movedBy: "HERMES_HOME",
    file: [".env"],
    how: { en: "Its variables can be taken into this shell", zh: "可以把其中的变量载入当前 shell" },
    command: `set -a; . "$FILE"; set +a`,
  },
  { id: "nanobot", name: "nanobot", folder: [".nanobot"], file: ["config.json"], how: BY_HAND },
  {
    id: "openclaw",
    name: "OpenClaw",
    folder: [".openclaw"],
    file: ["agents", "*", "agent", "auth-profiles.json"],
    how: BY_HAND,
  },
  {
    id: "opencode",
    name: "opencode",
    folder: [".local", "share", "opencode"],
    file: ["auth.json"],
    how: BY_HAND,
  },
];

/** Credentials that another tool keeps on this machine. */
export interface Kept {
  readonly id: string;
  readonly name: string;
  readonly path: string;
  readonly how: Sentence;
  readonly command: string | null;
}

export const keptByOthers = (env: Environment, home: string): Kept[] =>
  KEEPERS.flatMap(({ id, name, folder, movedBy, file, how, command }) => {
    const moved = movedBy === undefined ? undefined : said(env[movedBy]);
    const path = firstFile(moved ?? join(home, ...folder), file);
    return path === undefined ? [] : [{ id, name, path, how, command: commandFor(path, command) }];
  });

/** A path that a shell would read as anything but itself is put into no command. */
const commandFor = (path: string, command: string | undefined): string | null =>
  command === undefined || !/^[\w./@:+ -]+$/u.test(path) ? null : command.replace("$FILE", path);

/** `*` stands for any one folder. */
function firstFile(folder: string, [part, ...rest]: readonly string[]): string | undefined {
  if (part === undefined) return existsSync(folder) ? folder : undefined;
  if (part !== "*") return firstFile(join(folder, part), rest);
  for (const name of namesIn(folder)) {
    const found = firstFile(join(folder, name), rest);
    if (found !== undefined) return found;
  }
  return undefined;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).toSorted();
  } catch {
    return [];
  }
}
