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

/** Why a file of secrets is not used, in one sentence; undefined: it is its reader's alone. The superuser reads any. */
export function whyNotPrivate(path: string, { mode, uid }: Owned, reader: Reader): string | undefined {
  if (reader.platform !== "win32" && (mode & 0o077) !== 0)
    return `${path} can be read by others, so it is not used: chmod 600 ${path}.`;
  const own = reader.getuid?.();
  if (own !== undefined && uid !== own && own !== 0) return `${path} belongs to somebody else, so it is not used.`;
  return undefined;
}
