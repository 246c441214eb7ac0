/** A file as the system shows it. */
interface Owned {
  readonly mode: number;
  readonly uid: number;
}

/** Who reads it. */
interface Reader {
  readonly platform: string;
  readonly getuid?: () => number;
}

/** Why a file of secrets is not used: `open`: others can read it; `foreign`: it is somebody else's. */
export interface NotPrivate {
  readonly type: "open" | "foreign";
  /** One sentence. */
  readonly message: string;
}

/** Undefined: it is its reader's alone. The superuser reads any. */
export function whyNotPrivate(path: string, { mode, uid }: Owned, reader: Reader): NotPrivate | undefined {
  if (reader.platform !== "win32" && (mode & 0o077) !== 0)
    return { type: "open", message: `${path} can be read by others, so it is not used: chmod 600 ${path}.` };
  const own = reader.getuid?.();
  if (own === undefined || uid === own || own === 0) return undefined;
  return { type: "foreign", message: `${path} belongs to somebody else, so it is not used.` };
}
