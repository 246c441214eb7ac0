import { lstatSync, readdirSync, readFileSync, readlinkSync, realpathSync } from "node:fs";
import { basename, delimiter, dirname, join, sep } from "node:path";
import { SECRETS } from "../path-guard/protected-files.ts";
import { isInside } from "../paths.ts";

/** What stands at one place of the box. */
export type Kind =
  | "read"
  | "write"
  /** Empty, of its own, gone afterwards. */
  | "scratch"
  /** Empty, and stays so. */
  | "hidden";

export type Layout = Map<string, Kind>;

/** Folders and files of the program and of its user, absolute and resolved. */
export interface Surroundings {
  readonly cwd: string;
  readonly home: string;
  /** Of this program: nothing of it is seen. */
  readonly guarded: readonly string[];
  readonly reads: readonly string[];
  /** Written in beside the working folder. */
  readonly writes: readonly string[];
  /** Whether the working folder is written in. */
  readonly mayWrite: boolean;
}

const SYSTEM = ["/usr", "/opt", "/nix", "/gnu", "/home/linuxbrew/.linuxbrew", "/sys/devices/system/cpu"] as const;
/** Links to parts of /usr, or folders of their own. */
export const ROOT_NAMES = ["/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"] as const;
const ETC =
  /^(?:alternatives|ca-certificates(?:\.conf)?|ssl|pki|ld\.so\..+|ld\.so\.conf\.d|passwd|group|nsswitch\.conf|hosts|host\.conf|localtime|timezone|locale\..+|gitconfig|gitattributes|protocols|services|mime\.types|magic(?:\.mime)?|[\w-]+-release|debian_version|java.*|maven.*|python.*|perl|fonts|inputrc|terminfo|crypto-policies|gnutls|login\.defs|shells|php.*|ant.*|gradle.*|texmf|ghostscript|ImageMagick.*|OpenCL|R|xdg|xml|sgml)$/;
const KEYS = ["/etc/ssl/private", "/etc/pki/tls/private"] as const;
const SCRATCH = ["/tmp", "/var/tmp", "/run", "/dev/shm"] as const;

export const namesIn = (folder: string): string[] => {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
};

export type Found = "link" | "folder" | "file" | "nothing";

export function lookAt(path: string): Found {
  try {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats === undefined) return "nothing";
    if (stats.isSymbolicLink()) return "link";
    return stats.isDirectory() ? "folder" : "file";
  } catch {
    return "nothing";
  }
}

export const realOf = (path: string): string => {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
};

/** Where a link of the root leads, for those that are links. */
export const linkOf = (path: string): string | undefined => (lookAt(path) === "link" ? readlinkSync(path) : undefined);

/**
 * All that is seen from inside, by path; what lies deeper wins over what it lies in, whatever was said first. The home folder
 * is an empty one, but for programs that are found by `path`, what git knows of its user, and what is asked for.
 */
export function layoutOf(around: Surroundings, path: string): Layout {
  const { cwd, home, guarded, reads, writes, mayWrite } = around;
  const layout: Layout = new Map();
  const put = (paths: readonly string[], kind: Kind): void => {
    for (const each of paths) if (lookAt(each) !== "nothing") layout.set(each, kind);
  };
  put([...SYSTEM, ...ROOT_NAMES.filter((name) => lookAt(name) === "folder")], "read");
  put(
    namesIn("/etc").flatMap((name) => (ETC.test(name) ? [join("/etc", name)] : [])),
    "read",
  );
  put(KEYS, "hidden");
  for (const scratch of [...SCRATCH, home]) layout.set(scratch, "scratch");
  put(
    [...programFolders(path, around), ...reads].filter((folder) => !isAbove(folder, [home, ...guarded])),
    "read",
  );
  put([".gitconfig", ".config/git/config"].map((name) => join(home, name)).filter(holdsNoSecret), "read");
  put([cwd], mayWrite ? "write" : "read");
  put(writes, "write");
  put([...SECRETS.map((name) => join(home, name)).filter((secret) => isSeen(layout, secret)), ...guarded], "hidden");
  // What is lent out of what is hidden, such as results that are kept in files.
  put(
    reads.filter((folder) => guarded.some((outer) => isInside(outer, folder))),
    "read",
  );
  return layout;
}

const isAbove = (folder: string, others: readonly string[]): boolean => others.some((other) => isInside(folder, other));

/** By what it lies in most closely. */
function isSeen(layout: Layout, path: string): boolean {
  for (let at = path; ; at = dirname(at)) {
    const kind = layout.get(at);
    if (kind !== undefined) return kind === "read" || kind === "write";
    if (at === dirname(at)) return false;
  }
}

/** Of a program `~/.nvm/versions/node/v24/bin/node` all of `~/.nvm` is needed; of `/opt/x/bin/y` what stands beside `bin`. */
function programFolders(path: string, { home, cwd }: Surroundings): string[] {
  const folders = path.split(delimiter).filter((folder) => folder.startsWith(sep) && !isInside(cwd, folder));
  return [...new Set(folders.map(realOf))].flatMap((folder) => {
    if (!isInside(home, folder)) return [/^s?bin$/u.test(basename(folder)) ? dirname(folder) : folder];
    const [first = ""] = folder.slice(home.length + 1).split(sep);
    const isTool = first.startsWith(".") && !/^\.(?:local|config|cache|var|ssh|aws|gnupg|kube)$/u.test(first);
    if (isTool) return [join(home, first), ...(first === ".cargo" ? [join(home, ".rustup")] : [])];
    return first === ".local"
      ? [folder, ...["lib", "pipx", "share/uv", "share/pipx", "share/mise"].map((name) => join(home, ".local", name))]
      : [folder];
  });
}

/** An address with a password, or a header: git can be told of those in its config. */
function holdsNoSecret(path: string): boolean {
  try {
    return !/:\/\/[^\s/@]+@|extraheader|token|password\s*=/iu.test(readFileSync(path, "utf8"));
  } catch {
    return false;
  }
}
