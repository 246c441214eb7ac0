import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { nearestName } from "../protocol/nearest.ts";
import type { NextStep } from "../protocol/result.ts";
import { type Folders, profileFolders, rootFolders, type Surroundings } from "./folders.ts";

export type ProfileAnswer =
  | { readonly type: "profile"; readonly profile: string | undefined }
  | { readonly type: "invalid"; readonly message: string; readonly next: readonly NextStep[] };

/** A folder of its own, on every file system, and no way out of where profiles lie. */
const NAME = /^[a-z0-9][a-z0-9_-]{0,39}$/u;

/** The profile that was asked for. One that nobody has made is refused: it would hide the sessions. */
export function findProfile(around: Surroundings): ProfileAnswer {
  const name = around.env["EVANDER_PROFILE"] ?? "";
  if (name === "") return { type: "profile", profile: undefined };
  const refused = refuseName(name);
  if (refused !== undefined) return { type: "invalid", message: refused, next: [] };
  const known = profileNames(rootFolders(around));
  if (known.includes(name)) return { type: "profile", profile: name };
  const meant = nearestName(name, known);
  const hint = meant === undefined ? "" : ` Perhaps ${meant} was meant.`;
  return {
    type: "invalid",
    message: `There is no profile ${name}.${hint}`,
    next: [
      { do: "list", text: "See the profiles there are", command: "evander profile list" },
      { do: "add", text: "Begin a profile of this name", command: `evander profile add ${name}` },
    ],
  };
}

/** Why a name cannot be that of a profile. */
export const refuseName = (name: string): string | undefined =>
  NAME.test(name)
    ? undefined
    : `The name of a profile is 1 to 40 small letters, digits, - and _; it is ${JSON.stringify(name.slice(0, 60))}.`;

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
