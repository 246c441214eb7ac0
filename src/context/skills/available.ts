import { accessSync, constants, statSync } from "node:fs";
import { delimiter, join } from "node:path";
import type { Needs } from "./describe.ts";

/** Where skills are to be used. */
export interface Surroundings {
  readonly platform: NodeJS.Platform;
  readonly env: NodeJS.ProcessEnv;
}

/** What is not there although a skill needs it, in a few words; undefined: all of it is. */
export type WhatIsMissing = (needs: Needs) => string | undefined;

/** Each program is looked for once, however many skills need it. */
export function lookAround(around: Surroundings): WhatIsMissing {
  const programs = new Map<string, boolean>();
  const isThere = (name: string): boolean => {
    const found = programs.get(name) ?? isProgram(name, around);
    programs.set(name, found);
    return found;
  };
  return ({ bins, env, platforms }) => {
    if (platforms.length > 0 && !platforms.includes(around.platform)) return `it is for ${platforms.join(", ")}`;
    const missing = [
      ...bins.filter((name) => !isThere(name)).map((name) => `the program ${name}`),
      ...env.filter((name) => (around.env[name] ?? "") === "").map((name) => `the variable ${name}`),
    ];
    return missing.length === 0 ? undefined : `it needs ${missing.join(", ")}`;
  };
}

function isProgram(name: string, { platform, env }: Surroundings): boolean {
  const isWindows = platform === "win32";
  const endings = isWindows ? ["", ...(env["PATHEXT"] ?? ".EXE;.CMD;.BAT;.COM").split(";")] : [""];
  const folders = (env["PATH"] ?? env["Path"] ?? "").split(delimiter).filter((folder) => folder !== "");
  return folders.some((folder) => endings.some((ending) => canRun(join(folder, name + ending), isWindows)));
}

function canRun(path: string, isWindows: boolean): boolean {
  try {
    if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return false;
    if (!isWindows) accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
