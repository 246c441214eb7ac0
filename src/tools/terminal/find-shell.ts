import { existsSync } from "node:fs";

/** bash first: others set fewer limits. */
const SHELLS = ["/bin/bash", "/usr/bin/bash", "/usr/local/bin/bash", "/opt/homebrew/bin/bash", "/bin/sh"] as const;

/** Undefined: there is none on this machine. */
export const findShell = (exists: (path: string) => boolean = existsSync): string | undefined =>
  SHELLS.find((path) => exists(path));

/** Why no command can run here; undefined: one can. */
export const noShell = (found: string | undefined): string | undefined =>
  found === undefined ? `there is no shell on this machine (looked for ${SHELLS.join(", ")})` : undefined;
