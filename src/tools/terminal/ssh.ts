import { relative } from "node:path";
import type { Backend, BackendOptions } from "./backend.ts";
import { ask, clientEnvironment, type Client, END_MARKED, envElsewhere } from "./elsewhere.ts";
import type { BackendChoice } from "./settings.ts";

/** Nobody answers a question of ssh, and a host that is silent is given up. */
const OPTIONS = ["-T", "-o", "BatchMode=yes", "-o", "ConnectTimeout=10", "-o", "ServerAliveInterval=15"];

/**
 * Commands on another machine, by the ssh of this one and its settings. The shell there reads one line, in which every
 * word of ours is quoted.
 */
export function sshBackend(
  { host, folder }: Extract<BackendChoice, { readonly type: "ssh" }>,
  { cwd, own }: BackendOptions,
): Backend {
  if (host === undefined)
    throw new Error("Not run: commands run by ssh here, and no machine is named: set terminal.ssh.host.");
  const ssh: Client = { file: "ssh", env: clientEnvironment(own) };
  const there = (path: string): string => (folder === undefined ? path : joined(folder, relative(cwd, path)));
  return {
    where: `on the machine ${host}; the file tools work on this one`,
    hasPty: false,
    launch({ command, cwd: asked, env, marker }) {
      const words = ["env", ...envElsewhere(env), "bash", "--noprofile", "--norc", "-c", command];
      const line = `cd ${quoted(there(asked))} && exec ${words.map(quoted).join(" ")}`;
      return Promise.resolve({
        file: "ssh",
        args: [...OPTIONS, "--", host, line],
        cwd,
        env: clientEnvironment(own, marker),
      });
    },
    async end(_sessionId, marker) {
      const line = ["sh", "-c", END_MARKED, "sh", marker].map(quoted).join(" ");
      await ask(ssh, [...OPTIONS, "--", host, line], "end");
    },
  };
}

/** For any POSIX shell: nothing in it means anything. */
export const quoted = (word: string): string => `'${word.replaceAll("'", String.raw`'\''`)}'`;

/** A folder beside the working folder here is beside it there. */
const joined = (folder: string, below: string): string => (below === "" ? folder : `${folder}/${below}`);
