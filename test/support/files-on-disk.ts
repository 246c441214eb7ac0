import { mkdir, mkdtemp, readdir, realpath, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** Text by path. */
export type Files = ReadonlyMap<string, string>;

/** Runs `use` in a new folder that holds these files, and removes it. */
export async function inFolder<T>(files: Files, use: (cwd: string) => Promise<T>): Promise<T> {
  const cwd = await realpath(await mkdtemp(join(tmpdir(), "evander-practice-")));
  try {
    for (const [path, text] of files) {
      await mkdir(join(cwd, dirname(path)), { recursive: true });
      await writeFile(join(cwd, path), text);
    }
    return await use(cwd);
  } finally {
    await rm(cwd, { recursive: true });
  }
}

export interface OnDisk {
  readonly path: string;
  readonly size: number;
}

/** What the file system itself says. */
export async function onDisk(cwd: string): Promise<OnDisk[]> {
  const entries = await readdir(cwd, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return Promise.all(
    files.map(async (entry) => {
      const full = join(entry.parentPath, entry.name);
      return { path: full.slice(cwd.length + 1), size: (await stat(full)).size };
    }),
  );
}
