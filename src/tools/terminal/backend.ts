import type { Sandbox } from "../../protocol/sandbox.ts";
import type { Launch } from "./launch.ts";
import { NO_SETTINGS, SHELL } from "./launch.ts";
import type { BackendChoice } from "./settings.ts";

/** A command that may run. */
export interface Placed {
  readonly sessionId: string;
  readonly command: string;
  readonly cwd: string;
  /** All that it gets to see, its marker included. */
  readonly env: Readonly<Record<string, string>>;
  readonly marker: string;
  /** Its user has agreed that it runs without the sandbox. */
  readonly unsandboxed: boolean;
}

/** Where commands run. */
export interface Backend {
  /** For the model; undefined: on this machine, as the file tools. */
  readonly where?: string;
  /** It can give a command a terminal. */
  readonly hasPty: boolean;
  /** What is started on this machine so that the command runs. Rejects with one sentence when it cannot run there. */
  launch(placed: Placed): Promise<Omit<Launch, "pty" | "input">>;
  /** Ends what runs elsewhere with a marker. Never rejects, and comes back within seconds. */
  end?(sessionId: string, marker: string): Promise<void>;
  /** The session is over; undefined: all are. Never rejects. */
  leave?(sessionId: string | undefined): Promise<void>;
}

/** The shell of a command, with the exact text to run as its last argument. */
const shellWords = (command: string): readonly string[] => [...NO_SETTINGS, "-c", command];

const localBackend = (sandbox: Sandbox | undefined): Backend => ({
  hasPty: true,
  launch: async ({ command, cwd, env, unsandboxed }) => {
    const start = { file: SHELL, args: shellWords(command), cwd, env };
    const isFree = unsandboxed || sandbox === undefined || (await sandbox.state()).type === "off";
    return isFree ? start : sandbox.confine(start);
  },
});

export interface BackendOptions {
  /** The working folder. */
  readonly cwd: string;
  /** Our own environment: the programs that lead elsewhere find their settings in it. */
  readonly own: NodeJS.ProcessEnv;
  /** Stands around what runs on this machine. */
  readonly sandbox?: Sandbox | undefined;
}

/** Loads what a choice needs, when the first command runs. */
export async function openBackend(choice: BackendChoice | undefined, options: BackendOptions): Promise<Backend> {
  switch (choice?.type) {
    case "docker":
      return (await import("./docker.ts")).dockerBackend(choice.image, options);
    case "ssh":
      return (await import("./ssh.ts")).sshBackend(choice, options);
    default:
      return localBackend(options.sandbox);
  }
}
