import { closeSync, constants, existsSync, fstatSync, openSync, readlinkSync, realpathSync, statSync } from "node:fs";
import { join, parse, sep } from "node:path";

const { O_DIRECTORY, O_NOFOLLOW } = constants;
/** Linux alone: a place in the tree, which needs no right to list it. */
const O_PATH = 0o1000_0000;

/** Paths by descriptor exist wherever Linux has its /proc. */
const HAS_DESCRIPTOR_PATHS = process.platform === "linux" && existsSync("/proc/self/fd");

/** A folder that stays the same one, whatever is put in its place. */
interface HeldFolder extends Disposable {
  /** The path of what is in it. */
  pathOf(name: string): string;
}

/**
 * Holds a resolved folder: gone to part by part, each from the one before it, so that a symlink put anywhere on the way
 * meanwhile is refused by the system (ELOOP or ENOTDIR) and never followed. Where no path leads through a descriptor
 * the name is used, and `whereItIs` tells afterwards.
 */
export function heldFolder(real: string): HeldFolder {
  if (!HAS_DESCRIPTOR_PATHS) return { pathOf: (name) => join(real, name), [Symbol.dispose]: () => {} };
  const { root } = parse(real);
  let held = openSync(root, O_PATH | O_DIRECTORY);
  try {
    for (const name of real.slice(root.length).split(sep)) {
      if (name === "") continue;
      const next = openSync(`/proc/self/fd/${held}/${name}`, O_PATH | O_DIRECTORY | O_NOFOLLOW);
      closeSync(held);
      held = next;
    }
  } catch (error) {
    closeSync(held);
    throw error;
  }
  return {
    // Not joined: the last part of a path by descriptor would be taken for a name.
    pathOf: (name) => `/proc/self/fd/${held}/${name}`,
    [Symbol.dispose]: () => closeSync(held),
  };
}

/** Whether what was opened is what the resolved path names, no link on the way: asked before it is worked with. */
export function whereItIs(descriptor: number, real: string): boolean {
  if (HAS_DESCRIPTOR_PATHS) return readlinkSync(`/proc/self/fd/${descriptor}`) === real;
  const [opened, named] = [fstatSync(descriptor), statSync(real, { throwIfNoEntry: false })];
  return realpathSync.native(real) === real && opened.ino === named?.ino && opened.dev === named.dev;
}
