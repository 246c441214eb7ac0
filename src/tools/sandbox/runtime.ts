import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { SandboxManager } from "@anthropic-ai/sandbox-runtime";
import type { Start } from "../../protocol/sandbox.ts";
import type { Bounds } from "./bounds.ts";

/** The only file that knows the package: it draws the bounds with bubblewrap on Linux and with Seatbelt on macOS. */
export interface SandboxRuntime {
  readonly by: string;
  /** Rejects where the bounds cannot be drawn. */
  wrap(start: Start, bounds: Bounds, how: Reach): Promise<Wrapped>;
  /** Ends the way out, which keeps a process alive. Never rejects. */
  close(): Promise<void>;
}

export interface Reach {
  /** It may talk to sockets of files: those that it sees. */
  readonly sockets: boolean;
  /** Hosts that it reaches beside those that all do. */
  readonly hosts: readonly string[];
}

export interface Wrapped extends Start {
  readonly release: () => void;
}

export type Opened =
  | { readonly type: "runtime"; readonly runtime: SandboxRuntime }
  | { readonly type: "missing"; readonly why: string };

type Manager = typeof SandboxManager;
type Config = Parameters<Manager["updateConfig"]>[0];

/** Beside the bundle: it brings programs of its own. */
const PACKAGE: string = "@anthropic-ai/sandbox-runtime";

/** Programs of the package that run inside, so they must be seen there. */
const ofPackage = (): string => join(dirname(dirname(fileURLToPath(import.meta.resolve(PACKAGE)))), "vendor");

/**
 * It looks for protected names below the folder of this process with ripgrep; ours are named one by one, so it is given a
 * program that finds nothing.
 */
const FINDS_NOTHING = { command: ["/bin/true", "/usr/bin/true"].find((path) => existsSync(path)) ?? "true" };

/** What programs inside may reach by the network, of this process as a whole: there is one way out. */
export async function openRuntime(hosts: readonly string[]): Promise<Opened> {
  const manager = await load();
  if (manager === undefined) return { type: "missing", why: `the package ${PACKAGE} is not installed` };
  if (!manager.isSupportedPlatform()) return { type: "missing", why: `there is none for ${process.platform}` };
  const { errors } = manager.checkDependencies(FINDS_NOTHING);
  if (errors.length > 0) return { type: "missing", why: errors.join("; ") };
  const config = configOf({ hidden: [], shown: [], writable: [], closed: [] }, hosts, false);
  try {
    await manager.initialize(config);
  } catch (error) {
    return { type: "missing", why: error instanceof Error ? error.message : String(error) };
  }
  return { type: "runtime", runtime: runtimeOn(manager, hosts) };
}

async function load(): Promise<Manager | undefined> {
  try {
    return ((await import(PACKAGE)) as { readonly SandboxManager: Manager }).SandboxManager;
  } catch {
    return undefined;
  }
}

function runtimeOn(manager: Manager, hosts: readonly string[]): SandboxRuntime {
  // What it is told of one program stands in settings of the process: one is wrapped after the other.
  let last: Promise<unknown> = Promise.resolve();
  // The way out is one for all; a program that was given no host is not told the word that opens it.
  const reached = new Set(hosts);
  return {
    close: () => manager.reset().catch(() => undefined),
    by: process.platform === "darwin" ? "seatbelt" : "bubblewrap",
    wrap: async (start, bounds, { sockets, hosts: more }) => {
      for (const host of more) reached.add(host);
      const isOnline = hosts.length > 0 || more.length > 0;
      const wrapping = last.then(async () => {
        manager.updateConfig(configOf(bounds, [...reached], sockets));
        return hardened(await manager.wrapWithSandbox(commandOf(start, isOnline), "sh"));
      });
      last = wrapping.catch(() => undefined);
      const command = await wrapping;
      return { ...start, file: "/bin/sh", args: ["-c", command], release: () => manager.cleanupAfterCommand() };
    },
  };
}

const configOf = ({ hidden, shown, writable, closed }: Bounds, hosts: readonly string[], sockets: boolean): Config => ({
  ripgrep: FINDS_NOTHING,
  network: { allowedDomains: [...hosts], deniedDomains: [], ...(sockets && { allowAllUnixSockets: true }) },
  filesystem: {
    denyRead: [...hidden],
    allowRead: [...shown, ofPackage()],
    allowWrite: [...writable],
    denyWrite: [...closed],
  },
});

const OWN_PROC = " --proc /proc ";
/** Root may write the settings of the kernel, a name space of its own or not: one of them names a program that runs outside. */
const HARDENED =
  " --unshare-ipc --unshare-uts --unshare-cgroup-try --proc /proc --ro-bind /proc/sys /proc/sys " +
  "--ro-bind-try /proc/sysrq-trigger /proc/sysrq-trigger ";

/** Of bubblewrap: what the package leaves to it. Nothing runs where there is no place for it. */
function hardened(command: string): string {
  if (process.platform !== "linux") return command;
  const at = command.indexOf(OWN_PROC);
  if (at < 0) throw new Error("Not run: the sandbox would not have a /proc of its own.");
  return `${command.slice(0, at)}${HARDENED}${command.slice(at + OWN_PROC.length)}`;
}

/**
 * What runs inside gets the environment that it was given; where it reaches hosts, with what leads through the one way out,
 * which it stands behind.
 */
function commandOf({ file, args, env }: Start, isOnline: boolean): string {
  const given = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  const anew = isOnline ? [] : ["-i"];
  return ["exec", ...["/usr/bin/env", ...anew, ...given, file, ...args].map(word)].join(" ");
}

const word = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;
