import { accessSync, constants } from "node:fs";
import { basename, delimiter, join } from "node:path";

export type Language = "python" | "javascript";

/** A program that runs scripts of a language. */
export interface Interpreter {
  readonly language: Language;
  readonly file: string;
}

/** Those that are found: Python along `path`, JavaScript as the program that runs this one. */
export function interpretersIn(path: string): Interpreter[] {
  const python = alongPath("python3", path);
  const node = /^node(?:\.exe)?$/u.test(basename(process.execPath)) ? process.execPath : alongPath("node", path);
  return [
    ...(python === undefined ? [] : [{ language: "python", file: python } as const]),
    ...(node === undefined ? [] : [{ language: "javascript", file: node } as const]),
  ];
}

const alongPath = (name: string, path: string): string | undefined =>
  path
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find((file) => {
      try {
        accessSync(file, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
