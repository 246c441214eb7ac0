import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { basename, dirname } from "node:path";
import { heldFolder, whereItIs } from "../path-guard/held-folder.ts";
import { protectedFiles } from "../path-guard/protected-files.ts";
import type { Place } from "../paths.ts";
import { binaryKind } from "./binary.ts";

/** Bytes; larger files are not searched. */
export const MAX_FILE_BYTES: number = 5 * 1024 * 1024;

const { O_RDONLY, O_NONBLOCK, O_NOFOLLOW, O_NOCTTY } = constants;

/** Reads many text files one after the other, each through its held folder: what is a link by then is not read. */
export class FileLoader implements Disposable {
  readonly #place: Place;
  #isProtected: ReturnType<typeof protectedFiles> | undefined;
  #folder: { readonly path: string; readonly held: ReturnType<typeof heldFolder> } | undefined;

  constructor(place: Place) {
    this.#place = place;
  }

  /** Undefined for what is no text, too large, out of reach under another name, or not to be read. */
  load(real: string): Buffer | undefined {
    try {
      const descriptor = openSync(
        this.#folderOf(real).pathOf(basename(real)),
        O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY,
      );
      try {
        return this.#read(descriptor, real);
      } finally {
        closeSync(descriptor);
      }
    } catch {
      return undefined;
    }
  }

  #read(descriptor: number, real: string): Buffer | undefined {
    const stats = fstatSync(descriptor);
    if (!stats.isFile() || stats.size > MAX_FILE_BYTES) return undefined;
    if (stats.nlink > 1 && (this.#isProtected ??= protectedFiles(this.#place))(stats)) return undefined;
    if (!whereItIs(descriptor, real)) return undefined;
    // Not the whole file: one that grows without end would be read without end.
    const bytes = Buffer.allocUnsafe(stats.size);
    const text = bytes.subarray(0, readSync(descriptor, bytes, 0, bytes.length, 0));
    return binaryKind(text) === undefined ? text : undefined;
  }

  #folderOf(real: string): ReturnType<typeof heldFolder> {
    const path = dirname(real);
    if (this.#folder?.path === path) return this.#folder.held;
    this.#folder?.held[Symbol.dispose]();
    this.#folder = undefined;
    this.#folder = { path, held: heldFolder(path) };
    return this.#folder.held;
  }

  [Symbol.dispose](): void {
    this.#folder?.held[Symbol.dispose]();
  }
}
