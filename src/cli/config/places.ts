import { existsSync } from "node:fs";
import { join } from "node:path";
import { LIMITS_FILE, profileFolders, rootFolders } from "../../config/folders.ts";
import { addProfile, isProfileName, profileNames } from "../../config/profiles.ts";
import { KEY_FILE } from "../../protocol/keys.ts";
import { printable } from "../../session/plain-text.ts";
import { CONFIG_WORDS } from "../../words/config-commands.ts";
import type { Asked } from "../context.ts";
import { say, sayJson } from "../io.ts";
import { logFolder } from "../log/open.ts";
import type { Changing } from "./commands.ts";
import { lookHere } from "./look.ts";
import { profileRefusal } from "./trouble.ts";

/** `evander where`: every folder and file, and whether it is there. */
export async function printPlaces({ io, json, language }: Asked): Promise<void> {
  const { folders, files, profile, store } = await lookHere(io);
  const roots = rootFolders(io);
  const places = [
    ...Object.entries(folders),
    ["store", join(store, "evander.db")],
    ["limits", join(store, LIMITS_FILE)],
    ["secrets", join(folders.config, "secrets.json")],
    ["credentials", join(folders.state, KEY_FILE)],
    ["trusted", join(roots.data, "trusted.json")],
    ["logs", logFolder(folders)],
    ["compiled", join(roots.cache, "compiled")],
    ...files.map(({ layer, path }) => [`${layer} config`, path]),
  ].map(([name = "", path = ""]) => ({ name, path, exists: existsSync(path) }));
  if (json) return sayJson(io, { profile: profile ?? null, places });
  for (const { name, path, exists } of places)
    say(io.stdout, printable(`${name.padEnd(14)} ${path}${exists ? "" : `  ${CONFIG_WORDS.notThereYet[language]}`}`));
}

export function listProfiles({ io, json, language }: Asked): void {
  const names = profileNames(rootFolders(io));
  if (json) return sayJson(io, names);
  if (names.length === 0) return say(io.stderr, CONFIG_WORDS.noProfile[language]);
  for (const name of names) say(io.stdout, name);
}

/** `evander profile add`: its folder is what makes it one. */
export function beginProfile(
  name: string,
  { io, json, language, dryRun = false }: Asked & Pick<Changing, "dryRun">,
): void {
  if (!isProfileName(name)) throw profileRefusal({ type: "no-profile-name", name });
  const { config } = profileFolders(rootFolders(io), name, io.platform);
  if (!dryRun) addProfile(io, name);
  if (json) return sayJson(io, { profile: name, config, dryRun });
  say(io.stdout, printable((dryRun ? CONFIG_WORDS.wouldBegin(config) : CONFIG_WORDS.begun(name, config))[language]));
}
