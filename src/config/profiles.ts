import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { nearestName } from "../protocol/nearest.ts";
import type { ProfileProblem } from "../protocol/setting.ts";
import { type Folders, profileFolders, rootFolders, type Surroundings } from "./folders.ts";

export type ProfileAnswer =
  | { readonly type: "profile"; readonly profile: string | undefined }
  | { readonly type: "invalid"; readonly problem: ProfileProblem };

/** A folder of its own, on every file system, and no way out of where profiles lie. */
const NAME = /^[a-z0-9][a-z0-9_-]{0,39}$/u;

/** The profile that was asked for. One that nobody has made is refused: it would hide the sessions. */
export function findProfile(around: Surroundings): ProfileAnswer {
  const name = around.env["EVANDER_PROFILE"] ?? "";
  if (name === "") return { type: "profile", profile: undefined };
  if (!isProfileName(name)) return { type: "invalid", problem: { type: "no-profile-name", name } };
  const known = profileNames(rootFolders(around));
  if (known.includes(name)) return { type: "profile", profile: name };
  const meant = nearestName(name, known);
  return { type: "invalid", problem: { type: "no-profile", name, ...(meant !== undefined && { meant }) } };
}

export const isProfileName = (name: string): boolean => NAME.test(name);

/** The profiles of an installation, by name. */
export function profileNames({ config }: Folders): string[] {
  const folder = join(config, "profiles");
  if (!existsSync(folder)) return [];
  const folders = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return folders
    .map(({ name }) => name)
    .filter((name) => NAME.test(name))
    .toSorted();
}

/** Begins a profile; its name was judged before. Returns its folder for configs. */
export function addProfile(around: Surroundings, name: string): string {
  const { config } = profileFolders(rootFolders(around), name, around.platform);
  mkdirSync(config, { recursive: true, mode: 0o700 });
  return config;
}
