import { lstatSync, readdirSync, type Stats } from "node:fs";
import { join } from "node:path";

/** Names looked at; more than that and the answer is the careful one. */
const MAX_NAMES = 20_000;

/** In the home folder: files and folders that hold keys (security §3.4). */
export const SECRETS: readonly string[] =
  ".ssh .aws .azure .kube .gnupg .password-store .config/gcloud .config/gh .config/op .netrc .pgpass .npmrc .pypirc .git-credentials .docker/config.json .cargo/credentials .cargo/credentials.toml".split(
    " ",
  );

interface Reach {
  readonly guarded: readonly string[];
  readonly home: string;
}

/**
 * Whether a file with several names is one that is out of reach under another of them: by its place on the disk, as its
 * name here says nothing. Files with one name alone need not be asked about.
 */
export const isProtectedFile = (stats: Pick<Stats, "dev" | "ino">, place: Reach): boolean =>
  protectedFiles(place)(stats);

/** The same for many files: what is out of reach is looked up once. */
export function protectedFiles(place: Reach): (stats: Pick<Stats, "dev" | "ino">) => boolean {
  const pending = [...place.guarded, ...SECRETS.map((name) => join(place.home, name))];
  const known = new Set<string>();
  let seen = 0;
  for (let path = pending.pop(); path !== undefined; path = pending.pop()) {
    seen += 1;
    if (seen > MAX_NAMES) return () => true;
    const stats = lookedAt(path);
    if (stats?.isFile() === true) known.add(`${stats.dev}:${stats.ino}`);
    if (stats?.isDirectory() === true) pending.push(...namesIn(path));
  }
  return ({ dev, ino }) => known.has(`${dev}:${ino}`);
}

function lookedAt(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).map((name) => join(folder, name));
  } catch {
    return [];
  }
}
