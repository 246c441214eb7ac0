import { execFile } from "node:child_process";
import { childEnvironment, OF_DESKTOP } from "../../protocol/child-environment.ts";
import { MARKER } from "./process-tree.ts";

/** How long a command of ours may take there, ms. */
const LIMIT_MS = 2_000;
const START_MS = 60_000;

/** What of an environment is told to another machine: the rest is about this one. */
const ABOUT_HERE = /^(?:PATH|HOME|USER|LOGNAME|SHELL|TMPDIR|XDG_.*)$/u;

export const envElsewhere = (env: Readonly<Record<string, string>>): readonly string[] =>
  Object.entries(env).flatMap(([name, value]) => (ABOUT_HERE.test(name) ? [] : [`${name}=${value}`]));

/**
 * For a plain shell there: ends all that has the marker `$1` in its environment, politely and then at once. It looks
 * several times, since what is ended may start more meanwhile.
 */
export const END_MARKED: string = `signal=TERM
for look in 1 2 3 4; do
  for folder in /proc/[0-9]*; do
    if tr '\\0' '\\n' <"$folder/environ" 2>/dev/null | grep -qx "${MARKER}=$1"; then
      kill -"$signal" "\${folder#/proc/}" 2>/dev/null
    fi
  done
  signal=KILL
  sleep 0.2
done`;

/** What docker and ssh find the other machine, and their own settings and agents, by. */
const OF_CLIENTS = "DOCKER_HOST DOCKER_CONTEXT DOCKER_CONFIG DOCKER_TLS_VERIFY DOCKER_CERT_PATH".split(" ");

/** The environment of a client of ours: none of our keys, what it needs itself, and the marker by which it is found. */
export const clientEnvironment = (own: NodeJS.ProcessEnv, marker?: string): Record<string, string> => ({
  ...childEnvironment(own, [...OF_DESKTOP, ...OF_CLIENTS]),
  ...(marker !== undefined && { [MARKER]: marker }),
});

export interface Client {
  readonly file: string;
  /** The client finds its settings in it. */
  readonly env: NodeJS.ProcessEnv;
}

export interface Answered {
  readonly code: number;
  readonly stdout: string;
  /** What it complained of, in one line. */
  readonly trouble: string;
}

/** Runs the client itself, with arguments that no shell here reads. Never rejects. */
export function ask({ file, env }: Client, args: readonly string[], how: "start" | "end"): Promise<Answered> {
  return new Promise((resolve) => {
    const timeout = how === "start" ? START_MS : LIMIT_MS;
    execFile(file, args, { env, timeout, killSignal: "SIGKILL", encoding: "utf8" }, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === "number" ? error.code : 1;
      const said = stderr.trim().split("\n").at(-1) ?? "";
      const trouble = error === null || said !== "" ? said : error.message.split("\n", 1).join("");
      resolve({ code, stdout, trouble });
    });
  });
}
