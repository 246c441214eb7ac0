import { lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";

/** All that can be seen of a folder but its times: modes, contents, links, empty folders; by path. */
export function folderPicture(folder: string): Readonly<Record<string, string>> {
  const seen: Record<string, string> = {};
  const visit = (path: string): void => {
    const stats = lstatSync(path);
    const mode = (stats.mode & 0o7777).toString(8);
    if (stats.isSymbolicLink()) seen[path] = `-> ${readlinkSync(path)}`;
    else if (!stats.isDirectory()) seen[path] = `${mode} ${readFileSync(path).toString("hex")}`;
    else {
      seen[path] = `${mode} folder`;
      for (const name of readdirSync(path)) visit(join(path, name));
    }
  };
  visit(folder);
  return seen;
}
