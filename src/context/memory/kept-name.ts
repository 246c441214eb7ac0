import { lstatSync } from "node:fs";

/** A name beside a file that nothing has yet. */
export function keptName(path: string): string {
  for (let at = 1; ; at++) {
    const name = `${path}.kept-${at}`;
    if (lstatSync(name, { throwIfNoEntry: false }) === undefined) return name;
  }
}
