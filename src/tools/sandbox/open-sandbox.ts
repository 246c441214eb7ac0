import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import type { Confined, Needs, Sandbox, SandboxMode, SandboxState, Start } from "../../protocol/sandbox.ts";
import type { Box } from "./bubblewrap.ts";
import { realOf } from "./layout.ts";
import { boundsOf, type Surroundings } from "./bounds.ts";
import { once } from "../once.ts";
import { type Opened, openRuntime, type SandboxRuntime } from "./runtime.ts";

export interface SandboxOptions extends Pick<Surroundings, "cwd" | "home" | "guarded" | "writes" | "reads"> {
  /** `auto`: `workspace` where the system has a sandbox, else none. */
  readonly mode: SandboxMode | "auto";
  /** Hosts that programs inside may reach. */
  readonly hosts: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** Draws the bounds; the system's own when absent. */
  readonly open?: (hosts: readonly string[]) => Promise<Opened>;
}

/** What stands around the programs that the tools of one process start (security §3.3). */
export function openSandbox(options: SandboxOptions): Sandbox {
  const { mode, hosts, open = openRuntime } = options;
  // Where no host is reached no way out is needed, and the closer box of ours stands around what is started.
  const isOwn = process.platform === "linux" && options.open === undefined && mode !== "off";
  const box = once(async () => (isOwn ? ownBox(options) : undefined));
  const look = once(async () => {
    const isBare = isOwn && (await box()) === undefined;
    return foundFor(mode, async () => (isBare ? NO_BUBBLEWRAP : open(hosts)));
  });
  let found: Promise<Found> | undefined;
  let temporary: string | undefined;
  const confine = async (start: Start, needs: Needs = {}): Promise<Confined> => {
    const { sockets = [], hosts: reached = [] } = needs;
    const own = hosts.length === 0 && reached.length === 0 ? await box() : undefined;
    if (own !== undefined) return inOwn(own, options, { start, needs });
    const { state, runtime } = await (found = look());
    if (state.type === "missing") throw new Error(`Not run: ${state.why}. ${state.next}`);
    if (state.type === "off" || runtime === undefined) return { ...start, release: () => Promise.resolve() };
    temporary ??= ownFolder();
    const around = surroundings(options, temporary);
    const bounds = boundsOf(around, state.mode === "workspace", needs);
    const inside = { ...start, env: { ...start.env, TMPDIR: temporary } };
    const { release, ...wrapped } = await runtime.wrap(inside, bounds, { sockets: sockets.length > 0, hosts: reached });
    return { ...wrapped, release: async () => release() };
  };
  return {
    state: async () => {
      if (hosts.length > 0 || (await box()) === undefined) return (await (found = look())).state;
      return { type: "on", mode: mode === "read-only" ? mode : "workspace", by: "bubblewrap" };
    },
    confine,
    close: async () => (await found)?.runtime?.close(),
  };
}

const NO_BUBBLEWRAP = { type: "missing", why: "bubblewrap is not installed, or cannot be started here" } as const;

/** Undefined: there is no bubblewrap, or it does not work here. */
const ownBox = async ({ env, cwd }: SandboxOptions): Promise<Box | undefined> =>
  (await import("./bubblewrap.ts")).openBox(env["PATH"] ?? "", cwd, ownFolder());

interface Asked {
  readonly start: Start;
  readonly needs: Needs;
}

async function inOwn(box: Box, options: SandboxOptions, { start, needs }: Asked): Promise<Confined> {
  const { mode, cwd, home, guarded, reads, writes } = options;
  const mayWrite = mode !== "read-only" && needs.readOnly !== true;
  const around = {
    cwd: realOf(cwd),
    home: realOf(home),
    guarded: guarded.map(realOf),
    reads: [...reads, ...(needs.reads ?? []), ...(needs.sockets ?? [])].map(realOf),
    writes: [...(mayWrite ? writes : []), ...(needs.writes ?? [])].map(realOf),
    mayWrite,
  };
  return (await import("./bubblewrap.ts")).boxed(box, around, start);
}

/** It goes with this process. */
function ownFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "evander-inside-")));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

interface Found {
  readonly state: SandboxState;
  readonly runtime?: SandboxRuntime;
}

const NEXT =
  "Install bubblewrap and socat (on Debian and Ubuntu: apt-get install bubblewrap socat), or let commands run without a sandbox: evander config set sandbox.mode off.";

/** A sandbox that was named must be had; one that was not may be missing, which is told. */
async function foundFor(mode: SandboxOptions["mode"], open: () => Promise<Opened>): Promise<Found> {
  if (mode === "off") return { state: { type: "off", why: "it is switched off" } };
  const opened = await open();
  if (opened.type === "runtime") {
    const { runtime } = opened;
    return { state: { type: "on", mode: mode === "auto" ? "workspace" : mode, by: runtime.by }, runtime };
  }
  const { why } = opened;
  if (mode === "auto") return { state: { type: "off", why } };
  return { state: { type: "missing", why: `the sandbox (sandbox.mode: ${mode}) cannot be had: ${why}`, next: NEXT } };
}

function surroundings({ cwd, home, guarded, writes, reads, env }: SandboxOptions, temporary: string): Surroundings {
  const shared = ["/run", "/var/run", "/tmp", "/var/tmp", tmpdir(), env["XDG_RUNTIME_DIR"] ?? "/run"];
  const searchPath = (env["PATH"] ?? "").split(delimiter).filter((folder) => folder !== "");
  return { cwd, home, guarded, writes, reads, temporary, searchPath, shared: [...new Set(shared)] };
}
