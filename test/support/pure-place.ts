import { posix } from "node:path";
import type { CommandPlace } from "../../src/tools/command-policy/options.ts";
import { whyAskToRead, whyAskToWrite, whyPrivate, type Place } from "../../src/tools/paths.ts";

/** The fixture P0 of the shared cases as pure functions: nothing is looked up on disk. */
const place: Place = { cwd: "/home/u/ws", home: "/home/u", guarded: ["/home/u/.agent"] };
const FILES = ["README.md", "src/index.ts", "docs/rm-guide.md", "notes with space.md", "a.txt", "list.txt", ".env"];
const at = (path: string, folder: string): string => posix.resolve(folder, path.replace(/^~(?=\/|$)/, place.home));
export const PURE_PLACE: CommandPlace = {
  cwd: place.cwd,
  root: place.cwd,
  home: place.home,
  resolve: at,
  whyNotWrite: (path, folder) => whyAskToWrite(at(path, folder), place),
  entries: (path, folder) => {
    const root = at(path, folder);
    if (!root.startsWith(place.cwd)) return root === "/" ? [{ name: "etc", isFolder: true }] : [];
    const names = FILES.map((file) => posix.join(place.cwd, file))
      .filter((file) => file.startsWith(`${root}/`))
      .map((file) => file.slice(root.length + 1));
    return [...new Set(names.map((name) => name.split("/")[0] ?? ""))].map((name) => ({
      name,
      isFolder: names.some((file) => file.startsWith(`${name}/`)),
    }));
  },
  program: (name) => (name.includes("/") ? undefined : { path: `/usr/bin/${name}` }),
  variable: (name) => (name === "HOME" ? place.home : undefined),
  isAbove: () => false,
  own: { guarded: place.guarded, readable: [], files: ["/opt/evander/bin/evander.cjs"], pids: [4321] },
  whyNotRead: (path, folder) => whyAskToRead(at(path, folder), place),
  whyNotReadTree: (path, folder) => {
    const root = at(path, folder);
    const below = FILES.map((file) => posix.join(place.cwd, file)).filter((file) => file.startsWith(root));
    return whyAskToRead(root, place) ?? below.map((file) => whyPrivate(file, place)).find((why) => why !== undefined);
  },
  whyNotGit: () => undefined,
};
