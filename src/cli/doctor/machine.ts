import { accessSync, chmodSync, constants, existsSync, statfsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import type { Folders } from "../../config/folders.ts";
import { DOCTOR } from "../../words/doctor.ts";
import type { Io } from "../io.ts";
import { broken, type Finding, ok, warning } from "./finding.ts";

/** The oldest Node that runs us. */
const NODE = 24;

export function checkRuntime(version: string): Finding {
  const major = Number(/^v?(\d+)/u.exec(version)?.[1]);
  return major >= NODE
    ? ok("runtime.node", DOCTOR.node(version))
    : broken("runtime.node", DOCTOR.oldNode(version), "npm start");
}

/** The folders of the program: that they are folders, can be written, and are closed to other users. */
export const checkFolders = (folders: Folders, platform: NodeJS.Platform): Finding[] =>
  [...new Set(Object.values(folders) as string[])].flatMap((path) => {
    const name = Object.entries(folders).find(([, each]) => each === path)?.[0] ?? "";
    return checkFolder(`paths.${name}`, path, platform);
  });

function checkFolder(id: string, path: string, platform: NodeJS.Platform): Finding[] {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return [isWritable(nearest(path)) ? ok(id, DOCTOR.noFolderYet(path)) : unwritable(id, path)];
  if (!found.isDirectory()) return [broken(id, DOCTOR.noFolder(path), `mv ${word(path)} ${word(`${path}.old`)}`)];
  if (!isWritable(path)) return [unwritable(id, path)];
  const mode = found.mode & 0o777;
  return platform !== "win32" && (mode & 0o077) !== 0 ? [openToOthers(id, path, mode)] : [ok(id, DOCTOR.folder(path))];
}

/** The cache is only there to save time. */
function unwritable(id: string, path: string): Finding {
  const command = `chmod u+rwx ${word(nearest(path))}`;
  return id === "paths.cache"
    ? warning(id, DOCTOR.notWritable(path), command)
    : broken(id, DOCTOR.notWritable(path), command);
}

function openToOthers(id: string, path: string, mode: number): Finding {
  const closed = mode & 0o700;
  const command = `chmod ${closed.toString(8)} ${word(path)}`;
  const undo = `chmod ${mode.toString(8)} ${word(path)}`;
  return {
    ...warning(id, DOCTOR.openToOthers(path, mode.toString(8)), command),
    mend: { command, undo, run: () => chmodSync(path, closed) },
  };
}

/** The path itself, or the folder around it that exists. */
const nearest = (path: string): string => (existsSync(path) || dirname(path) === path ? path : nearest(dirname(path)));

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK | constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

const word = (path: string): string => (/^[\w./@:+-]+$/u.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`);

/** Below this no turn of any length can be saved, and below that it soon will be so, bytes. */
const FULL_BYTES = 20_000_000;
const LOW_BYTES = 500_000_000;

export function checkDisk(path: string): Finding {
  const { bavail, bsize } = statfsSync(nearest(path));
  const free = bavail * bsize;
  if (free >= LOW_BYTES) return ok("disk", DOCTOR.disk(free));
  const text = DOCTOR.fullDisk(free, path);
  return free < FULL_BYTES ? broken("disk", text, "df -h") : warning("disk", text, "df -h");
}

/** What can be known of a terminal without asking it. */
export function checkTerminal({ stdout, env, platform }: Io): Finding {
  if (stdout.isTTY !== true) return ok("terminal", DOCTOR.noTerminal);
  const kind = env["TERM"] ?? "";
  if (kind === "dumb" || (kind === "" && platform !== "win32"))
    return warning("terminal", DOCTOR.dumbTerminal, "export TERM=xterm-256color");
  const locale = [env["LC_ALL"], env["LC_CTYPE"], env["LANG"]].find((each) => each !== undefined && each !== "");
  if (platform === "linux" && !/utf-?8/iu.test(locale ?? ""))
    return warning("terminal", DOCTOR.noUnicode, "export LC_ALL=C.UTF-8");
  return ok("terminal", DOCTOR.terminal(kind === "" ? platform : kind, stdout.columns ?? 80));
}
