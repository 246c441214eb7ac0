import { execFile } from "node:child_process";
import { accessSync, constants, readFileSync } from "node:fs";
import { delimiter, dirname, isAbsolute, join } from "node:path";
import type { Confined, Start } from "../../protocol/sandbox.ts";
import { isInside } from "../paths.ts";
import { writeWhole } from "../write-whole.ts";
import { type Kind, type Layout, layoutOf, linkOf, lookAt, ROOT_NAMES, type Surroundings } from "./layout.ts";
import { protect, type Protected, shareRepository } from "./protected.ts";
import { seccompFilter } from "./seccomp.ts";

/** Bytes that /tmp, the home folder and each other scratch folder may hold: they lie in memory. */
const SCRATCH_BYTES = 1_073_741_824;
/** The open file that the filter of system calls is read from. */
const FILTER_FILE = "9";
/** About this machine and its user's session, none of which is seen inside. */
const NOT_INSIDE =
  /^(?:XDG_RUNTIME_DIR|SSH_AUTH_SOCK|SSH_AGENT_PID|DBUS_SESSION_BUS_ADDRESS|DISPLAY|WAYLAND_DISPLAY)$/u;

/** Where bubblewrap is; undefined: not on `path`, or only in the working folder. */
const findBubblewrap = (path: string, cwd: string): string | undefined =>
  path
    .split(delimiter)
    .filter((folder) => isAbsolute(folder) && !isInside(cwd, folder))
    .map((folder) => join(folder, "bwrap"))
    .find(isExecutable);

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

export interface Box {
  readonly bwrap: string;
  /** Where the filter of system calls lies, for the shell to open. */
  readonly filter: string;
}

/** How long the try may take, ms. */
const TRY_MS = 10_000;

/** Undefined: this system has no bubblewrap, or it cannot be started here, or the processor is not known. */
export async function openBox(path: string, cwd: string, folder: string): Promise<Box | undefined> {
  const bwrap = findBubblewrap(path, cwd);
  if (bwrap === undefined || cwd === "/") return undefined;
  const box = { bwrap, filter: keepFilter(folder) };
  const start = { file: "/bin/sh", args: ["-c", ":"], cwd: "/", env: { PATH: path } };
  const nothing = { cwd: "/usr", home: "/root", guarded: [], reads: [], writes: [] };
  const { file, args, env } = boxed(box, { ...nothing, mayWrite: false }, start);
  const works = await new Promise<boolean>((resolve) => {
    execFile(file, args, { env, timeout: TRY_MS, killSignal: "SIGKILL" }, (error) => resolve(error === null));
  });
  return works ? box : undefined;
}

/** Writes the filter where no command can reach it; throws where it is not known for this processor. */
function keepFilter(folder: string): string {
  const bytes = seccompFilter(process.arch);
  if (bytes === undefined) throw new Error(`No filter of system calls is known for the processor ${process.arch}.`);
  const path = join(folder, `sandbox-${process.arch}.bpf`);
  try {
    if (readFileSync(path).equals(bytes)) return path;
  } catch {
    // It has not been written yet.
  }
  writeWhole(path, bytes);
  return path;
}

/** The same program in a box of its own, and what takes the box away. */
export function boxed({ bwrap, filter }: Box, around: Surroundings, start: Start): Confined {
  const programs = isAbsolute(start.file)
    ? `${start.env["PATH"] ?? ""}${delimiter}${dirname(start.file)}`
    : start.env["PATH"];
  const layout = layoutOf(around, programs ?? "");
  const shared = around.mayWrite ? [shareRepository(layout, around.cwd, around.home)] : [];
  const written = [...(around.mayWrite ? [around.cwd] : []), ...around.writes];
  const guards = [...shared, ...written.map((folder) => protect(layout, folder, around.home))];
  const args = ["--seccomp", FILTER_FILE, ...FIXED, ...mounts(layout), "--chdir", start.cwd, "--", start.file];
  const kept = Object.entries(start.env).filter(([name]) => !NOT_INSIDE.test(name));
  return {
    file: "/bin/sh",
    args: ["-c", `exec "$@" ${FILTER_FILE}<"$0"`, filter, bwrap, ...args, ...start.args],
    cwd: start.cwd,
    env: { ...Object.fromEntries(kept), TMPDIR: "/tmp" },
    release: () => released(guards),
  };
}

function released(guards: readonly Protected[]): Promise<void> {
  for (const guard of guards) guard.release();
  return Promise.resolve();
}

/** Root may write the settings of the kernel in any name space: one of them names a program that then runs outside. */
const FIXED = (
  "--unshare-user --unshare-pid --unshare-ipc --unshare-uts --unshare-cgroup-try --unshare-net --die-with-parent " +
  "--cap-drop ALL --hostname sandbox --dev /dev --proc /proc --ro-bind /proc/sys /proc/sys"
).split(" ");

/** What lies deeper is mounted later. What is read alone, such as the root, becomes so once everything stands in it. */
function mounts(layout: Layout): string[] {
  const links = ROOT_NAMES.flatMap((name) => {
    const target = linkOf(name);
    return target === undefined ? [] : ["--symlink", target, name];
  });
  const sorted = [...layout].toSorted(([a], [b]) => depth(a) - depth(b));
  const closed = sorted.flatMap(([path, kind]) => (kind === "hidden" && lookAt(path) !== "file" ? [path] : []));
  return [
    ...links,
    ...sorted.flatMap(([path, kind]) => mount(path, kind)),
    ...[...closed, "/dev", "/"].flatMap((path) => ["--remount-ro", path]),
  ];
}

const depth = (path: string): number => path.split("/").length;

function mount(path: string, kind: Kind): string[] {
  switch (kind) {
    case "read":
      return ["--ro-bind", path, path];
    case "write":
      return ["--bind", path, path];
    case "scratch":
      return ["--size", String(SCRATCH_BYTES), "--tmpfs", path];
    case "hidden":
      return lookAt(path) === "file" ? ["--ro-bind", "/dev/null", path] : ["--tmpfs", path];
  }
}
