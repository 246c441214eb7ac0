import { existsSync } from "node:fs";
import { posix, win32 } from "node:path";

/** Who runs the program, and on what kind of system. */
export interface Surroundings {
  readonly env: NodeJS.ProcessEnv;
  /** The home folder of the person. */
  readonly home: string;
  readonly platform: NodeJS.Platform;
  /** Where an administrator's config lies. */
  readonly systemFolder: string;
}

/** The folders of one installation, or of one profile in it; all absolute. */
export interface Folders {
  /** What a person writes: config, secrets, plug-ins. */
  readonly config: string;
  /** What must not be lost: the sessions, the folders that are trusted. */
  readonly data: string;
  /** What the program remembers for itself, such as the last config that was right. */
  readonly state: string;
  /** What can be made again: deleting it changes nothing but speed. */
  readonly cache: string;
}

/** The roots of an installation: everything there is lies below them, profiles included. */
export function rootFolders({ env, home, platform }: Omit<Surroundings, "systemFolder">): Folders {
  const paths = platform === "win32" ? win32 : posix;
  const said = (name: string): string | undefined => {
    const path = env[name];
    return path !== undefined && paths.isAbsolute(path) ? path : undefined;
  };
  const own = said("EVANDER_HOME");
  if (own !== undefined)
    return { config: own, data: own, state: paths.join(own, "state"), cache: paths.join(own, "cache") };
  const usual = usualFolders(platform, (...parts) => paths.join(home, ...parts), said);
  const at = (variable: string, folder: string): string => {
    const base = said(variable);
    return base === undefined ? folder : paths.join(base, "evander");
  };
  return {
    config: at("XDG_CONFIG_HOME", usual.config),
    data: at("XDG_DATA_HOME", usual.data),
    state: at("XDG_STATE_HOME", usual.state),
    cache: at("XDG_CACHE_HOME", usual.cache),
  };
}

/** Where a system keeps such things when no variable says otherwise. */
function usualFolders(
  platform: NodeJS.Platform,
  below: (...parts: readonly string[]) => string,
  said: (name: string) => string | undefined,
): Folders {
  switch (platform) {
    case "darwin": {
      const support = below("Library", "Application Support", "evander");
      return {
        config: support,
        data: posix.join(support, "data"),
        state: posix.join(support, "state"),
        cache: below("Library", "Caches", "evander"),
      };
    }
    case "win32": {
      const local = win32.join(said("LOCALAPPDATA") ?? below("AppData", "Local"), "evander");
      return {
        config: win32.join(said("APPDATA") ?? below("AppData", "Roaming"), "evander"),
        data: win32.join(local, "data"),
        state: win32.join(local, "state"),
        cache: win32.join(local, "cache"),
      };
    }
    default:
      return {
        config: below(".config", "evander"),
        data: below(".local", "share", "evander"),
        state: below(".local", "state", "evander"),
        cache: below(".cache", "evander"),
      };
  }
}

/** Where an administrator sets what holds for everybody on the machine. */
export const systemFolder = (platform: NodeJS.Platform, env: NodeJS.ProcessEnv): string =>
  platform === "win32" ? win32.join(env["ProgramData"] ?? String.raw`C:\ProgramData`, "evander") : "/etc/evander";

/** A profile is a sub-tree of each root. */
export function profileFolders(roots: Folders, profile: string | undefined, platform: NodeJS.Platform): Folders {
  if (profile === undefined) return roots;
  const paths = platform === "win32" ? win32 : posix;
  const below = (root: string): string => paths.join(root, "profiles", profile);
  return {
    config: below(roots.config),
    data: below(roots.data),
    state: below(roots.state),
    cache: below(roots.cache),
  };
}

/** Beside the store: the limits that the sessions of all processes have met. */
export const LIMITS_FILE = "limits.json";

/** In the config folder: skills that must not be used, one a line. */
export const REVOKED_FILE = "skills-revoked";

/**
 * The folder of the sessions. They were kept below the state folder at first: where they lie there and nowhere else,
 * they stay (ADR 0017).
 */
export function storeFolder(around: Surroundings, folders: Folders): string {
  const roots = rootFolders(around);
  if (folders.data !== roots.data || existsSync(posix.join(folders.data, STORE_FILE))) return folders.data;
  // Whoever names a folder for everything wants nothing from anywhere else.
  if (around.env["EVANDER_HOME"]?.startsWith("/") === true) return folders.data;
  const base = around.env["XDG_STATE_HOME"];
  const first = posix.join(base?.startsWith("/") === true ? base : posix.join(around.home, ".local/state"), "evander");
  return around.platform !== "win32" && existsSync(posix.join(first, STORE_FILE)) ? first : folders.data;
}

const STORE_FILE = "evander.db";
