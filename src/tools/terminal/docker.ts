import { createHash } from "node:crypto";
import type { Backend, BackendOptions } from "./backend.ts";
import { ask, clientEnvironment, type Client, END_MARKED, envElsewhere } from "./elsewhere.ts";

/**
 * Commands in a container of this image: one for each session, made for its first command, removed when the session is
 * over. It sees the working folder at the same place and nothing else of this machine.
 */
export function dockerBackend(image: string | undefined, { cwd, own }: BackendOptions): Backend {
  if (image === undefined)
    throw new Error("Not run: commands run in docker here, and no image is named: set terminal.docker.image.");
  const docker: Client = { file: "docker", env: clientEnvironment(own) };
  const containers = new Map<string, Promise<string>>();
  const container = async (sessionId: string): Promise<string> => {
    const known = containers.get(sessionId);
    if (known !== undefined) return known;
    const starting = startContainer(docker, { name: nameOf(sessionId), image, cwd });
    containers.set(sessionId, starting);
    starting.catch(() => containers.delete(sessionId));
    return starting;
  };
  const remove = async (sessionId: string): Promise<void> => {
    const name = await containers.get(sessionId)?.catch(() => undefined);
    containers.delete(sessionId);
    if (name !== undefined) await ask(docker, ["rm", "--force", name], "start");
  };
  return {
    where: `in a container of the image ${image}, which sees the working folder alone; the file tools work on this machine`,
    hasPty: false,
    async launch({ sessionId, command, cwd: folder, env, marker }) {
      const name = await container(sessionId);
      const variables = envElsewhere(env).flatMap((variable) => ["--env", variable]);
      const args = ["exec", "--interactive", "--workdir", folder, ...variables, name, "sh", "-c", INNER, "sh", command];
      return { file: "docker", args, cwd, env: clientEnvironment(own, marker) };
    },
    async end(sessionId, marker) {
      const name = await containers.get(sessionId)?.catch(() => undefined);
      if (name !== undefined) await ask(docker, ["exec", name, "sh", "-c", END_MARKED, "sh", marker], "end");
    },
    async leave(sessionId) {
      const over = sessionId === undefined ? [...containers.keys()] : [sessionId];
      await Promise.all(over.map(remove));
    },
  };
}

/** The image may have no bash. */
const INNER = 'if command -v bash >/dev/null 2>&1; then exec bash --noprofile --norc -c "$1"; fi; exec sh -c "$1"';

/** The same for every process that works in the session: what one that died has left is used, or replaced. */
const nameOf = (sessionId: string): string =>
  `evander-${createHash("sha256").update(sessionId).digest("hex").slice(0, 16)}`;

interface Container {
  readonly name: string;
  readonly image: string;
  readonly cwd: string;
}

async function startContainer(docker: Client, { name, image, cwd }: Container): Promise<string> {
  // A process that was killed may have left one.
  await ask(docker, ["rm", "--force", name], "start");
  const kept = ["--detach", "--rm", "--init", "--name", name, "--label", "evander=session"];
  const args = ["run", ...kept, "--volume", `${cwd}:${cwd}`, "--workdir", cwd, image, "sleep", "infinity"];
  const { code, trouble } = await ask(docker, args, "start");
  if (code === 0) return name;
  throw new Error(
    `The command was not run: no container of the image ${image} could be started (${trouble}). Commands run in docker here: see terminal.backend.`,
  );
}
